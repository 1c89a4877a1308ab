"""The one check of widths and counts that a model is built with."""

from collections.abc import Sequence

from gradatim.errors import InvalidValue


def check_sizes(owner: str, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return ``sizes`` as a tuple of two or more positive widths, or say what is wrong.

    >>> check_sizes("MLP", [4, 3, 1])
    (4, 3, 1)
    """
    sizes = tuple(int(size) for size in sizes)
    if len(sizes) < 2 or min(sizes) < 1:
        raise InvalidValue(
            f"{owner}: sizes must be two or more positive widths, got {sizes}. Try (64, 32, 10)."
        )
    return sizes


def check_counts(owner: str, **counts: int) -> None:
    """Raise unless every count is at least 1.

    >>> check_counts("GPT", context=64, num_layers=2)
    """
    for name, count in counts.items():
        if count < 1:
            raise InvalidValue(f"{owner}: {name} must be at least 1, got {count}.")
