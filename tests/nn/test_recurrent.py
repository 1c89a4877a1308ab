"""Recurrent layers: equal to PyTorch's where they coincide, and blind to padding."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.nn import CELLS, Recurrent

TWINS = {"elman": (nn.RNN, {}), "elman_relu": (nn.RNN, {"nonlinearity": "relu"}), "lstm": (nn.LSTM, {}), "gru": (nn.GRU, {})}  # fmt: skip


@pytest.fixture(autouse=True)
def _same_weights_every_time():
    """A random ReLU may be dead or stand on its corner."""
    torch.manual_seed(0)


def copy_to(rnn, twin):
    """Give PyTorch's module the weights of ours; its second bias is zero but for GRU's candidate."""
    for k, cell in enumerate(rnn.cells):
        suffix = f"_l{k // rnn.num_directions}" + ("_reverse" if k % rnn.num_directions else "")
        state_bias = torch.zeros_like(cell.input.bias)
        if rnn.cell == "gru":
            state_bias[-rnn.hidden_dim :] = cell.candidate_bias
        named = {"weight_ih": cell.input.weight, "weight_hh": cell.recurrent.weight, "bias_ih": cell.input.bias, "bias_hh": state_bias}  # fmt: skip
        for name, value in named.items():
            getattr(twin, name + suffix).data.copy_(value)


@pytest.mark.parametrize("is_bidirectional", [False, True])
@pytest.mark.parametrize("name", TWINS)
def test_equals_pytorch(name, is_bidirectional):
    kind, options = TWINS[name]
    rnn = Recurrent(name, 3, 5, num_layers=2, is_bidirectional=is_bidirectional)
    for p in rnn.parameters():
        nn.init.normal_(p, std=0.4)
    twin = kind(3, 5, num_layers=2, bidirectional=is_bidirectional, batch_first=True, **options)
    copy_to(rnn, twin)
    x = torch.randn(4, 9, 3)
    (ours, state), (theirs, last) = rnn(x), twin(x)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(state, last if name == "lstm" else (last,))
    ours.square().sum().backward()
    theirs.square().sum().backward()
    torch.testing.assert_close(rnn.cells[-1].recurrent.weight.grad, twin._flat_weights[-3].grad, rtol=1e-4, atol=1e-5)  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_equals_pytorch_on_packed_sequences(name):
    kind, options = TWINS[name]
    rnn = Recurrent(name, 3, 5, is_bidirectional=True)
    twin = kind(3, 5, bidirectional=True, batch_first=True, **options)
    copy_to(rnn, twin)
    x, lengths = torch.randn(4, 9, 3), torch.tensor([9, 1, 4, 2])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    theirs, last = twin(packed)
    ours, state = rnn(x, lengths)
    padded, _ = nn.utils.rnn.pad_packed_sequence(theirs, batch_first=True)
    torch.testing.assert_close(ours, padded)
    torch.testing.assert_close(state, last if name == "lstm" else (last,))


def gradients(rnn, outputs, state):
    """Gradient of a function of outputs and state, zero for a parameter it does not reach."""
    total = outputs.sum() + sum(part.sin().abs().sum() for part in state)
    if not total.requires_grad:  # no step was taken
        return [torch.zeros_like(p) for p in rnn.parameters()]
    return list(torch.autograd.grad(total, list(rnn.parameters()), allow_unused=True, materialize_grads=True))  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_padding_changes_nothing(name, data):
    """Outputs, state and gradient of a sequence are the same alone and in a padded batch."""
    lengths = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    T = max(lengths) + data.draw(st.integers(0, 3))
    options = {key: data.draw(st.booleans()) for key in ("is_bidirectional", "layer_norm", "residual", "learn_initial_state")}  # fmt: skip
    torch.manual_seed(data.draw(st.integers(0, 99)))
    rnn = Recurrent(name, 2, 3, num_layers=2, **options).double()
    for p in rnn.parameters():
        nn.init.normal_(p, std=0.6)
    x = torch.randn(len(lengths), T, 2, dtype=torch.float64)
    for row, length in enumerate(lengths):
        x[row, length:] = float("nan")  # whatever stands in the padding
    outputs, state = rnn(x, lengths)
    together, apart = gradients(rnn, outputs, state), [0.0 for _ in rnn.parameters()]
    for row, length in enumerate(lengths):
        y, s = rnn(x[row : row + 1, :length])
        torch.testing.assert_close(outputs[row, :length], y[0])
        assert not outputs[row, length:].any()
        torch.testing.assert_close(tuple(p[:, row] for p in state), tuple(p[:, 0] for p in s))
        apart = [a + g for a, g in zip(apart, gradients(rnn, y, s), strict=True)]
    torch.testing.assert_close(together, apart)


@pytest.mark.parametrize("name", CELLS)
def test_state_carries_a_sequence_over_a_cut(name):
    rnn = Recurrent(name, 2, 3, num_layers=2).double()
    x = torch.randn(4, 10, 2, dtype=torch.float64)
    whole, last = rnn(x)
    first, state = rnn(x[:, :6])
    second, end = rnn(x[:, 6:], state=state)
    torch.testing.assert_close(torch.cat([first, second], 1), whole)
    torch.testing.assert_close(end, last)


@pytest.mark.parametrize("name", CELLS)
def test_causal_unless_bidirectional(name):
    x = torch.randn(1, 8, 2, dtype=torch.float64)
    changed = x.clone()
    changed[:, 5:] += 1.0
    one_way = Recurrent(name, 2, 3).double()
    torch.testing.assert_close(one_way(x)[0][:, :5], one_way(changed)[0][:, :5], rtol=0, atol=0)
    both = Recurrent(name, 2, 16, is_bidirectional=True).double()  # some units of a ReLU are off
    assert (both(x)[0][:, :5] - both(changed)[0][:, :5]).abs().amax(-1).gt(1e-9).all()


@pytest.mark.parametrize("name", CELLS)
def test_the_backward_layer_is_the_forward_one_on_the_reversed_sequence(name):
    both = Recurrent(name, 2, 3, is_bidirectional=True).double()
    one = Recurrent(name, 2, 3).double()
    one.cells[0].load_state_dict(both.cells[1].state_dict())
    x = torch.randn(2, 6, 2, dtype=torch.float64)
    torch.testing.assert_close(both(x)[0][..., 3:], one(x.flip(1))[0].flip(1))
    assert both.cells[0].state_dict().keys() == both.cells[1].state_dict().keys()


@pytest.mark.parametrize("name", CELLS)
def test_gradient(name):
    rnn = Recurrent(name, 2, 3, num_layers=2, residual=True, learn_initial_state=True).double()
    for p in rnn.parameters():
        nn.init.normal_(p, std=0.5)
    x = torch.randn(2, 4, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: rnn(x, [4, 2])[0], (x,))
    outputs, _ = rnn(x)
    outputs.square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in rnn.parameters())


def test_a_relu_state_that_would_overflow_in_the_padding_stands_still():
    rnn = Recurrent("elman_relu", 1, 2)
    nn.init.constant_(rnn.cells[0].recurrent.weight, 10.0)
    nn.init.constant_(rnn.cells[0].input.weight, 1.0)
    outputs, _ = rnn(torch.ones(1, 200, 1), [2])
    outputs.sum().backward()
    assert all(p.grad.isfinite().all() for p in rnn.parameters())


def test_parameter_counts():
    """D=100, H=64: one bias per gate; layers from the second on take H inputs (2H in both directions)."""

    def count(*args, **options):
        return sum(p.numel() for p in Recurrent(*args, **options).parameters())

    assert count("elman", 100, 64) == 10_560
    assert count("lstm", 100, 64) == 42_240
    assert count("lstm", 100, 64, num_layers=2) == 42_240 + 4 * (64 * 64 + 64 * 64 + 64)
    assert count("lstm", 100, 64, learn_initial_state=True) == 42_240 + 2 * 64
    both = count("lstm", 100, 64, num_layers=2, is_bidirectional=True)
    assert both == 2 * (42_240 + 4 * (64 * 128 + 64 * 64 + 64))


def test_residual_and_norm_by_hand():
    rnn = Recurrent("elman", 3, 3, num_layers=1, layer_norm=True, residual=True)
    plain = Recurrent("elman", 3, 3)
    plain.cells.load_state_dict(rnn.cells.state_dict())
    x = torch.randn(2, 4, 3)
    h = plain(x)[0]
    normal = (h - h.mean(-1, keepdim=True)) / (h.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
    torch.testing.assert_close(rnn(x)[0], normal + x)


def test_dropout_acts_between_layers_in_training_only():
    rnn = Recurrent("gru", 2, 50, num_layers=2, dropout=0.9)
    x = torch.randn(1, 3, 2)
    assert not torch.equal(rnn(x)[0], rnn(x)[0])
    rnn.eval()
    assert torch.equal(rnn(x)[0], rnn(x)[0])


def test_a_learned_initial_state_is_used_and_an_explicit_one_wins():
    rnn = Recurrent("lstm", 2, 3, learn_initial_state=True)
    nn.init.normal_(rnn.initial[0])
    x = torch.randn(2, 4, 2)
    zeros = (torch.zeros(1, 2, 3), torch.zeros(1, 2, 3))
    given = tuple(p.detach()[:, None].expand(-1, 2, -1) for p in rnn.initial)
    torch.testing.assert_close(rnn(x)[0], rnn(x, state=given)[0])
    assert not torch.allclose(rnn(x)[0], rnn(x, state=zeros)[0])


@pytest.mark.parametrize("name", CELLS)
def test_nothing_but_padding_and_no_time_at_all(name):
    rnn = Recurrent(name, 2, 3, is_bidirectional=True)
    assert rnn(torch.zeros(2, 0, 2))[0].shape == (2, 0, 6)
    outputs, state = rnn(torch.randn(2, 4, 2), [0, 0])
    assert not outputs.any()
    assert not any(part.any() for part in state)
    outputs.sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in rnn.parameters())


@pytest.mark.parametrize("name", CELLS)
def test_one_step_is_the_cell_itself(name):
    rnn = Recurrent(name, 2, 3)
    x = torch.randn(4, 1, 2)
    state, y = rnn.cells[0](tuple(part[0] for part in rnn.initial_state(4)), x[:, 0])
    outputs, final = rnn(x)
    torch.testing.assert_close(outputs[:, 0], y)
    for found, wanted in zip(final, state, strict=True):
        torch.testing.assert_close(found[0], wanted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cell": "ltsm"}, "Recurrent: cell must be one of lstm"),
        ({"hidden_dim": 0}, "Recurrent: hidden_dim must be a whole number from 1, got 0."),
        ({"num_layers": 1.5}, "Recurrent: num_layers must be a whole number from 1, got 1.5."),
        ({"dropout": 1.0}, "Recurrent: dropout must be from 0 to below 1, got 1.0."),
        ({"residual": True}, "Recurrent: residual must have a layer with equal widths, got 2 in and 3"),
    ],
)  # fmt: skip
def test_bad_arguments(options, message):
    with pytest.raises(InvalidValue) as error:
        Recurrent(**({"cell": "gru", "input_dim": 2, "hidden_dim": 3} | options))
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (torch.zeros(2, 4), {}, r"x must be real numbers of shape \(batch, time, 2\), got .* \(2, 4\)"),
        (torch.zeros(2, 4, 2, dtype=torch.long), {}, "x must be real numbers"),
        (torch.zeros(2, 4, 2), {"lengths": [5, 1]}, "lengths must be from 0 to the padded length 4, got 1 to 5"),
        (torch.zeros(2, 4, 2), {"lengths": [-1, 1]}, "lengths must be from 0 .* got -1 to 1"),
        (torch.zeros(2, 4, 2), {"lengths": [4]}, r"lengths must be one number per sequence, got shape \(1,\)"),
        (torch.zeros(2, 4, 2), {"state": (torch.zeros(2, 3),)}, r"state must be 1 tensor\(s\) of shape \(1, 2, 3\)"),
    ],
)  # fmt: skip
def test_bad_inputs(x, options, message):
    with pytest.raises(InvalidValue, match=message):
        Recurrent("gru", 2, 3)(x, **options)


def test_bad_types():
    with pytest.raises(InvalidType, match=r"cell must build a gradatim\.nn\.Cell, got GRUCell"):
        Recurrent(nn.GRUCell, 2, 3)
    with pytest.raises(InvalidType, match=r"lengths must be whole numbers, got torch\.float32"):
        Recurrent("gru", 2, 3)(torch.zeros(2, 4, 2), [1.0, 2.0])


@pytest.mark.parametrize("name", ["gru", "lstm"])
def test_a_state_in_the_place_of_lengths_is_told_its_own(name):
    layer, x = Recurrent(name, 2, 3), torch.randn(4, 5, 2)
    _, state = layer(x)
    for misplaced in (state, state[0], list(state)):
        with pytest.raises(InvalidType, match=r"lengths must be whole numbers.*state="):
            layer(x, misplaced)


def test_a_state_of_one_part_may_stand_alone_and_have_another_precision():
    layer, x = Recurrent("gru", 2, 3), torch.randn(4, 5, 2)
    _, (h,) = layer(x)
    torch.testing.assert_close(layer(x, state=h)[0], layer(x, state=(h.double(),))[0])
