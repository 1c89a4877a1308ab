r"""In which order the rows of a stream come: pieces at random, as many at a time as a window holds, shuffled in it.

A file is read in pieces of neighbouring rows, for reading single rows would take a thousand times as long. Seed and epoch
permute the pieces; every window takes the next :data:`PIECES` of them and permutes their rows. Nothing else has a say: not how
many files hold the rows, who reads them, or how many processes share a batch. So a place is one number.
"""

from typing import NamedTuple

import numpy as np

PIECES = 8  # of a window, from as many places of the files


class Window(NamedTuple):
    """Rows that are in memory together.

    Args:
        number: Which window of the epoch it is.
        start: Rows of the epoch before it.
        pieces: First row and the row after the last of every piece.
    """

    number: int
    start: int
    pieces: list[tuple[int, int]]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(stop - start for start, stop in self.pieces)


def windows(rows: int, window: int, seed: int | None, epoch: int) -> list[Window]:
    """The windows of an epoch, in order.

    Args:
        rows: Of all files.
        window: Rows that are shuffled together, about.
        seed: Fixes the order with ``epoch``; ``None`` for that of the files.
        epoch: From 0.

    Example:
        >>> [w.pieces for w in windows(20, 16, None, 0)][1]
        [(16, 18), (18, 20)]
    """
    size = max(window // PIECES, 1)
    count = -(-rows // size)
    order = np.arange(count) if seed is None else np.random.default_rng([seed, epoch]).permutation(count)  # fmt: skip
    found, start = [], 0
    for number, first in enumerate(range(0, count, PIECES)):
        pieces = [(int(k) * size, min((int(k) + 1) * size, rows)) for k in order[first : first + PIECES]]  # fmt: skip
        found.append(Window(number, start, pieces))
        start += found[-1].rows
    return found


def order_in(window: Window, seed: int | None, epoch: int) -> np.ndarray:
    """The order of a window's rows.

    Args:
        window: The window.
        seed: As in :func:`windows`.
        epoch: As there.
    """
    if seed is None:
        return np.arange(window.rows)
    return np.random.default_rng([seed, epoch, window.number]).permutation(window.rows)
