"""Points drawn evenly from the surfaces of six solids, and which part of its solid each lies on."""

from typing import NamedTuple

import numpy as np

from gradatim.errors import require, require_seed, require_whole

SOLIDS = ("cube", "sphere", "cylinder", "cone", "torus", "pyramid")
PARTS = (
    "cube", "sphere", "cylinder side", "cylinder lid", "cone side", "cone base",
    "torus outside", "torus inside", "pyramid side", "pyramid base",
)  # fmt: skip

Surface = tuple[np.ndarray, np.ndarray]  # points (n, M, 3) and, in each, 0 or 1 for the part


class Clouds(NamedTuple):
    """Clouds of points.

    Attributes:
        points: Shape ``(N, M, 3)``.
        y: Class of each cloud, in the order of ``SOLIDS``: cube, sphere, cylinder, cone, torus, pyramid.
        parts: Part of each point, shape ``(N, M)``, in the order of ``PARTS``.
    """

    points: np.ndarray
    y: np.ndarray
    parts: np.ndarray


def solids(
    num_samples: int = 600, noise: float = 0.0, seed: int = 0, *, cloud_size: int = 256
) -> Clouds:
    r"""Draw points from the surfaces of cubes, spheres, cylinders, cones, tori and pyramids of random proportions.

    .. math:: x_m = u_m + \sigma\epsilon_m, \qquad u_m \sim U(\partial K), \quad \epsilon_m \sim N(0, I)

    with :math:`U(\partial K)` even by area. Radii, half heights and half sides of a solid :math:`K` are drawn from [0.5, 1], a torus
    is 0.2 to 0.4 thick around its circle of radius 0.6 to 1. All stand upright, centred in their boxes.

    Args:
        num_samples: Number of clouds; the six solids come in turn.
        noise: Standard deviation :math:`\sigma` of the noise on a coordinate.
        seed: Seed of the draw.
        cloud_size: Points :math:`M` of a cloud.

    Returns:
        Points ``(num_samples, cloud_size, 3)``, classes, and parts ``(num_samples, cloud_size)``.

    Example:
        >>> clouds = solids(7, cloud_size=32)
        >>> clouds.points.shape, clouds.y.tolist()
        ((7, 32, 3), [0, 1, 2, 3, 4, 5, 0])
        >>> bool(np.allclose(np.abs(clouds.points[0]).max(1), np.abs(clouds.points[0]).max(), atol=1e-6))  # a cube
        True
    """
    require_whole("solids", num_samples=num_samples, cloud_size=cloud_size)
    require(0 <= noise < np.inf, "solids: noise must be a standard deviation in [0, ∞)", noise)
    require_seed("solids", seed)
    rng = np.random.default_rng(seed)
    y = np.arange(num_samples, dtype=np.int64) % len(SOLIDS)
    points = np.empty((num_samples, cloud_size, 3))
    parts = np.empty((num_samples, cloud_size), dtype=np.int64)
    for k, name in enumerate(SOLIDS):
        rows = y == k
        points[rows], second = _SURFACES[name](rng, (int(rows.sum()), cloud_size))
        first_part = next(place for place, part in enumerate(PARTS) if part.startswith(name))
        parts[rows] = first_part + second
    points += noise * rng.standard_normal(points.shape)
    return Clouds(points.astype(np.float32), y, parts)


def _lengths(rng: np.random.Generator, size: tuple[int, int], low: float = 0.5, high: float = 1.0) -> np.ndarray:  # fmt: skip
    return rng.uniform(low, high, (size[0], 1))


def _around(radius: np.ndarray, height: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points at a distance from the axis and a height, turned about the axis at random."""
    angle = rng.uniform(0, 2 * np.pi, radius.shape)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=-1)


def _cube(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    points = rng.uniform(-1, 1, (*size, 3))
    axis, side = rng.integers(3, size=size), rng.choice([-1.0, 1.0], size)
    np.put_along_axis(points, axis[..., None], side[..., None], axis=-1)
    return points * _lengths(rng, size)[..., None], np.zeros(size, dtype=np.int64)


def _sphere(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    points = rng.standard_normal((*size, 3))
    points /= np.linalg.norm(points, axis=-1, keepdims=True)
    return points * _lengths(rng, size)[..., None], np.zeros(size, dtype=np.int64)


def _cylinder(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    """Two lids of area πr² and a side of area 2πr · 2h, with h half the height."""
    r, h = _lengths(rng, size), _lengths(rng, size)
    is_lid = rng.uniform(size=size) < r / (r + 2 * h)
    radius = r * np.where(is_lid, np.sqrt(rng.uniform(size=size)), 1.0)
    height = h * np.where(is_lid, rng.choice([-1.0, 1.0], size), rng.uniform(-1, 1, size))
    return _around(radius, height, rng), is_lid.astype(np.int64)


def _cone(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    """A base of area πr² and a side of area πr√(r² + 4h²), whose width falls evenly to the tip."""
    r, h = _lengths(rng, size), _lengths(rng, size)
    is_base = rng.uniform(size=size) < r / (r + np.hypot(r, 2 * h))
    share = np.sqrt(rng.uniform(size=size))  # of the radius, on either
    height = np.where(is_base, -h, h - 2 * h * share)
    return _around(r * share, height, rng), is_base.astype(np.int64)


def _torus(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    r"""Around the tube the area goes as :math:`1 + (r/R)\cos\phi`: an angle that is too rare is exchanged for its mirror image."""
    R, r = _lengths(rng, size, 0.6, 1.0), _lengths(rng, size, 0.2, 0.4)
    phi = rng.uniform(-np.pi, np.pi, size)
    keeps = rng.uniform(size=size) < (1 + r / R * np.cos(phi)) / 2
    phi = np.where(keeps, phi, np.pi - phi)
    return _around(R + r * np.cos(phi), r * np.sin(phi), rng), (np.cos(phi) < 0).astype(np.int64)


def _pyramid(rng: np.random.Generator, size: tuple[int, int]) -> Surface:
    """A base of area (2a)² and four triangles of area a√(a² + 4h²), with half side a and half height h."""
    a, h = _lengths(rng, size), _lengths(rng, size)
    is_base = rng.uniform(size=size) < a / (a + np.hypot(a, 2 * h))
    share = np.where(is_base, 1.0, np.sqrt(rng.uniform(size=size)))  # of the base's width
    across = rng.uniform(-1, 1, (*size, 2))
    axis, side = rng.integers(2, size=size), rng.choice([-1.0, 1.0], size)
    edge = across.copy()
    np.put_along_axis(edge, axis[..., None], side[..., None], axis=-1)
    flat = np.where(is_base[..., None], across, edge) * (a * share)[..., None]
    height = np.where(is_base, -h, h - 2 * h * share)
    return np.concatenate([flat, height[..., None]], axis=-1), is_base.astype(np.int64)


_SURFACES = {
    "cube": _cube,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "cone": _cone,
    "torus": _torus,
    "pyramid": _pyramid,
}
