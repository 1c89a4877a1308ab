r"""The scaled recursions along a few long sequences: all blocks of a sequence at once.

A step costs a call, however few sequences there are. So a long sequence is cut into blocks, and what a
block does to any distribution at its first step is computed for all blocks together,

.. math:: M(j,k)\propto P(\text{observations of the block},s_{\text{last}}=k\mid s_{\text{first}}=j)

With it, a loop over the blocks finds the distributions with which each begins and the backward variables
with which each ends, and then all blocks run through the two recursions side by side: about
:math:`3\sqrt T` calls instead of :math:`2T`, and :math:`K` times the arithmetic.
"""

import numpy as np

from gradatim.timeseries.scaled_recursions import Backward, Floats, Forward, backward, forward

LONG = 1024  # steps
WIDE = 512  # sequences · states²: beyond it arithmetic costs more than calls


def block_length(steps: int, num_sequences: int, num_states: int) -> int | None:
    """Length of the blocks, or ``None`` where one step after the other is faster."""
    if steps < LONG or num_sequences * num_states**2 > WIDE:
        return None
    return int(steps**0.5)


def sweep(
    start: Floats, transition: Floats, likelihood: Floats, *, needs_back: bool
) -> tuple[Forward, Backward | None]:
    """Run forward, and backward if needed, over likelihoods ``(T, B, K)``."""
    T, B, K = likelihood.shape
    length = block_length(T, B, K)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if length is None:
            ahead = forward(start, transition, likelihood)
            back = backward(transition, likelihood, ahead.scale) if needs_back else None
            return ahead, back
        blocks = _cut(likelihood, length)
        M, logs = _transfers(transition, blocks, B)
        ahead = forward(_starts(start, transition, M, logs), transition, blocks)
        joined = Forward(*(_join(part, B)[:T] for part in ahead))
        if not needs_back:
            return joined, None
        totals = np.log(ahead.scale[..., 0]).sum(0).reshape(-1, B)
        last = _ends(transition, M, logs - totals[..., None])
        behind = backward(transition, blocks, ahead.scale, last)
        return joined, Backward(*(_join(part, B)[:T] for part in behind))


def _cut(x: Floats, length: int) -> Floats:
    """Blocks side by side, ``(length, blocks · B, K)``; beyond the end nothing is known, likelihood 1."""
    T, B, K = x.shape
    count = -(-T // length)
    rest = np.ones((count * length - T, B, K))
    whole = np.concatenate([x, rest]).reshape(count, length, B, K)
    return np.ascontiguousarray(whole.swapaxes(0, 1)).reshape(length, count * B, K)


def _join(x: Floats, B: int) -> Floats:
    """One sequence after the other again, ``(T, B, K)``."""
    length, rows, K = x.shape
    return x.reshape(length, rows // B, B, K).swapaxes(0, 1).reshape(-1, B, K)


def _transfers(transition: Floats, blocks: Floats, B: int) -> tuple[Floats, Floats]:
    """:math:`M` with rows that sum to one, ``(blocks, B, K, K)``, and the logarithms of their sums."""
    rows, K = blocks.shape[1:]
    x = blocks[0][:, :, None] * np.eye(K)
    logs, ones = np.zeros((rows, K)), np.ones(K)
    for t, likelihood in enumerate(blocks):
        if t:
            x = (x.reshape(-1, K) @ transition).reshape(rows, K, K)
            x *= likelihood[:, None]
        total = x @ ones
        logs += np.log(total)
        x /= np.where(total > 0, total, 1.0)[..., None]
    return x.reshape(-1, B, K, K), logs.reshape(-1, B, K)


def _starts(start: Floats, transition: Floats, M: Floats, logs: Floats) -> Floats:
    """Distribution of the first state of each block given all before it, ``(blocks · B, K)``."""
    found = [np.broadcast_to(start, logs.shape[1:])]
    for matrix, log in zip(M[:-1], logs[:-1], strict=True):
        weight = np.log(found[-1]) + log
        shares = np.exp(weight - weight.max(-1, keepdims=True))
        end = np.einsum("bj,bjk->bk", shares, matrix)
        found.append((end / end.sum(-1, keepdims=True)) @ transition)
    return np.concatenate(found)


def _ends(transition: Floats, M: Floats, logs: Floats) -> Floats:
    """Backward variables of the last state of each block, ``(blocks · B, K)``."""
    found = [np.ones(logs.shape[1:])]
    for matrix, log in zip(M[:0:-1], logs[:0:-1], strict=True):
        first = np.exp(log) * np.einsum("bjk,bk->bj", matrix, found[-1])
        found.append(first @ transition.T)
    return np.concatenate(found[::-1])
