"""Sentences through a model: those of like length together, in passes of one shape, so that bits do not depend on mates."""

from collections.abc import Callable, Sequence

import numpy as np

from gradatim.fitting.blocks import by_blocks

SHORTEST = 8  # words to which a sentence is filled up at least
BLOCK = 32  # sentences of a pass


def width_of(length: int) -> int:
    """Words to which a sentence is filled up: the next power of two.

    Example:
        >>> width_of(3), width_of(8), width_of(9)
        (8, 8, 16)
    """
    return max(SHORTEST, 1 << (length - 1).bit_length())


def by_sentences(
    apply: Callable[[np.ndarray, np.ndarray], np.ndarray], sentences: Sequence[np.ndarray]
) -> np.ndarray:
    """Apply a function to sentences and put what it says of their words one after the other.

    Args:
        apply: From numbers ``(B, T, ...)``, padded with 0, and lengths ``(B,)`` to ``(B, T, ...)``.
        sentences: Numbers of the words of each, shape ``(T_n, ...)``, none empty.

    Returns:
        What is said of all words, first axis their number.
    """
    lengths = np.array([len(s) for s in sentences])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    out: np.ndarray | None = None
    widths = np.array([width_of(int(n)) for n in lengths])
    for width in np.unique(widths).tolist():
        rows = np.flatnonzero(widths == width)
        x = np.zeros((len(rows), width, *sentences[0].shape[1:]), dtype=np.int64)
        is_real = np.arange(width) < lengths[rows][:, None]  # (N, T)
        x[is_real] = np.concatenate([sentences[k] for k in rows.tolist()])
        said = by_blocks(apply, x, lengths[rows], block=BLOCK, filler=(0, width))[is_real]
        if out is None:
            out = np.empty((starts[-1], *said.shape[1:]), dtype=said.dtype)
        places = starts[rows][:, None] + np.arange(width)
        out[places[is_real]] = said
    assert out is not None
    return out
