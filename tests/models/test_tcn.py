import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import measure_receptive_field
from gradatim.models import TCN, describe, rebuild
from gradatim.nn import bake_weights


def convolve(x, w, b, dilation):
    """A causal convolution, tap by tap: ``x`` is (T, C), ``w`` (O, C, k)."""
    taps = w.shape[2]
    rows = []
    for t in range(len(x)):
        row = b.clone()
        for i in range(taps):
            past = t - dilation * (taps - 1 - i)
            if past >= 0:
                row = row + w[:, :, i] @ x[past]
        rows.append(row)
    return torch.stack(rows)


def by_loop(model, x):
    for k, block in enumerate(model.blocks):
        change = convolve(x, block.first.weight, block.first.bias, 2**k).clamp(min=0)
        change = convolve(change, block.second.weight, block.second.bias, 2**k).clamp(min=0)
        shortcut = block.shortcut
        if not isinstance(shortcut, nn.Identity):
            x = x @ shortcut.weight[:, :, 0].T + shortcut.bias
        x = (x + change).clamp(min=0)
    return x


@pytest.mark.parametrize(("kernel_size", "input_dim"), [(2, 3), (3, 4), (4, 1)])
def test_the_equation(kernel_size, input_dim):
    torch.manual_seed(0)
    model = TCN(input_dim, 4, num_layers=3, kernel_size=kernel_size).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    x = torch.randn(11, input_dim, dtype=torch.float64)
    torch.testing.assert_close(model(x[None])[0], by_loop(model, x))


class ByChannels(nn.Module):
    """The network on ``(B, C, n)``, as instruments for convolutions look at it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x.mT).mT


@settings(max_examples=12, deadline=None)
@given(num_layers=st.integers(1, 4), kernel_size=st.integers(2, 5), normalized=st.booleans())
def test_the_receptive_field_stated_is_the_one_measured(num_layers, kernel_size, normalized):
    torch.manual_seed(0)
    model = TCN(
        2, 8, num_layers=num_layers, kernel_size=kernel_size, is_weight_normalized=normalized
    ).double()
    r = model.receptive_field
    x = torch.randn(16, 2, r + 9, dtype=torch.float64)
    field = measure_receptive_field(ByChannels(model), x, place=(r + 3,))
    assert field.size == (r,)
    assert field.sensitivity.nonzero().max() == r + 3  # it ends at the present


@settings(max_examples=15, deadline=None)
@given(changed=st.integers(0, 19), num_layers=st.integers(1, 3))
def test_the_future_changes_nothing(changed, num_layers):
    torch.manual_seed(0)
    model = TCN(2, 4, num_layers=num_layers)
    x = torch.randn(3, 20, 2)
    other = x.clone()
    other[:, changed:] = 100 * torch.randn(3, 20 - changed, 2)
    before, after = model(x), model(other)
    assert torch.equal(before[:, :changed], after[:, :changed])
    assert not torch.equal(before[:, changed], after[:, changed])


@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_padding_changes_nothing(lengths):
    torch.manual_seed(0)
    model = TCN(3, 4, num_layers=2).double()
    x = torch.randn(len(lengths), 9, 3, dtype=torch.float64)
    x[torch.arange(9) >= torch.tensor(lengths)[:, None]] = torch.nan
    together = model(x, lengths)
    together.square().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())
    for b, length in enumerate(lengths):
        torch.testing.assert_close(together[b, :length], model(x[b : b + 1, :length])[0])
        assert not together[b, length:].any()


def test_the_gradient():
    torch.manual_seed(0)
    model = TCN(2, 3, num_layers=2).double()
    x = torch.randn(2, 6, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: model(x, [6, 3]), (x,))


def test_normalized_weights_are_described_and_baked():
    torch.manual_seed(0)
    model = TCN(2, 3, num_layers=2, is_weight_normalized=True, dropout=0.2).eval()
    again = rebuild(describe(model)).eval()
    again.load_state_dict(model.state_dict())
    x = torch.randn(2, 6, 2)
    assert torch.equal(again(x), model(x))
    torch.testing.assert_close(bake_weights(again)(x), model(x))


def test_dropout_acts_in_training_only():
    model = TCN(2, 8, dropout=0.5)
    x = torch.randn(2, 6, 2)
    assert not torch.equal(model(x), model(x))
    model.eval()
    assert torch.equal(model(x), model(x))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_layers": 0}, "TCN: num_layers must be a whole number from 1, got 0"),
        ({"kernel_size": 1}, "TCN: kernel_size must be 2 or more, got 1"),
        ({"dropout": 1.0}, "TCN: dropout must be from 0 to below 1, got 1.0"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(InvalidValue, match=message):
        TCN(2, 3, **arguments)


@pytest.mark.parametrize(
    "x", [torch.zeros(2, 4), torch.zeros(2, 5, 4), torch.zeros(2, 5, 3).long()]
)
def test_what_is_no_batch_is_refused(x):
    with pytest.raises(
        InvalidValue, match=r"TCN: x must be real numbers of shape \(batch, time, 3\)"
    ):
        TCN(3, 4)(x)
