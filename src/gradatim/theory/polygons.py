"""Convex polygons by the thousand: one array, cut by lines in a few array operations.

A set of polygons is an array of vertices, shape ``(P, V, 2)``, in order around each polygon; polygons with
fewer than ``V`` vertices repeat their last one.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def box_polygon(domain: tuple[tuple[float, float], tuple[float, float]]) -> Array:
    """The box as a set of one polygon, shape ``(1, 4, 2)``."""
    (x0, x1), (y0, y1) = domain
    return np.array([[[x0, y0], [x1, y0], [x1, y1], [x0, y1]]], dtype=np.float64)


def signed_distance(vertices: Array, lines: Array, tol: float) -> Array:
    r"""Distance of each vertex from its polygon's line, 0 within ``tol``.

    .. math:: d = (a^\top v + c) / \lVert a \rVert

    Args:
        vertices: Shape ``(P, V, 2)``.
        lines: Rows :math:`(a_1, a_2, c)`, one per polygon; for :math:`a = 0` the distance is
            :math:`\pm\infty` by the sign of :math:`c`, and 0 for :math:`c = 0`.
        tol: Below this, a vertex lies on the line.
    """
    norm = np.hypot(lines[:, 0], lines[:, 1])
    constant = norm == 0.0
    scaled = lines / np.where(constant, 1.0, norm)[:, None]
    distance = np.einsum("pvk,pk->pv", vertices, scaled[:, :2]) + scaled[:, 2, None]
    distance[np.abs(distance) <= tol] = 0.0
    return np.where(constant[:, None], _signed_infinity(lines[:, 2])[:, None], distance)


def _signed_infinity(values: Array) -> Array:
    return np.where(values == 0.0, 0.0, np.copysign(np.inf, values))


def split(vertices: Array, distance: Array) -> tuple[Array, Array]:
    """Cut every polygon in two along its line.

    Args:
        vertices: Polygons with vertices strictly on both sides of their lines, shape ``(P, V, 2)``.
        distance: Signed distance of each vertex, shape ``(P, V)``.

    Returns:
        The parts on the positive and on the negative side, each a set of ``P`` polygons.
    """
    after, d_after = np.roll(vertices, -1, axis=1), np.roll(distance, -1, axis=1)
    crosses = distance * d_after < 0.0
    share = np.where(crosses, distance, 0.0) / np.where(crosses, distance - d_after, 1.0)
    crossing = vertices + share[..., None] * (after - vertices)
    is_repeat = np.zeros(distance.shape, dtype=bool)
    is_repeat[:, 1:] = (vertices[:, 1:] == vertices[:, :-1]).all(axis=-1)
    # vertex 0, crossing of edge 0, vertex 1, crossing of edge 1, …
    points = np.stack((vertices, crossing), axis=2).reshape(len(vertices), -1, 2)
    kept = [
        np.stack(((side >= 0.0) & ~is_repeat, crosses), axis=2).reshape(len(vertices), -1)
        for side in (distance, -distance)
    ]
    return _pack(points, kept[0]), _pack(points, kept[1])


def _pack(points: Array, kept: NDArray[np.bool_]) -> Array:
    """Move the kept points of each row to the front and repeat the last one to the common length."""
    length = kept.sum(axis=1)
    order = np.argsort(~kept, axis=1, kind="stable")
    position = np.minimum(np.arange(length.max()), length[:, None] - 1)
    chosen = np.take_along_axis(order, position, axis=1)
    return np.take_along_axis(points, chosen[..., None], axis=1)


def join(*parts: Array) -> Array:
    """Put sets of polygons together, padding to the longest."""
    longest = max(part.shape[1] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, longest - part.shape[1]), (0, 0)), mode="edge")
            for part in parts
        ]
    )


def area(vertices: Array) -> Array:
    """Area of each polygon (shoelace formula), shape ``(P,)``.

    >>> area(box_polygon(((0.0, 2.0), (0.0, 3.0))))
    array([6.])
    """
    after = np.roll(vertices, -1, axis=1)
    cross = vertices[..., 0] * after[..., 1] - vertices[..., 1] * after[..., 0]
    return np.abs(cross.sum(axis=1)) / 2.0


def level_segments(vertices: Array, values: Array) -> Array:
    """Where a function that is affine on each polygon is zero.

    Args:
        vertices: Shape ``(P, V, 2)``.
        values: The function at the vertices, shape ``(P, V)``.

    Returns:
        One segment for each polygon in which the sign changes, shape ``(S, 2, 2)``.
    """
    positive = values >= 0.0
    changes = positive != np.roll(positive, -1, axis=1)
    rows = np.flatnonzero(changes.any(axis=1))
    # a convex polygon meets a line's two sides in two runs, hence exactly two changes of sign
    edges = np.nonzero(changes[rows])[1].reshape(-1, 2)
    here, there = values[rows[:, None], edges], np.roll(values, -1, axis=1)[rows[:, None], edges]
    start = vertices[rows[:, None], edges]
    stop = np.roll(vertices, -1, axis=1)[rows[:, None], edges]
    return start + (here / (here - there))[..., None] * (stop - start)
