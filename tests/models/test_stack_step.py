import pytest
import torch

from gradatim.models.stack_step import step_stack
from gradatim.nn import Recurrent


@pytest.mark.parametrize("cell", ["gru", "lstm", "elman", "lru"])
def test_steps_equal_the_sequence(cell):
    torch.manual_seed(0)
    rnn = Recurrent(cell, 3, 4, num_layers=2, dropout=0.5).double().eval()
    x = torch.randn(5, 6, 3, dtype=torch.float64)
    outputs, final = rnn(x)
    state = rnn.initial_state(5)
    for t in range(6):
        y, state = step_stack(rnn, x[:, t], state)
        assert torch.allclose(y, outputs[:, t])
    assert all(torch.allclose(a, b) for a, b in zip(state, final, strict=True))


def test_dropout_falls_between_the_layers():
    torch.manual_seed(0)
    rnn = Recurrent("elman", 2, 3, num_layers=2, dropout=0.9)
    x, state = torch.randn(1, 2), rnn.initial_state(1)
    drawn = {tuple(step_stack(rnn, x, state)[0][0].tolist()) for _ in range(20)}
    assert len(drawn) > 1
    first = {tuple(step_stack(rnn, x, state)[1][0][0, 0].tolist()) for _ in range(20)}
    assert len(first) == 1  # the first layer's own state is whole
