import torch

from gradatim.models.decoder_state import (
    batch_first,
    last_layer_numbers,
    numbers_per_part,
    state_from_numbers,
)
from gradatim.nn import Recurrent


def test_numbers_become_layers_and_parts():
    rnn = Recurrent("lstm", 3, 2, num_layers=2)
    numbers = torch.arange(16.0).view(2, 8)
    h, c = state_from_numbers(rnn, numbers)
    assert h.tolist() == [[[0.0, 1.0], [8.0, 9.0]], [[2.0, 3.0], [10.0, 11.0]]]
    assert c.tolist() == [[[4.0, 5.0], [12.0, 13.0]], [[6.0, 7.0], [14.0, 15.0]]]
    assert last_layer_numbers((h, c)).tolist() == [[2.0, 3.0], [10.0, 11.0]]


def test_complex_states_go_there_and_back():
    rnn = Recurrent("lru", 3, 5)  # three complex numbers
    assert numbers_per_part(rnn) == 6
    numbers = torch.randn(4, 6)
    (h,) = state_from_numbers(rnn, numbers)
    assert (h.shape, h.dtype) == ((1, 4, 3), torch.complex64)
    assert torch.equal(last_layer_numbers((h,)), numbers)


def test_the_batch_comes_first_and_back_again():
    state = (torch.randn(2, 3, 4), torch.randn(2, 3, 4))
    there = batch_first(state)
    assert torch.equal(there[1][2, 0], state[1][0, 2])
    assert all(torch.equal(a, b) for a, b in zip(batch_first(there), state, strict=True))
