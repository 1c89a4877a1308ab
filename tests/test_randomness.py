"""A seed fixes the draws; the caller's random state is untouched."""

import torch

from gradatim.randomness import seeded


def test_equal_seeds_give_equal_draws_and_others_differ():
    draws = []
    for seed in (3, 3, 4):
        with seeded(seed):
            draws.append(torch.rand(5))
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_the_callers_randomness_is_untouched():
    torch.manual_seed(1)
    expected = torch.rand(4)
    torch.manual_seed(1)
    with seeded(0):
        torch.rand(100)
    assert torch.equal(torch.rand(4), expected)


def test_it_comes_back_after_an_error():
    before = torch.get_rng_state()
    try:
        with seeded(0):
            torch.rand(1)
            raise ArithmeticError
    except ArithmeticError:
        pass
    assert torch.equal(torch.get_rng_state(), before)
