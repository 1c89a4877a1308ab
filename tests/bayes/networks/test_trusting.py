import torch

from gradatim.bayes.networks.trusting import MOST, judge_outputs


def test_chains_that_say_the_same_are_trusted_and_others_are_not():
    g = torch.Generator().manual_seed(0)
    outputs = torch.randn(4, 500, 3, 2, generator=g)
    assert judge_outputs(outputs, {}, 0.1).startswith("To be trusted (4 chains of 500 draws)")
    outputs[0] += 1
    assert "R-hat of f[" in judge_outputs(outputs, {}, 0.1)


def test_of_many_outputs_some_are_judged():
    assert judge_outputs(torch.randn(2, 4, 10 * MOST, 1), {}, 0.1)
