"""Derivatives by differences, with both one-sided slopes so that kinks show."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

EPS = torch.finfo(torch.float64).eps
STEP = EPS ** (1 / 3)  # balances rounding, eps/h, against truncation, h²
REFINEMENT = 100.0


class Differences(NamedTuple):
    """Numerical slopes of a function, one for each entry asked for, shape ``(K,)``.

    Args:
        central: Mean of the one-sided slopes.
        left: Slope towards smaller values.
        right: Slope towards larger values.
        noise: Size of the rounding error in ``central``.
        is_kink: Whether left and right differ however small the step.
    """

    central: Tensor
    left: Tensor
    right: Tensor
    noise: Tensor
    is_kink: Tensor


def central_differences(
    evaluate: Callable[[Tensor], Tensor], x: Tensor, entries: Tensor, *, scale: float = 1.0
) -> Differences:
    r"""Differentiate a scalar function with respect to chosen entries of ``x``.

    .. math:: \frac{\partial E}{\partial x_j} \approx \frac{E(x + h e_j) - E(x - h e_j)}{2h},
        \qquad h = \varepsilon^{1/3} \max(1, |x_j|)

    Where the one-sided slopes disagree, a step a hundred times smaller decides: at a kink they still
    disagree; near a kink the slopes change, and those of the smaller step are returned.

    Args:
        evaluate: Maps points of shape ``(K, *x.shape)`` to values of :math:`E`, shape ``(K,)``.
        x: Where to differentiate, float64.
        entries: Indices into ``x.flatten()``, shape ``(K,)``.
        scale: Size of the terms that make up :math:`E`; its rounding error is taken as
            :math:`20\,\varepsilon` times this.

    Example:
        >>> x = torch.tensor([2.0, 0.0]).double()
        >>> slopes = central_differences(lambda x: (x[:, 0] ** 3 + x[:, 1].abs()), x, torch.arange(2))
        >>> [round(slope, 6) for slope in slopes.central.tolist()], slopes.is_kink.tolist()
        ([12.0, 0.0], [False, True])
    """
    h = STEP * x.flatten()[entries].abs().clamp(min=1.0)
    base = evaluate(x[None])
    left, right = _one_sided(evaluate, x, entries, h, base)
    noise = 20 * EPS * scale / h
    is_kink = torch.zeros_like(entries, dtype=torch.bool)
    gap = (right - left).abs()
    suspects = (gap > 1e-3 * torch.maximum(left.abs(), right.abs()) + noise).nonzero().flatten()
    if len(suspects):
        small = h[suspects] / REFINEMENT
        fine_left, fine_right = _one_sided(evaluate, x, entries[suspects], small, base)
        fine_gap = (fine_right - fine_left).abs()
        stays = (fine_gap > gap[suspects] / 2) & (fine_gap > REFINEMENT * noise[suspects])
        shift = (fine_left + fine_right - left[suspects] - right[suspects]).abs() / 2
        better = stays | (shift > REFINEMENT * noise[suspects])
        redone = suspects[better]
        left[redone], right[redone] = fine_left[better], fine_right[better]
        noise[redone] *= REFINEMENT
        is_kink[suspects] = stays
    return Differences((left + right) / 2, left, right, noise, is_kink)


def _one_sided(
    evaluate: Callable[[Tensor], Tensor], x: Tensor, entries: Tensor, h: Tensor, base: Tensor
) -> tuple[Tensor, Tensor]:
    at = x.flatten()[entries]
    slopes = []
    for sign in (-1, 1):
        moved = at + sign * h
        slopes.append((_values(evaluate, x, entries, moved) - base) / (moved - at))
    return slopes[0], slopes[1]


def _values(
    evaluate: Callable[[Tensor], Tensor], x: Tensor, entries: Tensor, moved: Tensor
) -> Tensor:
    """Values of the function with one entry moved at a time, in batches that fit into memory."""
    size = max(1, min(512, 2**20 // max(1, x.numel())))
    values = []
    for chunk, replacement in zip(entries.split(size), moved.split(size), strict=True):
        points = x.flatten().repeat(len(chunk), 1)  # (k, n)
        points[torch.arange(len(chunk), device=x.device), chunk] = replacement
        values.append(evaluate(points.view(len(chunk), *x.shape)))
    return torch.cat(values)
