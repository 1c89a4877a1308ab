r"""Viterbi's algorithm, along many sequences at once, or along all blocks of a few long ones.

.. math::
    \delta_t(j)=\log b_j(y_t)+\max_i[\delta_{t-1}(i)+\log a_{ij}],\qquad
    s_{T-1}=\arg\max_j\delta_{T-1}(j),\quad s_t=\arg\max_i[\delta_t(i)+\log a_{i,s_{t+1}}]

The way back needs the best predecessor of the states on the path only, so no table of predecessors is kept.

A long sequence is cut into blocks. The best score between any two states across a block is computed for all
blocks together; with these scores as steps, the algorithm finds the states at which blocks end, and then
once more, for all blocks together, the path inside each.

Reference:
    Viterbi, Error bounds for convolutional codes and an asymptotically optimum decoding algorithm, 1967.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gradatim.timeseries.blocked_recursions import block_length

Floats = NDArray[np.float64]
Paths = NDArray[np.int64]
SPREAD = 2**18  # up to this size a repeated matrix is faster than a broadcast one


def decode(
    start: Floats, transition: Floats, emission: Floats, is_real: NDArray[np.bool_] | None
) -> tuple[Paths, Floats]:
    """Best paths ``(T, B)`` and their log-probabilities ``(B,)``, from log-probabilities.

    Args:
        start: Shape ``(K,)``.
        transition: Shape ``(K, K)``.
        emission: Shape ``(T, K, B)``, sequences last, so that a step runs along them; is overwritten.
        is_real: False for steps after the end of a sequence, shape ``(T, B)``; ``None`` without any.
    """
    T, K, B = emission.shape
    length = block_length(T, B, K)
    if length is None:
        scores = best_scores(start[:, None], transition, emission, is_real)
        return trace_back(transition, scores, scores[-1].argmax(0), is_real), scores[-1].max(0)
    if is_real is None:
        return _decode_blocks(start, transition, emission, length)
    path, score = np.full((T, B), -1), np.empty(B)
    for b, end in enumerate(is_real.sum(0)):
        path[:end, b : b + 1], score[b : b + 1] = decode(
            start, transition, emission[:end, :, b : b + 1].copy(), None
        )
    return path, score


def best_scores(
    start: Floats, transition: Floats, emission: Floats, is_real: NDArray[np.bool_] | None = None
) -> Floats:
    r"""Replace log-emissions ``(T, K, B)``, step by step, by :math:`\delta`; ``start`` is ``(K, 1)`` or ``(K, B)``."""
    step = _step(transition, emission.shape[2])
    before = np.add(emission[0], start, out=emission[0])
    for t, delta in enumerate(emission[1:], start=1):
        np.add(delta, step(before), out=delta)
        if is_real is not None:
            np.copyto(delta, before, where=~is_real[t])
        before = delta
    return emission


def _step(transition: Floats, width: int) -> Callable[[Floats], Floats]:
    """A function that takes the best transition into each state, ``(K, width)``; its result is overwritten."""
    K = len(transition)
    matrix = np.broadcast_to(transition[:, :, None], (K, K, width))
    matrix = matrix.copy() if matrix.size <= SPREAD else matrix
    through, best = np.empty((K, K, width)), np.empty((K, width))

    def step(scores: Floats) -> Floats:
        np.add(scores[:, None], matrix, out=through)
        return np.maximum.reduce(through, 0, out=best)

    return step


def trace_back(
    transition: Floats, scores: Floats, last: Paths, is_real: NDArray[np.bool_] | None = None
) -> Paths:
    """Paths ``(T, B)`` that end in the states ``last``."""
    T, _, B = scores.shape
    rows = np.ascontiguousarray(scores.swapaxes(1, 2))  # (T, B, K)
    into = np.ascontiguousarray(transition.T)  # row j: from every state into j
    path, reach = np.empty((T, B), np.int64), np.empty_like(rows[0])
    path[-1] = last
    for t in range(T - 2, -1, -1):
        into.take(path[t + 1], 0, reach, "clip")
        np.add(reach, rows[t], out=reach)
        reach.argmax(1, path[t])
        if is_real is not None:  # beyond its end a sequence stays where it ends
            np.copyto(path[t], path[t + 1], where=~is_real[t + 1])
    if is_real is not None:
        path[~is_real] = -1
    return path


def _decode_blocks(
    start: Floats, transition: Floats, emission: Floats, length: int
) -> tuple[Paths, Floats]:
    T, K, B = emission.shape
    count = T // length
    whole = emission[: count * length].reshape(count, length, K, B)
    blocks = np.ascontiguousarray(whole.transpose(1, 2, 0, 3))  # (length, K, count, B)
    across = _across(transition, blocks)  # (count, first, last, B)
    # scores at the end of the first block, and from the end of one block to the end of the next
    ends = [(start[:, None, None] + across[0]).max(0)]  # (K, B)
    steps = (transition[:, :, None, None] + across[1:, None]).max(2)  # (count - 1, K, K, B)
    for step in steps:
        ends.append((ends[-1][:, None] + step).max(0))
    rest = emission[count * length :]
    into_rest = (ends[-1][:, None] + transition[..., None]).max(0)
    tail = best_scores(into_rest, transition, rest) if len(rest) else None
    final = ends[-1] if tail is None else tail[-1]
    state, pieces = final.argmax(0), []
    if tail is not None:
        pieces = [trace_back(transition, tail, state)]
        state = (ends[-1] + transition[:, pieces[0][0]]).argmax(0)
    borders = [state]
    for end, step in zip(ends[-2::-1], steps[::-1], strict=True):
        into = np.take_along_axis(step, borders[-1][None, None], 1)[:, 0]
        borders.append((end + into).argmax(0))
    last = np.stack(borders[::-1])  # (count, B)
    first = np.repeat(start[:, None, None], B, 2)
    entry = np.concatenate([first, transition.T[:, last[:-1]]], 1).reshape(K, -1)
    inside = best_scores(entry, transition, blocks.reshape(length, K, -1))
    paths = trace_back(transition, inside, last.reshape(-1)).reshape(length, count, B)
    return np.concatenate([paths.swapaxes(0, 1).reshape(-1, B), *pieces]), final.max(0)


def _across(transition: Floats, blocks: Floats) -> Floats:
    """Best score of each block from each first state to each last one, ``(count, K, K, B)``."""
    _, K, count, B = blocks.shape
    step = _step(transition, K * count * B)
    scores = np.where(
        np.eye(K, dtype=bool)[..., None, None], blocks[0], -np.inf
    )  # (state, first, …)
    for emission in blocks[1:]:
        best = step(scores.reshape(K, -1)).reshape(scores.shape)
        np.add(best, emission[:, None], out=scores)
    return scores.transpose(2, 1, 0, 3)
