"""Pruning: exact sparsity, largest kept, zeros that stay zero."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.nn.pruning import apply_masks, magnitude_masks, weight_sparsity
from gradatim.nn.weight_normalization import bake_weights, normalize_weights
from gradatim.training import Trainer


@given(sparsity=st.floats(0, 1), scope=st.sampled_from(["global", "layer"]))
@settings(max_examples=25, deadline=None)
def test_sparsity_is_exact_and_the_largest_stay(sparsity, scope):
    model = MLP((5, 7, 3))
    masks = magnitude_masks(model, sparsity, scope=scope)
    weights = {name: model.get_submodule(name).weight.detach().abs() for name in masks}
    groups = [list(masks)] if scope == "global" else [[name] for name in masks]
    for group in groups:
        mask = torch.cat([masks[name].flatten() for name in group])
        size = torch.cat([weights[name].flatten() for name in group])
        assert int((mask == 0).sum()) == round(sparsity * mask.numel())
        if 0 < mask.sum() < mask.numel():
            assert size[mask == 1].min() >= size[mask == 0].max()


@pytest.mark.parametrize("optimizer", ["adam", "momentum"])
def test_pruned_weights_stay_zero_in_training_with_decay(optimizer):
    model = MLP((4, 16, 3))
    apply_masks(model, magnitude_masks(model, 0.75))
    before = weight_sparsity(model)
    X, y = torch.randn(64, 4), torch.randint(3, (64,))
    trainer = Trainer(
        model, optimizer=optimizer, lr=0.05, weight_decay=0.01, epochs=5, batch_size=16
    )
    trainer.fit((X, y))
    assert weight_sparsity(model) == before == 84 / 112
    out = model(X)
    torch.testing.assert_close(bake_weights(model)(X), out)
    assert weight_sparsity(model) == before


def test_ties_do_not_change_the_count_and_the_dead_stay_dead():
    layer = nn.Linear(8, 1)
    nn.init.ones_(layer.weight)
    apply_masks(layer, magnitude_masks(layer, 0.5))
    assert weight_sparsity(layer) == 0.5
    dead = layer.weight == 0
    layer.parametrizations.weight.original.data[dead] = 100.0
    apply_masks(layer, magnitude_masks(layer, 0.75))
    assert weight_sparsity(layer) == 0.75
    assert (layer.weight[dead] == 0).all()


def test_errors():
    with pytest.raises(GradatimError, match=r"sparsity must be in \[0, 1\], got 50"):
        magnitude_masks(nn.Linear(2, 2), 50)
    with pytest.raises(GradatimError, match="scope must be one of global, layer, got 'globl'"):
        magnitude_masks(nn.Linear(2, 2), 0.5, scope="globl")
    with pytest.raises(GradatimError, match="must have a dense or convolutional layer, got none"):
        magnitude_masks(nn.ReLU(), 0.5)
    with pytest.raises(GradatimError, match="weights must be plain or masked"):
        magnitude_masks(normalize_weights(nn.Linear(2, 2)), 0.5)
