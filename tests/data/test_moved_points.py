import pytest
import torch

from gradatim.data import drop_points, jitter_points, rotate_points
from gradatim.errors import InvalidValue

POINTS = torch.randn(6, 40, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def matrix_of(points, turned):
    """The map that turned each cloud, by least squares: x' = Q x."""
    return torch.linalg.lstsq(points, turned).solution.mT


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_every_cloud_is_turned_by_a_rotation_of_its_own(dim):
    points = torch.randn(5, 30, dim, dtype=torch.float64, generator=seeded())
    Q = matrix_of(points, rotate_points(points, generator=seeded(1)))
    assert torch.allclose(Q @ Q.mT, torch.eye(dim).double().expand_as(Q), atol=1e-10)
    assert torch.allclose(torch.linalg.det(Q), torch.ones(5).double())
    if dim > 1:
        assert (Q[0] - Q[1]).abs().max() > 0.1


def test_rotations_are_even():
    one = torch.zeros(20_000, 1, 3)
    one[..., 0] = 1.0
    places = rotate_points(one, generator=seeded())[:, 0]  # even on the sphere
    assert torch.allclose(places.mean(0), torch.zeros(3), atol=0.02)
    assert torch.allclose(places.T @ places / len(places), torch.eye(3) / 3, atol=0.01)
    assert places[:, 2].abs().mean().item() == pytest.approx(0.5, abs=0.01)  # Archimedes
    # the trace of a Haar rotation has mean 0 and variance 1
    frames = rotate_points(torch.eye(3).expand(20_000, 3, 3), generator=seeded())
    trace = frames.diagonal(dim1=1, dim2=2).sum(1)
    assert trace.mean().item() == pytest.approx(0.0, abs=0.03)
    assert trace.var().item() == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_an_axis_stays(axis):
    turned = rotate_points(POINTS, axis=axis, generator=seeded())
    assert torch.equal(turned[..., axis], POINTS[..., axis])
    Q = matrix_of(POINTS, turned)
    assert torch.allclose(torch.linalg.det(Q), torch.ones(6).double())
    assert (Q - torch.eye(3)).abs().amax((1, 2)).min() > 1e-3


def test_jitter_is_clipped_noise():
    moved = jitter_points(torch.zeros(50, 400, 3), std=0.1, most=0.1, generator=seeded())
    assert moved.abs().max().item() == pytest.approx(0.1)
    # a standard normal lies beyond one deviation with probability 0.3173
    assert (moved.abs() >= 0.1 - 1e-7).float().mean().item() == pytest.approx(0.3173, abs=0.01)
    assert torch.equal(jitter_points(POINTS, std=0.0), POINTS)


def test_dropped_points_are_replaced_by_a_kept_one():
    thinned, is_kept = drop_points(POINTS, drop=0.7, generator=seeded())
    assert is_kept.float().mean().item() == pytest.approx(0.3, abs=0.1)
    assert torch.equal(thinned[is_kept], POINTS[is_kept])
    for cloud, original, kept in zip(thinned, POINTS, is_kept, strict=True):
        distinct = {tuple(row) for row in cloud.tolist()}
        assert distinct == {tuple(row) for row in original[kept].tolist()}
        # a maximum does not notice the repeats
        assert torch.equal(cloud.amax(0), original[kept].amax(0))


def test_ends_of_dropping():
    thinned, is_kept = drop_points(POINTS, drop=0.0)
    assert torch.equal(thinned, POINTS)
    assert is_kept.all()
    thinned, is_kept = drop_points(POINTS, drop=1.0)
    assert (is_kept.sum(1) == 1).all()
    assert (thinned == thinned[:, :1]).all()
    empty = torch.zeros(2, 0, 3)
    assert drop_points(empty)[0].shape == (2, 0, 3)


def test_mistakes_are_explained():
    for function in (rotate_points, jitter_points, drop_points):
        with pytest.raises(InvalidValue, match=rf"{function.__name__}: points must be numbers of shape \(B, M, D\), got \(4, 3\)"):  # fmt: skip
            function(torch.zeros(4, 3))
    with pytest.raises(InvalidValue, match=r"rotate_points: axis must be 0, 1 or 2, .* got 3 of 3"):
        rotate_points(POINTS, axis=3)
    with pytest.raises(InvalidValue, match=r"rotate_points: axis must be .* got 0 of 2"):
        rotate_points(POINTS[..., :2], axis=0)
    with pytest.raises(InvalidValue, match=r"jitter_points: std must be at least 0, got -1"):
        jitter_points(POINTS, std=-1)
    with pytest.raises(InvalidValue, match=r"jitter_points: most must be at least 0, got -1"):
        jitter_points(POINTS, most=-1)
    with pytest.raises(InvalidValue, match=r"drop_points: drop must be in \[0, 1\], got 2"):
        drop_points(POINTS, drop=2)
