"""Predictions that do not depend on which rows come together."""

from collections.abc import Callable, Sequence

import numpy as np


def by_blocks(
    apply: Callable[..., np.ndarray],
    *rows: np.ndarray,
    block: int,
    filler: Sequence[float] | None = None,
) -> np.ndarray:
    """Apply a function to rows, always to the same number of them: the last block is filled up.

    Sums of floating-point numbers depend on the shape of what is summed. Passes of one shape give a row the same bits
    whether it is predicted alone or among thousands.

    Args:
        apply: From arrays of ``block`` rows to an array of ``block`` rows, each from its own row alone.
        rows: Arrays with one entry per row, first axis ``N``.
        block: Rows of a pass.
        filler: For each array the value that fills it up, zero by default. If it is given, every pass ends with a row of
            it, so that the longest text of a pass is always equally long.

    Returns:
        What ``apply`` gives for each row, first axis ``N``.

    Example:
        >>> by_blocks(lambda x: 2 * x, np.arange(5), block=2).tolist()
        [0, 2, 4, 6, 8]
    """
    room = block if filler is None else block - 1
    values = [0] * len(rows) if filler is None else filler
    outputs = []
    for start in range(0, max(len(rows[0]), 1), room):
        parts = [array[start : start + room] for array in rows]
        whole = [_fill(part, block, value) for part, value in zip(parts, values, strict=True)]
        outputs.append(apply(*whole)[: len(parts[0])])
    return np.concatenate(outputs)


def _fill(part: np.ndarray, block: int, value: float) -> np.ndarray:
    if len(part) == block:
        return part
    whole = np.full((block, *part.shape[1:]), value, dtype=part.dtype)
    whole[: len(part)] = part
    return whole
