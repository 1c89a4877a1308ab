"""Maps of every head, by one run."""

import pytest
import torch
from torch import nn

from gradatim.models import GPT, Transformer
from gradatim.nn import attention_maps


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
