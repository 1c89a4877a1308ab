"""Distances of rows, a block at a time."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

BLOCK = 1 << 23  # distances that are held at once
_FEW = 8  # numbers of a row, up to which differences are as fast as products


def row_distances(a: Tensor, b: Tensor) -> Tensor:
    """Euclidean distances ``(N, M)``; of short rows exact, of long ones by products, to about seven digits of doubles."""
    mode = "donot_use_mm_for_euclid_dist" if a.shape[1] <= _FEW else "use_mm_for_euclid_dist"
    return torch.cdist(a, b, compute_mode=mode)


@takes_arrays
@torch.no_grad()
def nearest_rows(points: Tensor, rows: Tensor, num_neighbours: int = 1) -> tuple[Tensor, Tensor]:
    """Find the nearest rows of every point.

    Args:
        points: Shape ``(N, ...)``.
        rows: Shape ``(M, ...)``, at least ``num_neighbours``.
        num_neighbours: :math:`k`, how many.

    Returns:
        Distances and places, each ``(N, k)``, nearest first.

    Example:
        >>> nearest_rows(torch.tensor([[2.0]]), torch.tensor([[0.0], [1.5], [9.0]]))
        (tensor([[0.5000]], dtype=torch.float64), tensor([[1]]))
    """
    rule = "nearest_rows: points and rows must be rows of the same numbers"
    fit = points.ndim > 1 and points.shape[1:] == rows.shape[1:]
    require(fit, rule, f"{tuple(points.shape)} and {tuple(rows.shape)}")
    require(1 <= num_neighbours <= len(rows), "nearest_rows: num_neighbours must be from 1 to the number of rows", f"{num_neighbours} of {len(rows)}")  # fmt: skip
    points, rows = points.double().flatten(1), rows.double().flatten(1)
    blocks = points.split(max(1, BLOCK // len(rows)))
    found = [row_distances(block, rows).topk(num_neighbours, largest=False) for block in blocks]
    return torch.cat([each[0] for each in found]), torch.cat([each[1] for each in found])
