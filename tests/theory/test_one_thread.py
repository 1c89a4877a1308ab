from contextlib import suppress

import torch

from gradatim.theory.one_thread import one_thread


def test_restores_the_number_of_threads_even_after_an_error():
    before = torch.get_num_threads()
    with suppress(KeyError), one_thread():
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == before
