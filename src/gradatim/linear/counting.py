r"""How many ways can hyperplanes label points? Cover's count, and the labelings themselves."""

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradatim.errors import require
from gradatim.linear.separability import halfspace


def cover_count(n: int, d: int) -> int:
    r"""Number of labelings of ``n`` points that hyperplanes through the origin can make.

    .. math:: C(n, d) = 2 \sum_{i=0}^{d-1} \binom{n-1}{i}

    It holds for points in general position (every ``d`` of them linearly independent), equals
    :math:`2^n` while :math:`n \le d` and exactly half of that at :math:`n = 2d`. Hyperplanes with an
    intercept in ``d`` dimensions count as ``d + 1``.

    Args:
        n: Number of points.
        d: Dimensions.

    Example:
        >>> cover_count(4, 3)  # four points of the plane, lines with an intercept: all but XOR and XNOR
        14

    Reference:
        Cover, Geometrical and statistical properties of systems of linear inequalities, 1965.
    """
    require(n >= 1 and d >= 1, "cover_count: n and d must be at least 1", f"n={n}, d={d}")
    return 2 * sum(comb(n - 1, i) for i in range(d))


def dichotomies(points: ArrayLike) -> NDArray[np.int8]:
    r"""List every labeling of the points that a hyperplane through the origin makes.

    .. math:: \{ t \in \{\pm 1\}^n \mid \exists w: t_i\, w^\top x_i > 0 \;\;\forall i \}

    Points are added one at a time. Each labeling so far carries a witness :math:`w`, which labels the
    new point at no cost; a linear program decides about the other label.

    Args:
        points: Shape ``(n, d)``, in any position.

    Returns:
        Labelings, shape ``(count, n)``, with values -1 and 1.

    Example:
        >>> len(dichotomies([[1, 0], [0, 1], [1, 1]]))
        6
    """
    rows = np.asarray(points, dtype=float)
    rule = "dichotomies: points must have shape (n, d)"
    require(rows.ndim == 2 and len(rows) != 0, rule, rows.shape)
    first = rows[0]
    if not first.any():
        return np.zeros((0, len(rows)), dtype=np.int8)
    # A labeling and its mirror image are made together, so the first label may be fixed at +1.
    labelings = np.ones((1, 1))
    witnesses = first[None] / (first @ first)
    for k in range(1, len(rows)):
        labelings, witnesses = _extend(rows[: k + 1], labelings, witnesses)
    half = labelings.astype(np.int8)
    return np.concatenate([half, -half])


def _extend(
    rows: NDArray[np.float64], labelings: NDArray[np.float64], witnesses: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    grown, found = [], []
    activations = witnesses @ rows[-1]
    free = np.abs(activations) > 1e-9 * np.linalg.norm(rows[-1])
    for labeling, witness, activation, settled in zip(
        labelings, witnesses, activations, free, strict=True
    ):
        for label in (1.0, -1.0):
            longer = np.append(labeling, label)
            known = settled and label * activation > 0
            v = witness if known else halfspace(longer[:, None] * rows)
            if v is not None:
                grown.append(longer)
                found.append(v)
    return np.array(grown).reshape(-1, len(rows)), np.array(found).reshape(-1, rows.shape[1])
