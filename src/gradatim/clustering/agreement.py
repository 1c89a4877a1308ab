"""Whether two partitions of the same rows are the same, whatever their numbers."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def adjusted_rand(first: Tensor, second: Tensor) -> float:
    r"""The adjusted Rand index: 1 for equal partitions, 0 on average for partitions that know nothing of each other.

    Of all pairs of rows, how many are together in both partitions, beside what chance gives:

    .. math::
        \frac{S - S_a S_b / P}{(S_a + S_b)/2 - S_a S_b / P}, \qquad
        S = \sum_{ij} \binom{n_{ij}}{2},\ S_a = \sum_i \binom{n_{i\cdot}}{2},\ S_b = \sum_j \binom{n_{\cdot j}}{2},\ P = \binom{N}{2}

    :math:`n_{ij}` counts rows in part :math:`i` of the one and :math:`j` of the other.

    Args:
        first: A partition: whole numbers, shape ``(N,)``.
        second: Another.

    Example:
        >>> adjusted_rand([0, 0, 1, 1], [5, 5, 2, 2]), adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
        (1.0, -0.5)

    Reference:
        Hubert and Arabie, Comparing partitions, 1985.
    """
    is_same = first.ndim == second.ndim == 1 and len(first) == len(second) > 0
    require(is_same, "adjusted_rand: partitions must be of the same rows, shape (N,)", f"{tuple(first.shape)} and {tuple(second.shape)}")  # fmt: skip
    a, b = (part.unique(return_inverse=True)[1] for part in (first, second))
    table = torch.bincount(a * (int(b.max()) + 1) + b, minlength=(int(a.max()) + 1) * (int(b.max()) + 1))  # fmt: skip
    both, one, other = (_pairs(n) for n in (table, a.bincount(), b.bincount()))
    total = max(len(first) * (len(first) - 1) / 2, 1.0)
    by_chance = one * other  # all figures times the number of pairs, which keeps them whole
    most = total * (one + other) / 2
    return 1.0 if most == by_chance else (total * both - by_chance) / (most - by_chance)


def _pairs(counts: Tensor) -> float:
    n = counts.double()
    return float((n * (n - 1) / 2).sum())
