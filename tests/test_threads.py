from contextlib import suppress

import torch

from gradatim.threads import limit_threads


def test_restores_the_number_of_threads_even_after_an_error():
    before = torch.get_num_threads()
    with suppress(KeyError), limit_threads(1):
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == before


def test_never_raises_the_number_of_threads():
    before = torch.get_num_threads()
    with limit_threads(before + 1):
        assert torch.get_num_threads() == before
