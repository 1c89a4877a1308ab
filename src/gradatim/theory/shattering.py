r"""What a family of classifiers can say about given points, and how many of them it shatters.

.. math:: \mathcal F(S) = \{(f(x_1),\dots,f(x_n)) : f\in\mathcal F\}, \qquad
    \mathcal F(n) = \max_{|S|=n}|\mathcal F(S)|, \qquad
    \mathrm{VC}(\mathcal F) = \max\{n : \mathcal F(n)=2^n\}

==============  ===========================================  ==============================================  ==============
family          :math:`f(x)=1` where                         :math:`\mathcal F(n)`                           VC dimension
==============  ===========================================  ==============================================  ==============
thresholds      :math:`x>t`                                  :math:`n+1`                                     1
intervals       :math:`a<x<b`                                :math:`n(n+1)/2+1`                              2
half-spaces     :math:`w^\top x+b>0`                         :math:`2\sum_{i\le d}\binom{n-1}{i}`            :math:`d+1`
rectangles      :math:`a_j<x_j<b_j` for all :math:`j\le d`   counted                                         :math:`2d`
sines           :math:`\sin\omega x>0`                       :math:`2^n`                                     :math:`\infty`
==============  ===========================================  ==============================================  ==============

One parameter can shatter any number of points (sines), so that the number of parameters is not the capacity. In the place
of a name may stand a function that builds a network: its labelings are found by training, and are a lower bound.
"""

import math
from collections.abc import Callable
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import choose, require
from gradatim.linear import cover_count, dichotomies
from gradatim.theory.labeling_search import (
    Build,
    Labelings,
    Points,
    all_labelings,
    learned_labelings,
    search_dimension,
)

MOST_POINTS, MOST_ORDERS = 16, 50_000  # of which all subsets, all orders are tried


def _thresholds(x: Points) -> Labelings:
    cuts = np.append(-np.inf, np.unique(x[:, 0]))
    return x[:, 0] > cuts[:, None]


def _intervals(x: Points) -> Labelings:
    return _rectangles(x)


def _half_spaces(x: Points) -> Labelings:
    return dichotomies(np.column_stack([x, np.ones(len(x))])) > 0


def _rectangles(x: Points) -> Labelings:
    """A set of points is cut out by a rectangle if the smallest one around it holds no others."""
    inside = all_labelings(len(x))  # (2ⁿ, n)
    low = np.where(inside[..., None], x, np.inf).min(1)  # (2ⁿ, d)
    high = np.where(inside[..., None], x, -np.inf).max(1)
    held = ((low[:, None] <= x) & (x <= high[:, None])).all(2)
    return inside[(held == inside).all(1)]


def _sines(x: Points) -> Labelings:
    r"""Signs change where :math:`\omega x_i` is a multiple of :math:`\pi`: one frequency between each two changes, up to the
    period of points whose ratios are whole, and up to many turns of others."""
    values = x[:, 0]
    sizes = np.abs(values[values != 0])
    if not len(sizes):
        return np.zeros((1, len(x)), dtype=bool)
    turns = min(2 * sizes.max() / sizes.min(), MOST_ORDERS / len(sizes))
    changes = np.unique(np.concatenate([np.arange(1, turns * size / sizes.max() + 2) / size for size in sizes]))  # fmt: skip
    changes = np.concatenate([[0.0], changes, -changes])
    changes.sort()
    middle = (changes[1:] + changes[:-1]) / 2
    return np.unique(np.sin(np.pi * middle[:, None] * values) > 0, axis=0)


FAMILIES: dict[str, Callable[[Points], Labelings]] = {
    "thresholds": _thresholds,
    "intervals": _intervals,
    "half-spaces": _half_spaces,
    "rectangles": _rectangles,
    "sines": _sines,
}
ON_A_LINE = ("thresholds", "intervals", "sines")


