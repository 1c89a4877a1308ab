import torch

from gradatim.data.vocabulary import START
from gradatim.models import shift_right


def test_the_decoder_is_given_the_past():
    assert shift_right(torch.tensor([[5, 6, 2, 0]])).tolist() == [[START, 5, 6, 2]]
