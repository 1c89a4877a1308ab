import pytest
import torch

from gradatim.errors import InvalidType, InvalidValue
from gradatim.instruments import record_gates
from gradatim.nn import Recurrent


def test_the_record_obeys_the_equations():
    rnn = Recurrent("lstm", 2, 3, learn_initial_state=True)
    torch.nn.init.normal_(rnn.initial[1])
    x = torch.randn(4, 6, 2)
    record = record_gates(rnn, x)
    before = torch.cat([rnn.initial_state(4)[1][0][:, None], record.cell[:, :-1]], 1)
    torch.testing.assert_close(
        record.cell, record.forget * before + record.input * record.candidate
    )
    torch.testing.assert_close(record.hidden, record.output * record.cell.tanh())
    torch.testing.assert_close(record.hidden, rnn(x)[0].detach())


def test_other_cells_are_refused():
    with pytest.raises(InvalidType, match="rnn must be made of LSTMCell, got GRUCell"):
        record_gates(Recurrent("gru", 2, 3), torch.zeros(1, 2, 2))


@pytest.mark.parametrize("shape", [(1, 0, 2), (1, 4, 3), (4, 2)])
def test_what_is_no_sequence_is_refused(shape):
    with pytest.raises(InvalidValue, match=r"x must be of shape \(batch, time, 2\), at least one"):
        record_gates(Recurrent("lstm", 2, 3), torch.zeros(shape))
