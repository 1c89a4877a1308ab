r"""How much an associative memory can hold: cross-talk, error of a bit, capacity."""

from math import erfc, log, log2, prod, sqrt

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.neurons.settling import as_states

TRANSITION = 0.138
"""Patterns per neuron beyond which random patterns stored by Hebb's rule are lost all at once."""


@takes_arrays
def crosstalk(patterns: Tensor) -> Tensor:
    r"""What the other patterns add to the drive of each neuron in a stored pattern.

    .. math:: C_{t,i} = \frac1d \sum_{j \ne i} \sum_{r \ne t} x_{r,i}\, x_{r,j}\, x_{t,j}

    A bit is unstable where :math:`-x_{t,i} C_{t,i}` exceeds :math:`1 - 1/d`. For random patterns
    :math:`C \sim N(0, n/d)`. The terms :math:`j = i` are left out, since :math:`w_{ii} = 0`; with them
    each pattern would support its own bits.

    Args:
        patterns: Values ±1, shape ``(n, d)``.

    Returns:
        Shape ``(n, d)``.

    Example:
        >>> import torch
        >>> crosstalk(torch.tensor([[1.0, 1, 1, 1], [1, 1, 1, -1]]))
        tensor([[ 0.2500,  0.2500,  0.2500, -0.7500],
                [ 0.2500,  0.2500,  0.2500,  0.7500]])
    """
    n, d = patterns.shape
    rows = as_states("crosstalk", "patterns", patterns, d)
    overlaps = rows @ rows.T  # (n, n), the pattern itself on the diagonal
    overlaps.fill_diagonal_(0.0)
    return (overlaps @ rows - (n - 1) * rows) / d


def bit_error(n: float, d: float) -> float:
    r"""Chance that the first update flips a bit of a stored pattern.

    .. math:: P = \tfrac12 \Big( 1 - \operatorname{erf} \sqrt{d / 2n} \Big)

    Args:
        n: Random patterns stored.
        d: Neurons.

    Example:
        >>> round(bit_error(138, 1000), 4)
        0.0036
    """
    require(n > 0 and d > 0, "bit_error: n and d must be positive", f"n={n}, d={d}")
    return 0.5 * erfc(sqrt(d / (2 * n)))


def hopfield_capacity(d: int) -> float:
    r"""Random patterns that ``d`` neurons recall with high probability.

    .. math:: n \le \frac{d}{2 \log_2 d}

    Asking that most patterns be stable without a single wrong bit gives :math:`d / (2 \ln d)`, all of
    them :math:`d / (4 \ln d)`; this bound lies between the two. If a few wrong bits are allowed, recall
    works up to :math:`0.138\,d`.

    Args:
        d: Neurons.

    Example:
        >>> hopfield_capacity(1024)
        51.2
    """
    require(d >= 2, "hopfield_capacity: d must be at least 2", d)
    return d / (2 * log2(d))


def dense_capacity(d: int, order: int) -> float:
    r"""Random patterns that a dense associative memory recalls without error.

    .. math:: n \approx \frac{d^{k-1}}{2\,(2k-3)!!\,\ln d}

    Args:
        d: Neurons.
        order: Degree :math:`k` of the interaction, at least 2.

    Example:
        >>> round(dense_capacity(100, 2)), round(dense_capacity(100, 3))
        (11, 362)

    Reference:
        Krotov and Hopfield, Dense associative memory for pattern recognition, 2016, eq. 6.
    """
    got = f"d={d}, order={order}"
    require(d >= 2 and order >= 2, "dense_capacity: d and order must be at least 2", got)
    return d ** (order - 1) / (2 * prod(range(1, 2 * order - 2, 2)) * log(d))
