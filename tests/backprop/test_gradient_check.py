"""Right gradients pass, wrong ones are found and placed, kinks are told apart."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.backprop import check_gradients
from gradatim.errors import InvalidValue
from gradatim.models import MLP


class WrongSine(torch.autograd.Function):
    """A sine whose derivative forgets the sign of its input: right for x > 0, wrong below."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, p):
        (x,) = ctx.saved_tensors
        return p * x.cos() * x.sign()


def test_function_of_several_tensors():
    check = check_gradients(
        lambda x, w, b: torch.tanh(x @ w + b),
        [torch.randn(4, 3), torch.randn(3, 2), torch.randn(2)],
    )
    assert check
    assert check.checked == {"x": 12, "w": 6, "b": 2}
    assert check.worst.relative_error < 1e-7
    assert check.is_batched


def test_wrong_derivative_is_found_and_placed():
    check = check_gradients(WrongSine.apply, torch.tensor([[0.5, 1.0], [-0.3, 2.0]]))
    assert not check.is_correct
    assert [(entry.name, entry.index) for entry in check.wrong] == [("input[0]", (1, 0))]
    assert check.worst == check.wrong[0]
    assert check.worst.relative_error == pytest.approx(2.0)
    assert check.worst.analytic == pytest.approx(-check.worst.numeric)


def test_hand_written_gradients():
    x, w = torch.randn(5, 3), torch.randn(3)

    def energy(x, w):
        return ((x @ w) ** 2).sum() / 2

    right = x.double().T @ (x.double() @ w.double())
    assert check_gradients(energy, [x, w], gradients={"w": right})
    wrong = right.clone()
    wrong[1] *= 1.001
    check = check_gradients(energy, [x, w], gradients={"w": wrong})
    assert [(e.name, e.index) for e in check.wrong] == [("w", (1,))]
    assert check.worst.relative_error == pytest.approx(1e-3 / 1.001, rel=1e-3)


@settings(max_examples=25, deadline=None)
@given(
    entry=st.integers(0, 11),
    factor=st.sampled_from([0.0, -1.0, 0.99, 1.01, 2.0]),
    seed=st.integers(0, 99),
)
def test_any_wrong_entry_is_found(entry, factor, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 4, generator=generator) + 0.5
    gradient = x.double().exp()
    gradient.view(-1)[entry] *= factor
    check = check_gradients(lambda x: x.exp().sum(), x, gradients=gradient)
    assert [e.index for e in check.wrong] == [(entry // 4, entry % 4)]


def test_modules_by_parameter_name():
    check = check_gradients(MLP((3, 5, 2), activation="tanh"), torch.randn(4, 3))
    assert check
    assert check.checked == {
        "input[0]": 12,
        "0.weight": 15,
        "0.bias": 5,
        "2.weight": 10,
        "2.bias": 2,
    }


def test_wrong_parameter_of_a_module_is_named():
    class Detached(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.shift = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x * self.scale.detach() + self.shift

    check = check_gradients(Detached(), torch.randn(3, 2))
    assert {entry.name for entry in check.wrong} == {"scale"}
    assert check.worst.analytic == 0


@pytest.mark.parametrize(
    "module",
    [
        nn.Sequential(
            nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 2)
        ),
        nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.GELU()),
        nn.Sequential(nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 2, 2), nn.Softplus()),
        nn.LayerNorm(3),
    ],
)
def test_modules_of_every_kind(module):
    assert check_gradients(module, torch.randn(5, 3))


def test_recurrent_module_one_by_one():
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTM(2, 2, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0][:, -1]

    check = check_gradients(Last(), torch.randn(2, 3, 2))
    assert check
    assert not check.is_batched
    assert check.checked["cell.weight_ih_l0"] == 16


def test_kink_is_noted_and_any_slope_between_counts_as_right():
    x = torch.tensor([0.0, 1.0, -1.0])
    for slope in (0.0, 0.3, 1.0):
        check = check_gradients(
            lambda x: x.relu().sum(), x, gradients=torch.tensor([slope, 1.0, 0.0])
        )
        assert check
        assert [entry.index for entry in check.kinks] == [(0,)]
    assert "1 at a kink, where the derivative jumps: x[0]" in repr(check)
    outside = check_gradients(lambda x: x.relu().sum(), x, gradients=torch.tensor([1.5, 1.0, 0.0]))
    assert [entry.index for entry in outside.wrong] == [(0,)]


def test_large_inputs_are_sampled_and_the_summary_says_so():
    check = check_gradients(lambda x: (x**2).sum(), torch.randn(50, 60), max_entries=20)
    assert check.checked == {"x": 20}
    assert check.size == 3000
    assert repr(check).startswith("Gradient right; 20 of 3000 entries compared.\nWorst is x[")


def test_not_a_number_is_wrong():
    gradient = torch.tensor([1.0, torch.nan])
    check = check_gradients(lambda x: x.sum(), torch.ones(2), gradients=gradient)
    assert [entry.index for entry in check.wrong] == [(1,)]


def test_scalars_have_no_index():
    check = check_gradients(lambda x: x**2, torch.tensor(3.0), gradients=torch.tensor(5.0))
    assert str(check.worst) == "x: gradient 5, differences 6, relative error 1.7e-01"


def test_nothing_to_check():
    check = check_gradients(lambda i: i.double().sum(), torch.tensor([1, 2]))
    assert check
    assert check.worst is None
    assert repr(check) == "Gradient right; 0 entries compared."


@pytest.mark.parametrize("change", [{"tol": 0.0}, {"max_entries": 0}])
def test_errors(change):
    with pytest.raises(InvalidValue, match="tol and max_entries must be positive, got"):
        check_gradients(torch.sin, torch.ones(1), **change)