def labelings(family: str | Build, points: ArrayLike, *, seed: int = 0) -> Labelings:
    r"""List :math:`\mathcal F(S)`: every labeling of the points that some member of the family makes.

    Exact, but for sines at points whose ratios are not whole numbers and for networks, where it is a lower bound.

    Args:
        family: ``"thresholds"``, ``"intervals"``, ``"half-spaces"``, ``"rectangles"`` or ``"sines"``; or a function that
            builds a network with one output, such as ``lambda: MLP((2, 3, 1))``, which is trained on every labeling.
        points: Shape ``(n, d)``, or ``(n,)`` on a line; at most 16, of a network 10.
        seed: Of a network's starts.

    Returns:
        Different labelings, shape ``(count, n)``.

    Example:
        >>> labelings("thresholds", [1.0, 2.0]).astype(int).tolist()
        [[1, 1], [0, 1], [0, 0]]
    """
    if isinstance(family, str):
        choose("labelings", "family", family, FAMILIES)
    x = np.asarray(points, dtype=np.float64)
    x = x[:, None] if x.ndim == 1 else x
    rule = "labelings: points must have shape (n,) or (n, d), n from 1 to"
    require(x.ndim == 2 and 1 <= len(x) <= MOST_POINTS and x.shape[1], f"{rule} {MOST_POINTS}", x.shape)  # fmt: skip
    if not isinstance(family, str):
        return learned_labelings(family, x, seed)
    is_flat = family not in ON_A_LINE or x.shape[1] == 1
    require(is_flat, f"labelings: points of {family} must lie on a line, shape (n,)", x.shape)
    return FAMILIES[family](x)


def shatters(family: str | Build, points: ArrayLike, *, seed: int = 0) -> bool:
    """Whether the family makes every labeling of the points; of a network, whether it was seen to.

    Args:
        family: As in :func:`labelings`.
        points: Shape ``(n, d)``, or ``(n,)`` on a line.
        seed: Of a network's starts.

    Example:
        >>> shatters("half-spaces", [[0, 0], [0, 1], [1, 0]]), shatters("half-spaces", [[0, 0], [0, 1], [1, 0], [1, 1]])
        (True, False)
    """
    found = labelings(family, points, seed=seed)
    return len(found) == 2 ** found.shape[1]


def growth_function(family: str, n: int, *, dim: int = 1) -> int:
    r"""The most labelings that the family makes of any :math:`n` points.

    Of rectangles only the order of the points along every axis matters, and all orders are tried.

    Args:
        family: As in :func:`labelings`.
        n: Number of points.
        dim: Dimensions :math:`d` of half-spaces and rectangles.

    Example:
        >>> [growth_function("intervals", n) for n in (1, 2, 3)]
        [2, 4, 7]
    """
    owner = "growth_function"
    choose(owner, "family", family, FAMILIES)
    require(n >= 1 and dim >= 1, f"{owner}: n and dim must be at least 1", f"n={n}, dim={dim}")
    if family == "rectangles" and dim > 1:
        orders = math.factorial(n) ** (dim - 1)
        rule = f"{owner}: n must leave at most {MOST_ORDERS:,} orders of rectangles to try"
        require(n <= MOST_POINTS and orders <= MOST_ORDERS, rule, f"n={n}, dim={dim}")
        line = list(permutations(range(n)))
        clouds = (np.column_stack([range(n), *axes]).astype(float) for axes in product(line, repeat=dim - 1))  # fmt: skip
        return max(len(_rectangles(cloud)) for cloud in clouds)
    return {
        "thresholds": n + 1,
        "intervals": n * (n + 1) // 2 + 1,
        "rectangles": n * (n + 1) // 2 + 1,
        "half-spaces": cover_count(n, dim + 1),
        "sines": 2**n,
    }[family]


def vc_dimension(family: str | Build, *, dim: int = 1, seed: int = 0) -> float:
    """The most points that the family shatters; infinite for sines.

    Of a network it is a lower bound, found by search: the most points, at most 10, of which one of three random sets was
    seen to be shattered.

    Args:
        family: As in :func:`labelings`.
        dim: Dimensions of half-spaces, rectangles and of a network's inputs.
        seed: Of a network's points and starts.

    Example:
        >>> vc_dimension("half-spaces", dim=2), vc_dimension("sines")
        (3, inf)
    """
    require(dim >= 1, "vc_dimension: dim must be at least 1", dim)
    if not isinstance(family, str):
        return search_dimension(family, dim, seed)
    choose("vc_dimension", "family", family, FAMILIES)
    known = {"thresholds": 1, "intervals": 2, "half-spaces": dim + 1, "rectangles": 2 * dim}
    return known.get(family, math.inf)
