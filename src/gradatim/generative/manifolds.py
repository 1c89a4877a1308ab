"""Two questions instead of one distance: are samples like data, and is all of the data among the samples."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.nearest import BLOCK, row_distances


class PrecisionRecall(NamedTuple):
    """Share of samples within the data, and share of data within the samples."""

    precision: float
    recall: float


@takes_arrays
@torch.no_grad()
def inside_manifold(points: Tensor, rows: Tensor, *, num_neighbours: int = 3) -> Tensor:
    r"""Say which points lie within reach of a row: no farther than that row's :math:`k`-th nearest other row.

    .. math:: f(p) = \exists\, i:\ \lVert p - r_i\rVert \le \lVert r_i - \mathrm{NN}_k(r_i)\rVert

    Args:
        points: Shape ``(N, D)``.
        rows: Shape ``(M, D)``, more than ``num_neighbours``; the manifold is the union of balls around them.
        num_neighbours: :math:`k`, which neighbour gives a ball its radius.

    Returns:
        Truth values, shape ``(N,)``.

    Example:
        >>> rows = torch.tensor([[0.0], [1.0], [2.0]])
        >>> inside_manifold(torch.tensor([[2.5], [9.0]]), rows, num_neighbours=1)
        tensor([ True, False])

    Reference:
        Kynkäänniemi et al., Improved Precision and Recall Metric for Assessing Generative Models, 2019.
    """
    rule = "inside_manifold: points and rows must be rows of the same numbers"
    fit = points.ndim == rows.ndim == 2 and points.shape[1] == rows.shape[1]
    require(fit, rule, f"{tuple(points.shape)} and {tuple(rows.shape)}")
    rule = "inside_manifold: num_neighbours must be at least 1 and below the number of rows"
    require(1 <= num_neighbours < len(rows), rule, f"{num_neighbours} of {len(rows)}")
    points, rows = points.double(), rows.double()
    step = max(1, BLOCK // len(rows))
    reach = torch.cat([
        row_distances(block, rows).topk(num_neighbours + 1, largest=False)[0][:, -1]  # its nearest is the row itself
        for block in rows.split(step)
    ])  # fmt: skip
    return torch.cat([(row_distances(block, rows) <= reach).any(1) for block in points.split(step)])


@takes_arrays
def precision_recall(
    real: Tensor, generated: Tensor, *, num_neighbours: int = 3
) -> PrecisionRecall:
    r"""Improved precision and recall of samples.

    .. math:: \text{precision} = \frac1N\sum_{i}f(g_i;\,\text{real}), \qquad
        \text{recall} = \frac1M\sum_{j}f(r_j;\,\text{generated})

    A generator that has only one good sample is precise, and recalls nothing.

    Args:
        real: Features of data, shape ``(M, D)``.
        generated: Features of samples, shape ``(N, D)``.
        num_neighbours: As in :func:`inside_manifold`.

    Example:
        >>> real = torch.tensor([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
        >>> precision_recall(real, real[:3], num_neighbours=1)
        PrecisionRecall(precision=1.0, recall=0.5)
    """
    inside = (
        inside_manifold(generated, real, num_neighbours=num_neighbours),
        inside_manifold(real, generated, num_neighbours=num_neighbours),
    )
    return PrecisionRecall(*(float(each.double().mean()) for each in inside))
