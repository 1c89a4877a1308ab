r"""Words in figures: text is drawn as it stands, and only what is said to be a formula is set as one.

Matplotlib takes ``$…$`` in any text for mathematics. Names of columns and classes are not: ``"$20 to $30^"`` is a price.
"""

from functools import cache
from typing import Self

from matplotlib.font_manager import findfont, fontManager, get_font
from matplotlib.text import Text

from gradatim.wording import escaped, shorten, visible

NAME, SENTENCE = 48, 300  # characters of a name, and of any other text
LINES = 12
HIDDEN = "\u200b"  # has no width; before a name that begins with an underscore, which Matplotlib leaves out of legends
FONT = "DejaVu Sans"  # which comes with Matplotlib
# Fonts for what it lacks, where they are installed; colour fonts of emoji cannot be drawn.
FALLBACKS = (
    "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei",
    "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS",
    "Noto Emoji", "Symbola",
)  # fmt: skip


class Formula(str):
    r"""Text in which ``$…$`` is set as mathematics.

    Args:
        text: A label with formulas; a dollar sign that is none is written ``\$``.

    Example:
        >>> from gradatim.plots import new_figure
        >>> figure, axes = new_figure()
        >>> axes.set_xlabel(Formula(r"budget $\epsilon$")).get_text()
        'budget $\\epsilon$'
    """

    def __new__(cls, text: str) -> Self:
        return super().__new__(cls, text)

    def __str__(self) -> str:
        """Itself, so that Matplotlib, which asks for the ``str`` of every label, keeps what it is."""
        return self


class _Plain(Formula):
    """A text that is escaped to be drawn as it stands, and remembers all of it."""

    full: str
    most: int


@cache
def _fonts() -> dict[str, frozenset[int]]:
    """Characters that each usable font can draw."""
    installed = {entry.name: entry.fname for entry in fontManager.ttflist}
    files = {FONT: findfont(FONT)} | {f: installed[f] for f in FALLBACKS if f in installed}
    return {family: frozenset(get_font(file).get_charmap()) for family, file in files.items()}


def plain(text: object, most: int = SENTENCE) -> Formula:
    r"""Write a text so that a figure shows it as it stands, without warnings and without boxes.

    Dollar signs are dollar signs; control characters, and what no font at hand can draw, become escapes such as
    ``\u4e2d``; the middle of a very long text is left out.

    Args:
        text: A text of the data, or any other; a :class:`Formula` stays one.
        most: Characters that may remain.

    Example:
        >>> plain("$20 to $30^")
        '\\$20 to \\$30^'
    """
    if isinstance(text, Formula):
        return text
    known = _fonts().values()
    lines = visible(text).replace(HIDDEN, "").replace("\t", " ").split("\n")
    short = shorten("\n".join(lines[:LINES]), most)
    drawn = "".join(c if c == "\n" or any(ord(c) in font for font in known) else escaped(c) for c in short)  # fmt: skip
    found = _Plain(shorten(drawn, most).replace("$", r"\$"))
    found.full, found.most = str(text), most
    return found


def families(text: str) -> list[str]:
    """Fonts that a text needs, the usual one first.

    >>> families("plain")
    ['DejaVu Sans']
    """
    missing, needed = {ord(c) for c in text if c != "\n"}, list[str]()
    for family, characters in _fonts().items():
        if not needed or missing & characters:
            needed.append(family)
            missing -= characters
    return needed


def write_plainly(label: Text, most: int = SENTENCE) -> None:
    """Make a label of a figure show what it says, with the fonts that it needs.

    Args:
        label: Any text of a figure; formulas stay.
        most: Characters that may remain; it may be said again with fewer.
    """
    text = label.get_text()
    if isinstance(text, Formula) and not isinstance(text, _Plain):
        return
    if isinstance(text, _Plain):  # which is never made longer again
        label.set_text(plain(text.full, min(most, text.most)))
    else:
        label.set_text(plain(text, most))
    if len(needed := families(label.get_text())) > 1:
        label.set_fontfamily(needed)
