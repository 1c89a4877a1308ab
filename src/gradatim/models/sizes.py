"""The one check of a list of layer widths."""

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
