r"""The Kalman filter along sequences with missing observations.

A missing observation sees nothing of the state, and has a variance of its own that tells nothing: its row of
:math:`C` is zero, its row and column of :math:`R` those of the identity. The covariances follow from the
pattern of gaps alone, so sequences with the same gaps share them.

Both recursions, of covariances and of means, run along all blocks of a sequence at once
(:mod:`gradatim.timeseries.affine_blocks`); the maps of covariances of
:mod:`gradatim.timeseries.riccati` say with which covariance each block begins.
"""

import math
from functools import reduce

import torch
from torch import Tensor

from gradatim.timeseries import riccati
from gradatim.timeseries.affine_blocks import block_length, into_blocks, out_of_blocks, run_affine
from gradatim.timeseries.kalman import Filtered, Parameters, Update, update


def filter_each(model: Parameters, y: Tensor, drive: Tensor | None, joseph: bool) -> Filtered:
    """Filter sequences with missing observations, NaN in ``y``, each with covariances of its own."""
    observed = ~torch.isnan(y)
    y = torch.where(observed, y, 0.0).transpose(0, 1)[..., None]  # (T, B, m, 1)
    patterns, which = torch.unique(observed, dim=0, return_inverse=True)
    seen = patterns.transpose(0, 1).to(y.dtype)  # (T, patterns, m)
    P, K, factor = (part[:, which] for part in gap_updates(model, seen, joseph))
    C = (seen[..., None] * model.C)[:, which]  # (T, B, m, n)
    kept = torch.eye(len(model.A), dtype=y.dtype, device=y.device) - K @ C
    pushed = K @ y
    if drive is not None:
        push = drive.transpose(0, 1)[..., None]
        pushed = pushed + kept @ push
    start = model.mean0[:, None].expand(y.shape[1], -1, 1)
    first = kept[0] @ start + pushed[0]  # no transition before it
    h = torch.cat([first[None], run_affine(kept[1:] @ model.A, pushed[1:], first)])
    before = torch.cat([start[None], model.A @ h[:-1]])
    before = before if drive is None else before + push
    white = torch.linalg.solve_triangular(factor, y - C @ before, upper=False)
    volume = factor.diagonal(dim1=2, dim2=3).log().sum((0, 2))
    count = 0.5 * math.log(2 * math.pi) * observed.sum((1, 2)).to(y.dtype)
    score = -0.5 * white.square().sum((0, 2, 3)) - volume - count
    gains = K * seen[:, which, None]
    means, covariances, gains = (part.transpose(0, 1) for part in (h[..., 0], P, gains))
    return Filtered(means, covariances, gains, score)


def gap_updates(model: Parameters, seen: Tensor, joseph: bool) -> Update:
    """Updates of every step and pattern, ``(T, patterns, ...)``.

    Args:
        model: The system.
        seen: 1 where an observation is there, 0 where it is missing, shape ``(T, patterns, m)``.
        joseph: Whether to use the Joseph form, one step after the other.
    """
    (T, count, _), (A, C, Q, R) = seen.shape, model[:4]
    first = update(model.cov0, *_masked(seen[0], C, R), joseph)
    first = Update(*(part[None] for part in first))
    if T == 1:
        return first
    length = T - 1 if joseph else block_length(T - 1, count * A.numel())
    starts = first.covariance[0]
    if length < T - 1:
        found = _block_starts(model, seen[1:], starts, length)
        starts, length = (starts, T - 1) if found is None else (found, length)
    P, steps = starts, []
    for now in into_blocks(seen[1:], length):
        steps.append(update(A @ P @ A.T + Q, *_masked(now, C, R), joseph))
        P = steps[-1].covariance
    later = (torch.stack(parts) for parts in zip(*steps, strict=True))
    joined = (out_of_blocks(part, T - 1, count) for part in later)
    return Update(*(torch.cat(pair) for pair in zip(first, joined, strict=True)))


def _block_starts(model: Parameters, seen: Tensor, first: Tensor, length: int) -> Tensor | None:
    """Covariances before each block, ``(blocks · patterns, n, n)``; ``None`` if a map has no form of this kind."""
    kinds, which = torch.unique(seen.flatten(0, 1), dim=0, return_inverse=True)
    C, R = _masked(kinds, model.C, model.R)
    one = riccati.one_step(model.A, C, model.Q, R)
    if one is None:
        return None
    blocks = into_blocks(which.view(seen.shape[:2])[: len(seen) // length * length], length)
    maps = (riccati.Steps(*(part[row] for part in one)) for row in blocks)
    across = reduce(riccati.then, maps)
    starts = [first]
    for parts in zip(*(part.unflatten(0, (-1, len(first))) for part in across), strict=True):
        starts.append(riccati.advance(riccati.Steps(*parts), starts[-1]))
    return torch.cat(starts[: -(-len(seen) // length)])


def _masked(seen: Tensor, C: Tensor, R: Tensor) -> tuple[Tensor, Tensor]:
    """Observation and noise where only what is seen counts."""
    own = torch.diag_embed(1 - seen)
    return seen[..., None] * C, seen[..., None, :] * seen[..., None] * R + own
