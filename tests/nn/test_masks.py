"""Masks: who may look at whom."""

import pytest
import torch

from gradatim.nn import causal_mask, padding_mask


def test_causal_rule_entry_by_entry():
    for T, S in [(4, 4), (2, 5), (1, 3)]:
        mask = causal_mask(T, S)
        for t in range(T):
            for s in range(S):
                assert mask[t, s].item() == (s <= t + S - T)


def test_padding_rule_entry_by_entry():
    mask = padding_mask(torch.tensor([2, 0, 4]), 5)
    assert mask.shape == (3, 1, 1, 5)
    assert mask.flatten(1).int().tolist() == [[1, 1, 0, 0, 0], [0] * 5, [1, 1, 1, 1, 0]]


def test_refuses_a_length_below_the_longest():
    with pytest.raises(ValueError, match="length must be at least the longest sequence, 4, got 3"):
        padding_mask(torch.tensor([4, 2]), 3)
