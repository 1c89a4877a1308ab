"""Gradients through time against products of Jacobians, and the bound that they obey."""

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.instruments import gradient_through_time
from gradatim.nn import CELLS, ElmanCell, Recurrent


def elman(activation, U, input_dim=2):
    H = len(U)
    rnn = Recurrent(partial(ElmanCell, activation=activation), input_dim, H).double()
    rnn.cells[0].recurrent.weight.data.copy_(U)
    return rnn


def test_equals_the_product_of_jacobians():
    torch.manual_seed(0)
    rnn = elman("tanh", torch.randn(4, 4, dtype=torch.float64))
    cell, x = rnn.cells[0], torch.randn(1, 6, 2, dtype=torch.float64)
    measured = gradient_through_time(rnn, x)
    h, states = torch.zeros(1, 4, dtype=torch.float64), []
    for t in range(6):
        h = torch.tanh(x[:, t] @ cell.input.weight.T + h @ cell.recurrent.weight.T)
        states.append(h[0].detach())
    gradient, expected = states[-1], [states[-1].norm().item()]  # ½‖h‖² has the gradient h
    for h in states[:0:-1]:
        gradient = gradient @ torch.diag(1 - h * h) @ cell.recurrent.weight.detach()
        expected.append(gradient.norm().item())
    assert measured.norms == pytest.approx(expected)
    assert measured.lags == [0, 1, 2, 3, 4, 5]


@settings(max_examples=25, deadline=None)
@given(
    activation=st.sampled_from(["tanh", "sigmoid", "relu", "identity"]),
    scale=st.floats(0.1, 3.0),
    seed=st.integers(0, 99),
)
def test_the_bound_holds(activation, scale, seed):
    torch.manual_seed(seed)
    rnn = elman(activation, scale * torch.randn(5, 5, dtype=torch.float64))
    result = gradient_through_time(rnn, torch.randn(3, 12, 2, dtype=torch.float64))
    assert all(n <= b * (1 + 1e-9) for n, b in zip(result.norms, result.bound, strict=True))


@pytest.mark.parametrize(("activation", "slope"), [("tanh", 1.0), ("sigmoid", 0.25), ("relu", 1.0)])
def test_gamma_norm_and_radius(activation, slope):
    """Eigenvalues ½ and ½, and yet the norm is 10.025."""
    rnn = elman(activation, torch.tensor([[0.5, 10.0], [0.0, 0.5]]))
    result = gradient_through_time(rnn, torch.zeros(1, 2, 2, dtype=torch.float64))
    assert result.spectral_norm == pytest.approx(10.025, abs=1e-3)
    assert result.spectral_radius == pytest.approx(0.5)
    assert result.gamma == pytest.approx(slope * result.spectral_norm)


def test_an_orthogonal_linear_recurrence_keeps_the_gradient():
    U, _ = torch.linalg.qr(torch.randn(6, 6, dtype=torch.float64))
    result = gradient_through_time(elman("identity", U), torch.randn(2, 50, 2, dtype=torch.float64))
    assert result.norms == pytest.approx([result.norms[0]] * 50)
    assert result.bound == pytest.approx(result.norms)


@pytest.mark.parametrize("name", CELLS)
def test_every_cell_is_measured(name):
    torch.manual_seed(0)
    result = gradient_through_time(Recurrent(name, 2, 4), torch.randn(3, 7, 2))
    assert len(result.norms) == 7
    assert all(norm > 0 for norm in result.norms)
    assert (result.gamma is None) == (name not in ("elman", "elman_relu", "lru", "lipschitz"))


def test_the_radius_of_a_linear_recurrent_unit_bounds_it():
    rnn = Recurrent("lru", 2, 6)
    result = gradient_through_time(rnn, torch.randn(2, 30, 2))
    assert result.gamma == rnn.cells[0].eigenvalues().abs().max().item()
    assert all(n <= b * 1.0001 for n, b in zip(result.norms, result.bound, strict=True))


def test_no_gradient_of_the_lipschitz_cell_exceeds_its_bound():
    rnn = Recurrent("lipschitz", 2, 6)
    torch.nn.init.normal_(rnn.cells[0].linear_part)
    result = gradient_through_time(rnn, torch.randn(2, 30, 2))
    assert result.gamma == rnn.cells[0].lipschitz_bound()
    assert all(n <= b * 1.0001 for n, b in zip(result.norms, result.bound, strict=True))


def test_own_losses_and_stacks():
    rnn = Recurrent("gru", 3, 3, num_layers=2, layer_norm=True, residual=True)
    result = gradient_through_time(rnn, torch.randn(2, 5, 3), loss=torch.sum)
    assert len(result.norms) == 5
    assert result.bound is None


def test_errors():
    with pytest.raises(
        InvalidValue, match=r"x must be of shape \(batch, time, 2\), .* got \(3, 0, 2\)"
    ):
        gradient_through_time(Recurrent("gru", 2, 3), torch.zeros(3, 0, 2))
    with pytest.raises(InvalidValue, match="model must run in one direction"):
        gradient_through_time(Recurrent("gru", 2, 3, is_bidirectional=True), torch.zeros(3, 4, 2))
