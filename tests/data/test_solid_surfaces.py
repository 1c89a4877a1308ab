"""Points lie on their solids, and evenly: areas and moments have closed forms."""

import numpy as np
import pytest
from scipy import stats

from gradatim.data import solids
from gradatim.data.solid_surfaces import PARTS, SOLIDS
from gradatim.errors import InvalidValue

MANY = solids(12, cloud_size=20_000, seed=3)


def clouds(name):
    rows = MANY.y == SOLIDS.index(name)
    return zip(MANY.points[rows].astype(float), MANY.parts[rows], strict=True)


def half_height(points):
    return np.abs(points[:, 2]).max()


def test_shapes_and_types():
    found = solids(8, cloud_size=5)
    assert found.points.shape == (8, 5, 3)
    assert found.points.dtype == np.float32
    assert found.y.tolist() == [0, 1, 2, 3, 4, 5, 0, 1]
    assert found.parts.shape == (8, 5)


def test_a_part_belongs_to_one_solid():
    for name in SOLIDS:
        for _, parts in clouds(name):
            assert {PARTS[part].split()[0] for part in np.unique(parts)} == {name}


def test_cubes():
    for points, _ in clouds("cube"):
        side = np.abs(points).max()
        assert np.allclose(np.abs(points).max(1), side, atol=1e-6)
        on_face = np.isclose(np.abs(points), side, atol=1e-6)
        shares = [(on_face[:, k] & (sign * points[:, k] > 0)).mean() for k in range(3) for sign in (1, -1)]  # fmt: skip
        assert np.allclose(shares, 1 / 6, atol=0.015)
        free = points[on_face[:, 0], 1] / side
        assert stats.kstest(free, stats.uniform(-1, 2).cdf).pvalue > 1e-3


def test_spheres():
    for points, _ in clouds("sphere"):
        radius = np.linalg.norm(points, axis=1)
        assert np.allclose(radius, radius[0], atol=1e-6)
        # Archimedes: heights are even
        assert stats.kstest(points[:, 2] / radius, stats.uniform(-1, 2).cdf).pvalue > 1e-3


def test_cylinders():
    for points, parts in clouds("cylinder"):
        radius, h = np.hypot(points[:, 0], points[:, 1]), half_height(points)
        r, is_lid = radius.max(), parts == PARTS.index("cylinder lid")
        assert np.allclose(np.abs(points[is_lid, 2]), h, atol=1e-6)
        assert np.allclose(radius[~is_lid], r, atol=1e-6)
        lids, side = 2 * np.pi * r**2, 2 * np.pi * r * 2 * h
        assert is_lid.mean() == pytest.approx(lids / (lids + side), abs=0.015)
        assert (radius[is_lid] ** 2).mean() == pytest.approx(r**2 / 2, rel=0.03)  # of a disc


def test_cones():
    for points, parts in clouds("cone"):
        radius, h = np.hypot(points[:, 0], points[:, 1]), half_height(points)
        r, is_base = radius.max(), parts == PARTS.index("cone base")
        assert np.allclose(points[is_base, 2], -h, atol=1e-6)
        assert np.allclose(radius[~is_base], r * (h - points[~is_base, 2]) / (2 * h), atol=1e-3)
        base, side = np.pi * r**2, np.pi * r * np.hypot(r, 2 * h)
        assert is_base.mean() == pytest.approx(base / (base + side), abs=0.015)
        # the centroid of a cone's side stands at a third of the height
        assert points[~is_base, 2].mean() == pytest.approx(-h + 2 * h / 3, abs=0.02)


def test_tori():
    for points, parts in clouds("torus"):
        radius, r = np.hypot(points[:, 0], points[:, 1]), half_height(points)
        R = (radius.max() + radius.min()) / 2
        assert np.allclose((radius - R) ** 2 + points[:, 2] ** 2, r**2, atol=2e-3)
        is_inside = parts == PARTS.index("torus inside")
        assert (radius[is_inside] < R + 1e-2).all()
        # Pappus: halves of the tube have areas 2π(R ± 2r/π) · πr
        assert is_inside.mean() == pytest.approx(0.5 - r / (np.pi * R), abs=0.015)
        assert radius.mean() == pytest.approx(R + r**2 / (2 * R), abs=0.01)


def test_pyramids():
    for points, parts in clouds("pyramid"):
        flat, h = np.abs(points[:, :2]).max(1), half_height(points)
        a, is_base = np.abs(points[:, :2]).max(), parts == PARTS.index("pyramid base")
        assert np.allclose(points[is_base, 2], -h, atol=1e-6)
        assert np.allclose(flat[~is_base], a * (h - points[~is_base, 2]) / (2 * h), atol=1e-3)
        base, side = (2 * a) ** 2, 4 * (2 * a * np.hypot(a, 2 * h) / 2)
        assert is_base.mean() == pytest.approx(base / (base + side), abs=0.015)
        assert points[~is_base, 2].mean() == pytest.approx(-h + 2 * h / 3, abs=0.02)
        assert np.allclose(points.mean(0)[:2], 0, atol=0.02)


def test_noise_is_added():
    still, moved = (solids(300, noise, cloud_size=50).points for noise in (0.0, 0.1))
    assert (moved - still).std() == pytest.approx(0.1, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_samples": 0}, "solids: num_samples must be a whole number from 1, got 0"),
        ({"cloud_size": 0.5}, "solids: cloud_size must be a whole number from 1, got 0.5"),
        ({"noise": -1.0}, r"solids: noise must be a standard deviation in \[0, ∞\), got -1.0"),
        ({"seed": -1}, "solids: seed must be a whole number from 0"),
    ],
)
def test_mistakes_are_explained(arguments, message):
    with pytest.raises(InvalidValue, match=message):
        solids(**arguments)
