"""Slopes by differences: exact cases, kinks at and near a point, noise."""

import math

import pytest
import torch

from gradatim.backprop.finite_differences import STEP, central_differences


def slopes(function, *x, scale=1.0):
    x = torch.tensor(x, dtype=torch.float64)
    return central_differences(function, x, torch.arange(len(x)), scale=scale)


def test_smooth_functions():
    found = slopes(lambda x: (x.sin() * x.new_tensor([1.0, 2.0, -3.0])).sum(1), 0.0, 1.0, -2.0)
    expected = [1.0, 2 * math.cos(1.0), -3 * math.cos(-2.0)]
    assert found.central.tolist() == pytest.approx(expected, rel=1e-9)
    assert not found.is_kink.any()


def test_error_of_a_cubic_is_the_square_of_the_step():
    # (x+h)³−(x−h)³ over 2h is 3x²+h², at x=0 therefore h².
    assert slopes(lambda x: (x**3).sum(1), 0.0).central.item() == pytest.approx(STEP**2, rel=1e-9)


def test_step_grows_with_the_entry():
    assert slopes(lambda x: (x**2).sum(1) / 2, 1e6, scale=1e12).central.item() == pytest.approx(
        1e6, rel=1e-9
    )


def test_kink_at_a_point_is_found_with_both_slopes():
    found = slopes(lambda x: torch.where(x > 0, 3 * x, -x).sum(1), 0.0, 1.0)
    assert found.is_kink.tolist() == [True, False]
    assert (found.left[0].item(), found.right[0].item()) == pytest.approx((-1.0, 3.0))


@pytest.mark.parametrize("distance", [1e-6, 5e-6])
def test_kink_nearby_is_stepped_around(distance):
    found = slopes(lambda x: x.abs().sum(1), distance)
    assert not found.is_kink.item()
    assert found.central.item() == pytest.approx(1.0, rel=1e-6)


def test_extremum_and_sharp_bend_are_not_kinks():
    found = slopes(lambda x: x[:, 0] ** 2 + torch.sqrt(x[:, 1] ** 2 + 1e-6), 0.0, 0.0)
    assert not found.is_kink.any()
    assert found.central.tolist() == pytest.approx([0.0, 0.0], abs=1e-8)


def test_large_inputs_go_in_batches():
    sizes = []

    def function(points):
        sizes.append(len(points))
        return points.sum((1, 2))

    x = torch.zeros(40, 30, dtype=torch.float64)
    found = central_differences(function, x, torch.tensor([0, 7, 1199]))
    assert found.central.tolist() == pytest.approx([1.0, 1.0, 1.0])
    everything = central_differences(function, x, torch.arange(1200))
    assert everything.central.shape == (1200,)
    assert max(sizes) == 512
