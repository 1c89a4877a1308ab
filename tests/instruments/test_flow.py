"""The flow of a quadratic is a matrix exponential; descent approaches it as its rate shrinks."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import descend, gradient_flow

A = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
START = torch.tensor([1.0, -2.0], dtype=torch.float64)


def h(w):
    return w @ A @ w / 2


def test_flow_of_a_quadratic():
    path = gradient_flow(h, START, time=1.5, steps=60)
    for k in (0, 20, 60):
        expected = torch.linalg.matrix_exp(-A * 1.5 * k / 60) @ START
        torch.testing.assert_close(path[k], expected, atol=1e-7, rtol=0)


def test_fourth_order():
    exact = torch.linalg.matrix_exp(-A) @ START
    errors = [(gradient_flow(h, START, time=1.0, steps=n)[-1] - exact).norm() for n in (8, 16)]
    assert 12 < errors[0] / errors[1] < 22


def test_descent_is_eulers_method_first_order():
    exact = gradient_flow(h, START, time=1.0)[-1]
    errors = [
        (descend(h, START, lr=1 / n, steps=n).points[-1] - exact).norm().item() for n in (50, 100)
    ]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize("arguments", [{"time": 0}, {"time": 1, "steps": 0}])
def test_refuses(arguments):
    with pytest.raises(InvalidValue, match="gradient_flow: time and steps must be positive"):
        gradient_flow(h, START, **arguments)
