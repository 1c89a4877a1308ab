"""Maps of every head, by one run."""

import pytest
import torch
from torch import nn

from gradatim.instruments import attention_maps, cross_attention
from gradatim.models import GPT, Transformer


def test_rows_are_distributions_over_what_may_be_seen():
    model = GPT(7, 12, 8, 3, 2, dropout=0.5)
    maps = attention_maps(model, torch.randint(7, (2, 5)))
    assert len(maps) == 3
    for weights in maps.values():
        assert weights.shape == (2, 2, 5, 5)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, 5))
        assert torch.equal(weights, weights.tril())
    assert model.training
    assert all(block.attention.observer is None for block in model.blocks.blocks)


def test_cross_attention_has_maps_of_its_own():
    model = Transformer(9, 9, 12, dim=8, num_layers=1, num_heads=2)
    source, target = torch.randint(1, 9, (1, 6)), torch.randint(1, 9, (1, 4))
    shapes = {
        name.split(".")[-1]: tuple(w.shape)
        for name, w in attention_maps(model, source, target).items()
    }
    assert shapes["cross_attention"] == (1, 2, 4, 6)


def test_refuses_a_model_without_attention():
    with pytest.raises(
        TypeError, match=r"must hold a MultiHeadAttention of gradatim\.nn, got Linear"
    ):
        attention_maps(nn.Linear(2, 2), torch.zeros(1, 2))


def test_cross_attention_is_a_distribution_over_real_tokens():
    model = Transformer(9, 6, 8, dim=8, num_heads=2).double()
    source = torch.tensor([[4, 5, 6, 7], [8, 4, 0, 0], [5, 5, 5, 0]])
    target = torch.tensor([[3, 4, 2], [5, 2, 0], [3, 3, 3]])
    weights = cross_attention(model, source, target)
    assert weights.shape == (3, 3, 4)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 3, dtype=weights.dtype))
    assert weights[1, :, 2:].abs().max() == 0
