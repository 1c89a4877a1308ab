"""Jacobians by both modes against formulas, the chain rule, and each other."""

import pytest
import torch
from torch import nn

from gradatim.backprop import jacobian, jacobians
from gradatim.errors import InvalidType, InvalidValue

MODES = ["forward", "reverse", "auto"]


@pytest.mark.parametrize("mode", MODES)
def test_linear_map_is_its_own_jacobian(mode):
    A = torch.randn(3, 5)
    torch.testing.assert_close(jacobian(lambda x: A @ x, torch.randn(5), mode), A)


@pytest.mark.parametrize("mode", MODES)
def test_chain_rule_multiplies_matrices(mode):
    A, B, x = torch.randn(4, 3).double(), torch.randn(2, 4).double(), torch.randn(3).double()

    def h(x):
        return torch.sin(A @ x)

    def g(u):
        return (B @ u) ** 2

    product = jacobian(g, h(x), mode) @ jacobian(h, x, mode)
    torch.testing.assert_close(jacobian(lambda x: g(h(x)), x, mode), product)


@pytest.mark.parametrize("mode", MODES)
def test_shapes_of_output_then_input(mode):
    found = jacobian(lambda x: x.T @ x, torch.randn(2, 3), mode)
    assert found.shape == (3, 3, 2, 3)


@pytest.mark.parametrize("mode", MODES)
def test_several_arguments(mode):
    x, y = torch.randn(3), torch.randn(3)
    by_x, by_y = jacobian(lambda x, y: x * y, (x, y), mode)
    torch.testing.assert_close(by_x, torch.diag(y))
    torch.testing.assert_close(by_y, torch.diag(x))


def test_module():
    module = nn.Linear(3, 2)
    found = jacobian(module, torch.randn(3))
    torch.testing.assert_close(found, module.weight.detach())
    assert not found.requires_grad


@pytest.mark.parametrize(
    ("n", "m", "chosen"), [(2, 5, "forward"), (5, 2, "reverse"), (3, 3, "reverse")]
)
def test_auto_takes_the_mode_with_fewer_passes(n, m, chosen, monkeypatch):
    used = []
    for name in ("jacfwd", "jacrev"):
        original = getattr(jacobians, name)
        monkeypatch.setattr(
            jacobians, name, lambda *a, n=name, f=original, **k: used.append(n) or f(*a, **k)
        )
    A = torch.randn(m, n)
    jacobian(lambda x: A @ x, torch.randn(n))
    assert used == [{"forward": "jacfwd", "reverse": "jacrev"}[chosen]]


def test_errors():
    with pytest.raises(InvalidValue, match=r"mode must be one of reverse, .* got 'revers'"):
        jacobian(torch.sin, torch.ones(1), "revers")
    with pytest.raises(
        InvalidType, match=r"x must be a floating tensor or a tuple of them, got torch\.int64"
    ):
        jacobian(torch.sin, torch.ones(1, dtype=torch.int64))
    with pytest.raises(InvalidType, match="x must be a tensor, an array or a list of numbers"):
        jacobian(torch.sin, "one")
    torch.testing.assert_close(jacobian(torch.sin, [0.0]), torch.ones(1, 1))
