"""The parts of the experiments on sets: what is drawn, what is closed form, and whom a maximum hears."""

import math

import numpy as np
import pytest
import torch

from gradatim.data import drop_points
from gradatim.experiments._digits import split_digits
from gradatim.experiments.sets import deep_sets_digits, deep_sets_dimension, pointnet_solids
from gradatim.experiments.sets.deep_sets_dimension import elements_from, polygon_sets, power_sums
from gradatim.experiments.sets.pointnet_solids import count_wins, keep_points, without_winners
from gradatim.models import PointNet
from gradatim.randomness import seeded


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_totals_are_those_of_the_digits_drawn():
    (X, y), _ = split_digits(0, is_flat=True)
    label = {tuple(row.tolist()): int(digit) for row, digit in zip(X, y, strict=True)}
    sizes = torch.tensor([1, 4, 2, 4])
    for is_sorted in (False, True):
        sets = deep_sets_digits.draw_sets((X, y), sizes, generator(), is_sorted=is_sorted)
        assert sets.x.shape == (4, 4, 64)
        assert sets.is_real.sum(1).tolist() == sizes.tolist()
        for rows, size, total in zip(
            sets.x, sizes.tolist(), sets.total[:, 0].tolist(), strict=True
        ):
            digits = [label[tuple(row.tolist())] for row in rows[:size]]
            assert sum(digits) == total
            assert not rows[size:].any()
            assert not is_sorted or digits == sorted(digits)


def test_power_sums_give_back_the_set_that_numpy_finds():
    x = deep_sets_dimension.draw_sets(20, 5, seed=3)
    found = elements_from(power_sums(x, 5))
    for row, numbers in zip(found.numpy(), x.numpy(), strict=True):
        np.testing.assert_allclose(row, np.sort(np.roots(np.poly(numbers)).real), atol=1e-8)
        np.testing.assert_allclose(row, np.sort(numbers), atol=1e-8)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_polygons_are_the_roots_of_chebyshev_polynomials(size):
    angles = torch.linspace(0, math.pi, 7, dtype=torch.float64)
    sets = polygon_sets(size, angles)
    chebyshev = np.polynomial.chebyshev.chebval(sets.numpy(), [0] * size + [1])
    np.testing.assert_allclose(
        chebyshev, np.cos(angles.numpy())[:, None].repeat(size, 1), atol=1e-12
    )
    sums = power_sums(sets, size)
    assert float((sums - sums[0])[:, :-1].abs().max()) < 1e-13
    assert float((sums - sums[0])[:, -1].abs().max()) > 0.3


def test_medians_of_even_and_odd_sets():
    x = torch.tensor([[3.0, 1.0, 2.0, 10.0]])
    assert deep_sets_dimension.medians(x).tolist() == [[2.5]]
    assert deep_sets_dimension.medians(x[:, :3]).tolist() == [[2.0]]


def point_net():
    with seeded(0), torch.no_grad():
        model = PointNet(3, dims=(4, 8)).double().eval()
        for weight in model.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    return model


def test_a_point_without_a_maximum_can_be_left_out_and_one_with_cannot():
    model = point_net()
    x = torch.randn(1, 40, 3, dtype=torch.float64, generator=generator())
    wins = count_wins(model, x)[0]
    assert 0 < int((wins > 0).sum()) < 40
    assert int(wins.sum()) <= 8 + 8 + 8  # maxima of both T-nets and of the network
    for point in range(40):
        left = torch.cat([x[:, :point], x[:, point + 1 :]], 1)
        changes = not torch.equal(model(left), model(x))
        assert changes <= bool(wins[point] > 0), point
    torch.testing.assert_close(model(x[:, wins > 0]), model(x), rtol=0, atol=0)


def test_kept_points_stay_and_repeat():
    x = torch.arange(8.0).view(2, 4, 1)
    is_kept = torch.tensor([[False, True, False, True], [True, False, False, False]])
    assert keep_points(x, is_kept)[..., 0].tolist() == [[1, 1, 1, 3], [4, 4, 4, 4]]
    thinned, is_kept = drop_points(x, drop=0.5, generator=generator())
    assert torch.equal(keep_points(x, is_kept)[is_kept], thinned[is_kept])


def test_holders_of_most_maxima_go_first():
    x, wins = torch.arange(4.0).view(1, 4, 1), torch.tensor([[1.0, 5.0, 0.0, 2.0]])
    assert without_winners(x, wins, 0.25)[0, :, 0].tolist() == [0, 0, 2, 3]
    assert without_winners(x, wins, 0.5)[0, :, 0].tolist() == [0, 0, 2, 0]


def test_solids_are_turned_about_their_upright_axis():
    settings = pointnet_solids.QUICK
    still = pointnet_solids.draw_clouds(settings, 12, seed=1)
    turned = pointnet_solids.draw_clouds(pointnet_solids.Settings(cloud_size=64), 12, seed=1)
    torch.testing.assert_close(turned.x[..., 2], still.x[..., 2])
    torch.testing.assert_close(turned.x.norm(dim=-1), still.x.norm(dim=-1))
    assert not torch.allclose(turned.x, still.x)


def test_the_penalty_is_weighed_and_recorded():
    model, x = point_net(), torch.randn(2, 5, 3, dtype=torch.float64, generator=generator())
    y = torch.tensor([0, 2])
    held, free = (pointnet_solids.Penalized(weight)(model, (x, y)) for weight in (0.5, 0.0))
    torch.testing.assert_close(held["loss"] - free["loss"], 0.5 * held["penalty"])
    torch.testing.assert_close(free["loss"], torch.nn.functional.cross_entropy(model(x), y))
