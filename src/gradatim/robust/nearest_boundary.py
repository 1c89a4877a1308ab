r"""The nearest decision boundary of a linear classifier.

Class :math:`k` takes over from class :math:`i` where :math:`f_k-f_i\ge 0`. With the gap
:math:`g_k=f_i(x)-f_k(x)` and the normal :math:`a_k=\nabla f_k-\nabla f_i`,

.. math::
    \min_\eta\lVert\eta\rVert_p \;\text{ subject to }\; a_k^\top\eta\ge g_k
    \qquad\text{gives}\qquad
    \lVert\eta_k\rVert_p=\frac{g_k}{\lVert a_k\rVert_q}, \quad
    \eta_k=\frac{g_k}{\lVert a_k\rVert_q}\,v^*(a_k)

with the dual norm :math:`q` and the steepest direction :math:`v^*` of :mod:`gradatim.robust.norms`. Inside
a box, :mod:`gradatim.robust.water_filling` finds :math:`\eta_k`. The nearest of all classes is taken.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.robust.norms import dual_norm, steepest
from gradatim.robust.water_filling import fill_box


class Crossing(NamedTuple):
    """Shortest way to a boundary: ``perturbation`` (B, d), its ``distance`` (B,), ``place`` (B,) of the class."""

    perturbation: Tensor
    distance: Tensor
    place: Tensor


def nearest_boundary(
    gaps: Tensor, normals: Tensor, p: float, box: tuple[Tensor, Tensor] | None = None
) -> Crossing:
    r"""Find the smallest perturbation that brings one of :math:`C` classes level with the present one.

    Args:
        gaps: :math:`g_k`, at least 0, shape ``(B, C)``.
        normals: :math:`a_k`, shape ``(B, C, d)``.
        p: The norm.
        box: Least and largest perturbation allowed in every coordinate, each of shape ``(B, d)``.

    Returns:
        Where no class can be reached, the distance is infinite and the perturbation zero.

    Example:
        >>> nearest_boundary(torch.tensor([[10.0]]), torch.tensor([[[3.0, 4.0]]]), 2.0).perturbation
        tensor([[1.2000, 1.6000]])
    """
    if box is not None:
        low, high = (side.unsqueeze(1) for side in box)  # (B, 1, d)
        room = torch.where(normals > 0, high, -low)  # (B, C, d)
        moves = fill_box(gaps, normals.abs(), room, p)
        steps = normals.sign() * moves.nan_to_num(0.0)  # (B, C, d)
        distances = torch.linalg.vector_norm(moves, ord=p, dim=-1).nan_to_num(torch.inf)
    else:
        sizes = dual_norm(normals, p)  # (B, C)
        distances = torch.where(gaps > 0, gaps / sizes, 0.0)
        steps = None
    distance, place = distances.min(1)
    rows = torch.arange(len(gaps), device=gaps.device)
    if steps is not None:
        return Crossing(steps[rows, place], distance, place)
    direction = steepest(normals[rows, place], p)
    length = torch.where(distance.isfinite(), distance, 0.0)
    return Crossing(length.unsqueeze(1) * direction, distance, place)
