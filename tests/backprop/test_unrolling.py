"""Recurrent layers unrolled: every step a stage, the copies' gradients a sum, and nothing left behind."""

import copy

import pytest
import torch
from torch import nn

from gradatim.backprop import backpropagate
from gradatim.nn import CELLS, Recurrent


class Last(nn.Module):
    """Recurrent layers, and a map of what they say last; its stages are named."""

    def __init__(self, rnn, width):
        super().__init__()
        self.rnn, self.readout = rnn, nn.Linear(width, 2)

    def stages(self):
        return [("rnn", self.rnn), ("last", lambda pair: pair[0][:, -1]), ("readout", self.readout)]

    def forward(self, *x):
        return self.readout(self.rnn(*x)[0][:, -1])


def squared(output, y):
    return (output - y).square().sum() / 2


def check(model, x, y):
    """The trace, whose gradients must be autograd's."""
    inputs = x if isinstance(x, tuple) else (x,)
    trace = backpropagate(model, squared, x, y)
    named = dict(model.named_parameters())
    pulled = torch.autograd.grad(
        squared(model(*inputs), y), list(named.values()), allow_unused=True
    )
    for name, gradient in zip(named, pulled, strict=True):
        torch.testing.assert_close(trace.gradients[name], gradient, msg=name)
    return trace


@pytest.mark.parametrize("cell", CELLS)
def test_copies_of_every_cell_sum_to_the_gradient(cell):
    model = Last(Recurrent(cell, 3, 4, learn_initial_state=True), 4).double()
    x, y = torch.randn(2, 5, 3, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    trace = check(model, x, y)
    steps = [s for s in trace.stages if " step " in s.name]
    assert [s.name for s in steps] == [f"rnn step {t}" for t in range(1, 6)]
    assert [s.name for s in trace.stages[5:]] == ["rnn", "last", "readout"]
    key = (
        "rnn.cells.0.nu"
        if cell == "lru"
        else next(n for n in steps[0].gradients if n.endswith("weight"))
    )
    torch.testing.assert_close(sum(s.gradients[key] for s in steps), trace.gradients[key])


def test_co_states_are_derivatives_by_the_states():
    """Against differences: move one state by a little, run on from it, and look at the error."""
    model = Last(Recurrent("lstm", 3, 4), 4).double()
    x, y = torch.randn(1, 6, 3, dtype=torch.float64), torch.randn(1, 2, dtype=torch.float64)
    trace = backpropagate(model, squared, x, y)
    state, costate = trace.stages[2].output, trace.stages[2].costate

    def error(part, j, by):
        moved = [value.clone() for value in state]
        moved[part][0, j] += by
        outputs, _ = model.rnn(x[:, 3:], state=tuple(value[None] for value in moved))
        return squared(model.readout(outputs[:, -1]), y).item()

    for part in (0, 1):
        slopes = [(error(part, j, 1e-6) - error(part, j, -1e-6)) / 2e-6 for j in range(4)]
        torch.testing.assert_close(costate[part][0].tolist(), slopes, rtol=1e-5, atol=1e-8)


def test_stacks_both_ways_with_padding_and_dropout():
    rnn = Recurrent("gru", 3, 4, 2, is_bidirectional=True, layer_norm=True, dropout=0.3)
    model = Last(rnn, 8).double()
    x = torch.randn(2, 4, 3, dtype=torch.float64), torch.tensor([4, 2])
    y = torch.randn(2, 2, dtype=torch.float64)
    torch.manual_seed(1)
    trace = backpropagate(model, squared, x, y)
    torch.manual_seed(1)
    named = dict(model.named_parameters())
    pulled = torch.autograd.grad(squared(model(*x), y), list(named.values()))
    torch.testing.assert_close(list(trace.gradients.values()), list(pulled))
    names = [s.name for s in trace.stages]
    assert names[:5] == [*(f"rnn layer 1 forward step {t}" for t in range(1, 5)), "rnn layer 1 backward step 1"]  # fmt: skip
    assert len(names) == 16 + 3


def test_nothing_is_left_behind():
    model = Last(Recurrent("gru", 3, 4), 4)
    before, cells = copy.deepcopy(model.state_dict()), list(model.rnn.cells)
    backpropagate(model, squared, torch.randn(2, 5, 3), torch.randn(2, 2))
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert list(model.rnn.cells) == cells
    assert all(p.grad is None for p in model.parameters())


def test_the_table_and_the_picture_show_every_step():
    trace = backpropagate(Last(Recurrent("elman", 3, 4), 4), squared, torch.randn(2, 3, 3), torch.randn(2, 2))  # fmt: skip
    assert list(trace.table()["stage"]) == ["input", "rnn step 1", "rnn step 2", "rnn step 3", "rnn", "last", "readout"]  # fmt: skip
    trace.figure().draw_without_rendering()
