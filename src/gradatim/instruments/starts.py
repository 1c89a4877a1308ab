"""Descend from many starts at once, to see how many minima there are and how good the best is."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.instruments.vector_objective import VectorObjective


class MultiStart(NamedTuple):
    """Where descent from many starts ends.

    Attributes:
        points: End points, shape ``(S, d)``.
        values: VectorObjective there, shape ``(S,)``.
        minima: End points that differ, lowest first, shape ``(M, d)``.
        counts: How many starts ended at each, shape ``(M,)``.
    """

    points: Tensor
    values: Tensor
    minima: Tensor
    counts: Tensor


@takes_arrays
def multi_start(
    function: VectorObjective, starts: Tensor, *, lr: float, steps: int, tol: float = 1e-3
) -> MultiStart:
    r"""Run gradient descent from every start, all in one batch, and tell the end points apart.

    Descent finds the minimum of the valley it starts in; the lowest of many ends is the best guess at the
    global minimum.

    Args:
        function: :math:`h`, a scalar function of a vector, in operations that ``torch.func.vmap`` knows.
        starts: First points, shape ``(S, d)``.
        lr: :math:`\eta`.
        steps: Number of steps.
        tol: End points closer than this count as one.

    Example:
        >>> ends = multi_start(lambda w: (w.square() - 1).square().sum(), torch.tensor([[-2.0], [0.1], [1.5]]),
        ...     lr=0.05, steps=200)
        >>> ends.minima.flatten().sort().values, ends.counts.sort().values
        (tensor([-1.0000,  1.0000]), tensor([1, 2]))
    """
    if starts.ndim != 2 or len(starts) == 0:
        raise InvalidValue(
            f"multi_start: starts must have shape (S, d), got {tuple(starts.shape)}. Try starts[None]."
        )
    slopes = torch.func.vmap(torch.func.grad(function))
    points = starts.detach().clone()
    for _ in range(steps):
        points -= lr * slopes(points)
    with torch.no_grad():
        values = torch.func.vmap(function)(points)
    return MultiStart(points, values, *_distinct(points, values, tol))


def _distinct(points: Tensor, values: Tensor, tol: float) -> tuple[Tensor, Tensor]:
    """Take the lowest point, drop all near it, and go on with the rest."""
    # not-a-number sorts last
    left = points[values.argsort()]
    minima, counts = [], []
    while len(left):
        near = (left - left[0]).norm(dim=1) < tol
        near[0] = True  # also if it has left the finite numbers
        minima.append(left[0])
        counts.append(int(near.sum()))
        left = left[~near]
    return torch.stack(minima), torch.tensor(counts)
