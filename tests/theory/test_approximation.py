import re
from math import pi, sin

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from gradatim.theory import approximate


def test_errors_are_those_of_the_model_it_returns():
    (result,) = approximate(torch.sin, [6], domain=[(-1.0, 5.0)], steps=20)
    x = torch.linspace(-1.0, 5.0, 2049, dtype=torch.float64)[:, None]
    difference = (result.model(x) - x.sin()).abs()
    assert result.sup_error == pytest.approx(difference.max().item(), abs=1e-12)
    assert result.l2_error == pytest.approx(difference.square().mean().sqrt().item(), abs=1e-12)
    assert result.num_parameters == 6 * 3 + 1
    assert result.restart_errors[0] == result.sup_error
    assert list(result.restart_errors) == sorted(result.restart_errors)


def test_more_units_come_closer_to_sin_and_a_linear_net_does_not():
    results = approximate(
        torch.sin, [1, 4, 16], activations=("tanh", "identity"), domain=[(-pi, pi)], steps=60
    )
    tanh, line = [r.sup_error for r in results[:3]], [r.sup_error for r in results[3:]]
    assert tanh[0] > 0.5 > 0.01 > tanh[1]
    assert tanh[2] < 1e-3
    x = np.linspace(-pi, pi, 128)  # the line of least squares is off most at the ends
    assert line == pytest.approx([abs(np.polyval(np.polyfit(x, np.sin(x), 1), pi))] * 3, abs=1e-6)
    # and no line whatever comes closer than 0.68: the best touches at x0 and at pi
    x0 = brentq(lambda x: np.tan(x) - x - pi, 1.0, 1.5)
    assert min(line) >= pi * np.cos(x0) == pytest.approx(sin(x0) - np.cos(x0) * x0)


def test_order_and_shapes_in_two_dimensions():
    results = approximate(
        lambda x: x[:, 0] * x[:, 1],
        [3, 5],
        depths=(1, 2),
        activations=("sigmoid",),
        domain=[(-1, 1), (0, 2)],
        restarts=2,
        steps=25,
    )
    assert [(r.depth, r.width) for r in results] == [(1, 3), (1, 5), (2, 3), (2, 5)]
    assert results[1].model.sizes == (2, 5, 1)
    x = torch.rand(500, 2, dtype=torch.float64) * 2 - torch.tensor([1.0, 0.0])
    error = (results[1].model(x)[:, 0] - x[:, 0] * x[:, 1]).abs().max()
    assert error <= results[1].sup_error + 1e-3


def test_prelu_keeps_its_own_slope():
    (result,) = approximate(torch.abs, [4], activations=("prelu",), restarts=2, steps=30)
    assert result.sup_error < 0.1
    assert result.model[1].weight.item() == 0.25


def test_more_steps_fit_better_and_equal_seeds_agree():
    errors = [
        approximate(torch.sin, [20], domain=[(-4, 4)], steps=k)[0].l2_error for k in (1, 4, 40)
    ]
    assert errors[0] > errors[1] > errors[2]
    state = torch.random.get_rng_state()
    again = approximate(torch.sin, [20], domain=[(-4, 4)], steps=4)[0].l2_error
    assert again == errors[1]
    assert torch.equal(state, torch.random.get_rng_state())
    other = approximate(torch.sin, [20], domain=[(-4, 4)], steps=4, seed=1)[0].l2_error
    assert other != again


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": [(1, -1)]}, "domain must be one or two pairs (low, high) with low < high"),
        ({"domain": [(0, 1)] * 3}, "domain must be one or two pairs (low, high) with low < high"),
        ({"activations": ("tahn",)}, "activations must be one of tanh"),
        ({"widths": []}, "widths, depths, restarts and steps must be positive, got widths=()"),
        ({"steps": 0}, "widths, depths, restarts and steps must be positive"),
        ({"f": lambda x: x.sum()}, "f must map points of shape (N, d) to N finite values"),
        ({"f": lambda x: 1 / (x - x)}, "f must map points of shape (N, d) to N finite values"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=re.escape(f"approximate: {message}")):
        approximate(**{"f": torch.sin, "widths": [2]} | arguments)
