"""Error surfaces: minima, the step limit, and how many stationary points there really are."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from gradatim.errors import InvalidValue
from gradatim.linear import (
    bowl,
    cells_without_proof,
    descent_path,
    rippled_bowl,
    stationary_points,
)

BOX = ((-2.5, 4.0), (-4.0, 3.0))


def test_bowl_worked_numbers():
    w = torch.tensor([0.0, 3.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(bowl(w), w)
    assert gradient.tolist() == [2 * (0 - 2), 4 * (3 + 1)]
    found = stationary_points(bowl, BOX)
    assert found.points.tolist() == [[2, -1]]
    assert found.values.tolist() == [0]
    assert found.curvatures.tolist() == [[2, 4]]


def test_descent_on_the_bowl_converges_below_one_half_only():
    start = torch.tensor([0.0, 1.0], dtype=torch.float64)
    below = descent_path(bowl, start, lr=0.49, steps=600)[-1]
    above = descent_path(bowl, start, lr=0.51, steps=600)[-1]
    torch.testing.assert_close(
        below, torch.tensor([2.0, -1.0], dtype=torch.float64), atol=1e-6, rtol=0
    )
    assert above.abs().max() > 1e6


def test_path_by_hand_and_in_a_batch():
    starts = torch.tensor([[0.0, 0.0], [3.0, 1.0]])
    paths = descent_path(bowl, starts, lr=0.1, steps=1)
    assert paths.shape == (2, 2, 2)
    torch.testing.assert_close(paths[1], torch.tensor([[0.4, -0.4], [2.8, 0.2]]))


def test_small_ripples_leave_one_stationary_point():
    found = stationary_points(rippled_bowl, BOX)
    assert len(found.points) == 1
    assert found.num_minima == 1

    # Independent search: SciPy from many starts ends in the same point, which is not (1, −0.5).
    def error(w):
        return (w[0] - 1) ** 2 + (w[1] + 0.5) ** 2 + 0.6 * np.sin(3 * w[0]) * np.sin(3 * w[1])

    starts = np.random.default_rng(0).uniform(-3, 3, (10, 2))
    ends = [minimize(error, start).x for start in starts]
    np.testing.assert_allclose(ends, [found.points[0].numpy()] * 10, atol=1e-4)
    assert np.abs(ends[0] - [1, -0.5]).max() > 0.05


def test_small_ripples_are_not_convex():
    hessians = torch.func.vmap(torch.func.jacrev(torch.func.grad(rippled_bowl)))
    grid = torch.cartesian_prod(torch.linspace(-2, 2, 30), torch.linspace(-2, 2, 30))
    assert torch.linalg.eigvalsh(hessians(grid)).min() < -1


def test_every_other_cell_is_excluded():
    # |∂E/∂w_i| ≥ 2|w_i − c_i| − 1.8 > 0 outside this box; ‖H‖ ≤ 2 + 2 · 9 · 0.6.
    cells = cells_without_proof(
        rippled_bowl, ((0.1, 1.9), (-1.4, 0.4)), lipschitz=2 + 18 * 0.6, resolution=300
    )
    point = stationary_points(rippled_bowl, BOX).points
    assert 0 < len(cells) < 900
    assert (cells - point).norm(dim=1).max() < 0.15


@pytest.mark.parametrize(("amplitude", "minima"), [(0.6, 1), (1.0, 4), (1.5, 9)])
def test_number_of_minima_grows_with_the_ripples(amplitude, minima):
    found = stationary_points(partial(rippled_bowl, amplitude=amplitude), BOX)
    assert found.num_minima == minima
    # On the plane, minima − saddles + maxima = 1 for a surface that rises at infinity.
    signs = torch.sign(found.curvatures.prod(1))
    assert signs.sum() == 1
    assert (found.values.diff() >= 0).all()


def test_resolution_must_be_positive():
    with pytest.raises(InvalidValue, match=r"resolution must be at least 1, got 0"):
        stationary_points(bowl, BOX, resolution=0)
