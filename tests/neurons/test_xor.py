"""Hand-set weights for XOR, recomputed by plain arithmetic."""

import torch

from gradatim.neurons import xor_mlp

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_both_choices_implement_xor():
    inputs = torch.tensor(CORNERS, dtype=torch.float32)
    for model in (xor_mlp(), xor_mlp(output_bias=False)):
        assert (model(inputs).flatten() > 0).tolist() == [False, True, True, False]


def test_outputs_equal_the_formulas():
    inputs = torch.rand(100, 2, generator=torch.Generator().manual_seed(0)) * 4 - 2
    with_bias, without = xor_mlp()(inputs).flatten(), xor_mlp(output_bias=False)(inputs).flatten()
    for (a, b), f, g in zip(inputs.tolist(), with_bias.tolist(), without.tolist(), strict=True):
        assert abs(f - (max(a + b, 0) - 2 * max(a + b - 1, 0) - 0.5)) < 1e-5
        assert abs(g - abs(a - b)) < 1e-5


def test_no_output_bias_means_none():
    assert xor_mlp(output_bias=False)[2].bias.tolist() == [0.0]


def test_building_leaves_the_random_state_alone():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    xor_mlp()
    assert torch.equal(torch.rand(3), expected)
