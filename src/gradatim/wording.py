"""Text that came with the data, made fit to be shown: no character of it commands a terminal or turns a line around."""

import re

# control characters but tab and end of line, marks that change the direction, halves of characters
_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)


def visible(text: object) -> str:
    r"""Write characters that command a terminal, or that no file can hold, as what they are.

    Args:
        text: Anything; its ``str`` is taken.

    Example:
        >>> visible("\x1b[31mred\udcff\u202e")
        '\\x1b[31mred\\udcff\\u202e'
    """
    return _COMMANDS.sub(lambda found: escaped(found[0]), str(text))


def escaped(character: str) -> str:
    r"""A character by its number, as Python writes it.

    >>> escaped("中")
    '\\u4e2d'
    """
    return character.encode("unicode_escape").decode()


def numbered(number: int, things: str) -> str:
    """A number of things, which are one thing where there is only one.

    Args:
        number: How many.
        things: In the plural; without its last ``s`` it is the singular, but ``series`` is both.

    Example:
        >>> numbered(1, "rows"), numbered(2400, "training rows"), numbered(1, "series")
        ('1 row', '2,400 training rows', '1 series')
    """
    is_one = number == 1 and not things.endswith("series")
    return f"{number:,} {things.removesuffix('s') if is_one else things}"


def brief(value: float, digits: int = 2) -> str:
    """A number with few digits, or all of those before the point; a large one is never a power of ten.

    Args:
        value: Any number.
        digits: That count.

    Example:
        >>> brief(0.0123), brief(99.6), brief(-2040.0), brief(12.34, digits=3)
        ('0.012', '100', '-2,040', '12.3')
    """
    return f"{value:,.0f}" if abs(value) >= 10**digits - 0.5 else f"{value:.{digits}g}"


def percent(share: float, digits: int = 2) -> str:
    """A share in per cent, as briefly as :func:`brief` says it.

    Args:
        share: 1 is all.
        digits: That count.

    Example:
        >>> percent(0.0123), percent(0.9996), percent(-2.04), percent(0.1234, digits=3)
        ('1.2 %', '100 %', '-204 %', '12.3 %')
    """
    return f"{brief(100 * share, digits)} %"


def ranged(low: int, high: int, things: str) -> str:
    """A number of things that differs, from the least to the most.

    Args:
        low: The least.
        high: The most.
        things: As in :func:`numbered`.

    Example:
        >>> ranged(3, 8, "nodes"), ranged(1, 1, "nodes")
        ('3 to 8 nodes', '1 node')
    """
    return numbered(low, things) if low == high else f"{low:,} to {high:,} {things}"


def shorten(text: str, most: int) -> str:
    """Cut the middle out of a text of more than ``most`` characters; both ends tell it from others.

    Args:
        text: A name or a sentence.
        most: Characters that may remain, from 3.

    Example:
        >>> shorten("a name that goes on and on", 12)
        'a name…d on'
    """
    if len(text) <= most:
        return text
    head = (2 * most) // 3
    return f"{text[: head - 1].rstrip()}…{text[len(text) - (most - head) :].lstrip()}"
