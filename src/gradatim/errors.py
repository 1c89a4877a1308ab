"""What the user did wrong, in one sentence: what was given, what is accepted, the nearest choice."""

from collections.abc import Iterable
from difflib import SequenceMatcher

MOST_SHOWN, FEW = 40, 8  # choices that are all listed; of more only the nearest
MOST_SEED = 2**32 - 1  # the largest that NumPy's and scikit-learn's generators take


class GradatimError(Exception):
    """A mistake or condition the user can act on; the command line prints it without a traceback."""

    exit_code = 2


class InvalidValue(GradatimError, ValueError):
    """An argument of the right type with a value that is not accepted."""


class InvalidType(GradatimError, TypeError):
    """An argument of a type that is not accepted."""


class OutputRefused(InvalidValue):
    """An output that would cost the user a file."""


class Unavailable(GradatimError, OSError):
    """A file, a data set or a download that cannot be had now."""

    exit_code = 1


def require(holds: object, rule: str, got: object, remedy: str = "") -> None:
    """Raise, unless ``holds``, the house's sentence: the rule, what was given, what to try.

    >>> require(0 < 2 < 1, "find_tickets: rate must be in (0, 1)", 2, "Try rate=0.2.")
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: find_tickets: rate must be in (0, 1), got 2. Try rate=0.2.
    """
    if not holds:
        raise InvalidValue(f"{rule}, got {got}. {remedy}".rstrip())


def require_whole(owner: str, **counts: float) -> None:
    """Raise unless every count is a whole number from 1.

    >>> require_whole("pgd", steps=2.5)
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: pgd: steps must be a whole number from 1, got 2.5.
    """
    for name, count in counts.items():
        is_whole = count >= 1 and count == int(count)
        require(is_whole, f"{owner}: {name} must be a whole number from 1", repr(count))


def require_seed(owner: str, seed: object) -> None:
    """Raise unless a seed is one that every source of randomness takes.

    >>> require_seed("fit", -1)
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: fit: seed must be a whole number from 0 to 4,294,967,295, got -1.
    """
    is_seed = isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed <= MOST_SEED
    require(is_seed, f"{owner}: seed must be a whole number from 0 to {MOST_SEED:,}", repr(seed))


def nearest_first(value: str, choices: Iterable[str]) -> list[str]:
    """Sort ``choices`` by likeness to ``value``, ties in the order given.

    >>> nearest_first("adm", ["sgd", "rmsprop", "adam"])[0]
    'adam'
    """
    return sorted(
        choices, key=lambda choice: -SequenceMatcher(None, value.lower(), choice.lower()).ratio()
    )


def choose(owner: str, argument: str, value: object, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``choices``, else raise with the choices, nearest first, of very many only those.

    >>> choose("Trainer", "optimizer", "adan", ["sgd", "adam"])
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: Trainer: optimizer must be one of adam, sgd, got 'adan'. Try 'adam'.
    """
    known = list(choices)
    if isinstance(value, str) and value in known:
        return value
    ordered = nearest_first(str(value), known)
    shown = ordered if len(ordered) <= MOST_SHOWN else [*ordered[:FEW], f"… ({len(ordered)} in all)"]  # fmt: skip
    message = f"{owner}: {argument} must be one of {', '.join(shown)}, got {value!r}."
    raise InvalidValue(f"{message} Try {ordered[0]!r}." if ordered else message)
