"""Choosing units one by one: greedy approximation from a dictionary."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.threads import limit_threads


class GreedyFit(NamedTuple):
    """Columns chosen, in order, and the mean squared error after each, shape ``(num_terms,)``."""

    indices: Tensor
    squared_errors: Tensor


@takes_arrays
def choose_greedily(target: Tensor, dictionary: Tensor, num_terms: int) -> GreedyFit:
    r"""Orthogonal greedy approximation of a function by a constant and a few of many units.

    .. math:: j_m = \arg\max_j \frac{|\langle r_{m-1}, g_j \rangle|}{\lVert P_{m-1} g_j \rVert}, \qquad
        r_m = \text{target} - \text{its projection on } \operatorname{span}\{1, g_{j_1}, \ldots, g_{j_m}\}

    where :math:`P_{m-1}` removes what the units chosen so far explain: each step takes the unit that
    leaves the smallest error. Each residual costs one pass over the dictionary.

    Args:
        target: Values at the points, shape ``(N,)``.
        dictionary: One column per unit, shape ``(N, D)``.
        num_terms: Units to choose, fewer than ``N`` and at most ``D``; fewer are chosen where they span
            all that the dictionary spans.

    Example:
        >>> fit = choose_greedily(torch.tensor([3.0, 1.0, 2.0, 2.0]), torch.eye(4), 2)
        >>> fit.indices.tolist()
        [0, 1]

    Reference:
        Jones, A Simple Lemma on Greedy Approximation in Hilbert Space, 1992. There the residual is
        relaxed; here it is projected, which can only lower the error.
    """
    num_points, num_units = dictionary.shape
    if target.shape != (num_points,):
        raise InvalidValue(
            f"choose_greedily: target must have shape ({num_points},), got {tuple(target.shape)}."
        )
    if not 1 <= num_terms <= min(num_units, num_points - 1):
        raise InvalidValue(
            "choose_greedily: num_terms must be positive, at most the number of units and less than the "
            f"number of points, got {num_terms} for {num_units} units and {num_points} points."
        )
    with limit_threads(1):
        return _choose(target.double(), dictionary.double(), num_terms)


def _choose(target: Tensor, dictionary: Tensor, num_terms: int) -> GreedyFit:
    columns = dictionary - dictionary.mean(dim=0)
    residual = target - target.mean()
    norms = columns.square().sum(dim=0)  # of what is not explained yet, as are the products
    products = residual @ columns
    smallest = 1e-10 * norms.max()
    basis, indices, errors = columns.new_zeros(num_terms, len(target)), [], []
    for term in range(num_terms):
        if not (norms > smallest).any():
            break
        gain = torch.where(norms > smallest, products.square() / norms, -1.0)
        best = int(gain.argmax())
        unit = columns[:, best]
        for _ in range(2):  # a second time, for what rounding left
            unit = unit - (basis[:term] @ unit) @ basis[:term]
        basis[term] = unit = unit / unit.norm()
        overlap = unit @ columns
        norms, products = norms - overlap.square(), products - (unit @ residual) * overlap
        residual = residual - (unit @ residual) * unit
        indices.append(best)
        errors.append(residual.square().mean())
    return GreedyFit(torch.tensor(indices), torch.stack(errors))
