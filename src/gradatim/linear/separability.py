r"""Can a hyperplane separate two classes? The widest one, or the proof that there is none.

Write :math:`t_i = \pm 1` for the class of :math:`x_i` and :math:`z_i = t_i (x_i, 1)`. Exactly one of two
linear programs has a solution (Farkas):

.. math::
    \exists v:\; z_i^\top v \ge 1 \;\;\forall i
    \qquad\text{or}\qquad
    \exists \alpha \ge 0:\; \sum_i \alpha_i = 1,\; \sum_i \alpha_i z_i = 0

The second says that the convex hulls of the classes share a point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from gradatim.errors import require

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Separation:
    """What :func:`separate` found: a hyperplane, or a point that both classes share.

    Args:
        separable: Whether some hyperplane has all of one class strictly on each side.
        classes: The two labels; the weights point towards the second.
        weights: Unit normal of the hyperplane of maximal margin, ``None`` where there is none.
        bias: Its offset.
        margin: Distance of the nearest point from the hyperplane, zero where there is none.
        coefficients: Certificate, one number per point: convex combinations of the first class and of
            the second that meet (each class's numbers sum to 1; without an intercept all of them do).
        shared_point: Where the two combinations meet.
        residual: Distance between the two combinations, zero up to rounding.
    """

    separable: bool
    classes: tuple[Any, Any]
    weights: Array | None = None
    bias: float | None = None
    margin: float = 0.0
    coefficients: Array | None = None
    shared_point: Array | None = None
    residual: float | None = None


def separate(X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = True) -> Separation:
    r"""Find the hyperplane of maximal margin between two classes, or certify that none separates them.

    .. math:: \max_{\|w\|=1,\,b}\ \min_i\ t_i\,(w^\top x_i + b)

    Linear programming decides; then the maximal margin is half the distance between the convex hulls,
    found exactly by Wolfe's active-set method, and the certificate comes from the dual program.

    Args:
        X: Points, shape ``(n, d)``.
        y: Their labels, two distinct values.
        fit_intercept: Whether the hyperplane may leave the origin. Without, :math:`b = 0`, and the
            certificate puts the origin into the hull of the points :math:`t_i x_i`.

    Returns:
        A :class:`Separation`.

    Example:
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> separate(corners, [0, 0, 0, 1]).margin  # AND: half of 1/sqrt(2)
        0.35355...
        >>> separate(corners, [0, 1, 1, 0]).shared_point  # XOR: both diagonals cross here
        array([0.5, 0.5])

    Reference:
        Wolfe, Finding the nearest point in a polytope, 1976.
    """
    points, targets, classes = _signed_labels("separate", X, y)
    centre = points.mean(axis=0) if fit_intercept else np.zeros(points.shape[1])
    scale = float(np.abs(points - centre).max()) or 1.0
    scaled = (points - centre) / scale
    augmented = np.column_stack([scaled, np.ones(len(points))]) if fit_intercept else scaled
    if halfspace(targets[:, None] * augmented) is None:
        return _certificate(points, targets, classes, augmented)
    weights, offset = _widest(scaled, targets, fit_intercept)
    bias = offset * scale - float(weights @ centre)
    margin = float((targets * signed_distance(points, weights, bias)).min())
    return Separation(True, classes, weights, bias, margin)


def signed_distance(X: ArrayLike, weights: ArrayLike, bias: float = 0.0) -> Array:
    r"""Distance of each point from a hyperplane, positive on the side its normal points to.

    .. math:: d(x) = \frac{w^\top x + b}{\|w\|}

    Args:
        X: Points, shape ``(..., d)``.
        weights: Normal :math:`w`, shape ``(d,)``, not zero.
        bias: Offset :math:`b`.

    Example:
        >>> signed_distance([0, 0], weights=[1, 1], bias=-1.2)  # of the origin
        array(-0.8485...)
    """
    normal = np.asarray(weights, dtype=float)
    length = float(np.linalg.norm(normal))
    require(length != 0, "signed_distance: weights must not all be zero", normal)
    return np.asarray((np.asarray(X, dtype=float) @ normal + bias) / length)


def in_version_space(X: ArrayLike, y: ArrayLike, weights: ArrayLike) -> NDArray[np.bool_]:
    r"""Whether each weight vector classifies all points correctly, without an intercept.

    .. math:: \mathcal V = \{ w \mid t_i\, w^\top x_i > 0 \;\;\forall i \}

    Args:
        X: Points, shape ``(n, d)``; append a column of ones for hyperplanes with an intercept.
        y: Their labels, two distinct values; weights point towards the larger.
        weights: Candidates, shape ``(..., d)``.

    Example:
        >>> in_version_space([[1, 0], [0, 1]], [1, -1], [[1, -1], [1, 1]])
        array([ True, False])
    """
    points, targets, _ = _signed_labels("in_version_space", X, y)
    activations = np.asarray(weights, dtype=float) @ (targets[:, None] * points).T  # (..., n)
    return np.asarray((activations > 0).all(axis=-1))


def halfspace(rows: Array) -> Array | None:
    """A vector whose product with every row is at least one, or ``None`` where there is none."""
    n, d = rows.shape
    solved = linprog(np.zeros(d), A_ub=-rows, b_ub=-np.ones(n), bounds=(None, None))
    return solved.x


def maximal_margin(rows: Array) -> tuple[Array, float]:
    """Unit vector with the largest smallest product with the rows, and that product.

    The rows must lie strictly on one side of some hyperplane through the origin.
    """
    nearest = _nearest_point(lambda x: rows[(rows @ x).argmin()], rows[0])
    weights = nearest / np.linalg.norm(nearest)
    return weights, float((rows @ weights).min())


def require_paired(owner: str, points: Array, labels: NDArray[Any], argument: str) -> None:
    """Raise unless ``points`` are rows and there is one label for each."""
    is_paired = points.ndim == 2 and labels.shape == points.shape[:1]
    got = f"{points.shape} and {labels.shape}"
    require(is_paired, f"{owner}: X and {argument} must have shapes (n, d) and (n,)", got)


def _signed_labels(owner: str, X: ArrayLike, y: ArrayLike) -> tuple[Array, Array, tuple[Any, Any]]:
    points, labels = np.asarray(X, dtype=float), np.asarray(y)
    require_paired(owner, points, labels, "y")
    is_finite, bad = np.isfinite(points).all(), "NaN or infinity"
    require(is_finite, f"{owner}: X must be finite", bad, "Drop or impute them.")
    classes = np.unique(labels)
    require(len(classes) == 2, f"{owner}: y must hold two distinct labels", len(classes))
    low, high = classes.tolist()
    return points, np.where(labels == high, 1.0, -1.0), (low, high)


def _certificate(
    points: Array, targets: Array, classes: tuple[Any, Any], augmented: Array
) -> Separation:
    n, d = augmented.shape
    slack = np.eye(d)
    equations = np.block(
        [
            [(targets[:, None] * augmented).T, slack, -slack],
            [np.ones((1, n)), np.zeros((1, 2 * d))],
        ]
    )
    cost = np.concatenate([np.zeros(n), np.ones(2 * d)])
    solution = linprog(cost, A_eq=equations, b_eq=np.append(np.zeros(d), 1.0)).x
    assert solution is not None  # the slack makes the program feasible
    alpha = np.clip(solution[:n], 0.0, None)
    if d == points.shape[1]:  # no intercept
        alpha /= alpha.sum()
        gap, shared = (alpha * targets) @ points, np.zeros(d)
    else:
        for sign in (1.0, -1.0):
            alpha[targets == sign] /= alpha[targets == sign].sum()
        gap, shared = (alpha * targets) @ points, (alpha / 2) @ points
    return Separation(
        False, classes, coefficients=alpha, shared_point=shared, residual=float(np.linalg.norm(gap))
    )


def _widest(points: Array, targets: Array, fit_intercept: bool) -> tuple[Array, float]:
    if not fit_intercept:
        return maximal_margin(targets[:, None] * points)[0], 0.0
    high, low = points[targets > 0], points[targets < 0]
    nearest = _nearest_point(
        lambda x: high[(high @ x).argmin()] - low[(low @ x).argmax()], high[0] - low[0]
    )
    weights = nearest / np.linalg.norm(nearest)
    return weights, -float((high @ weights).min() + (low @ weights).max()) / 2


def _nearest_point(lowest: Callable[[Array], Array], start: Array) -> Array:
    """Point of a polytope nearest the origin; ``lowest(x)`` is the corner with the least product with x."""
    corners, shares = start[None], np.ones(1)
    nearest = start
    while True:
        corner = lowest(nearest)
        if nearest @ (nearest - corner) <= 1e-13 * (nearest @ nearest):
            return nearest
        corners, shares = _affine_steps(np.vstack([corners, corner]), np.append(shares, 0.0))
        closer = shares @ corners
        if closer @ closer >= nearest @ nearest:  # rounding allows no more
            return nearest
        nearest = closer


def _affine_steps(corners: Array, shares: Array) -> tuple[Array, Array]:
    """Walk to the nearest point of the corners' affine hull, dropping corners that would count negatively."""
    while True:
        rest = np.linalg.lstsq((corners[1:] - corners[0]).T, -corners[0], rcond=None)[0]
        target = np.concatenate([[1.0 - rest.sum()], rest])
        if (target > 0).all():
            return corners, target
        lost = np.full(len(shares), np.inf)
        falling = target <= 0
        lost[falling] = shares[falling] / (shares[falling] - target[falling]).clip(1e-300)
        out = int(lost.argmin())
        shares = np.delete(shares + lost[out] * (target - shares), out).clip(0.0)
        corners, shares = np.delete(corners, out, axis=0), shares / shares.sum()
