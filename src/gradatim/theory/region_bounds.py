"""How many linear regions there can be, and how many there are for the best weights."""

from math import comb

from gradatim.errors import InvalidValue


def zaslavsky(m: int, n: int) -> int:
    r"""Most regions that ``m`` hyperplanes cut from n-space; attained in general position.

    .. math:: R(m) = \sum_{i=0}^{\min(n, m)} \binom{m}{i}

    It bounds the regions of one hidden layer of ``m`` ReLU units on ``n`` inputs.

    Args:
        m: Number of hyperplanes, or of hidden units.
        n: Dimension of the space.

    Example:
        >>> zaslavsky(3, 2), zaslavsky(6, 1)
        (7, 7)

    Reference:
        Zaslavsky, Facing up to Arrangements, 1975.
    """
    if m < 0 or n < 1:
        raise InvalidValue(f"zaslavsky: m must be >= 0 and n >= 1, got m={m}, n={n}.")
    return sum(comb(m, i) for i in range(n + 1))


def montufar(n: int, width: int, depth: int) -> int:
    r"""Regions that some ReLU network of the given shape reaches: a lower bound on the most possible.

    .. math:: R(m)\,\lfloor m/n \rfloor^{n(L-1)}

    It is a statement about the best weights, not about every network; random weights reach far fewer.

    Args:
        n: Number of inputs.
        width: :math:`m \ge n`, units in each hidden layer.
        depth: :math:`L`, number of hidden layers.

    Example:
        >>> montufar(n=2, width=4, depth=1), montufar(n=2, width=4, depth=3)
        (11, 176)

    Reference:
        Montúfar et al., On the Number of Linear Regions of Deep Neural Networks, 2014, cor. 6.
    """
    if n < 1 or width < n or depth < 1:
        raise InvalidValue(
            f"montufar: width must be >= n >= 1 and depth >= 1, got n={n}, width={width}, depth={depth}."
        )
    return zaslavsky(width, n) * (width // n) ** (n * (depth - 1))
