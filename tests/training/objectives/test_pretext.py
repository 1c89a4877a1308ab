"""Pretext tasks: they can be solved, and only by knowing the data."""

import pytest
import torch
from torch import nn

from gradatim.data import load
from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.training import (
    Denoising,
    MaskedReconstruction,
    Rotation,
    Trainer,
    replace_head,
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_digits_tell_which_way_is_up_and_the_trunk_can_be_kept():
    images = torch.as_tensor(load("digits").X).reshape(-1, 1, 8, 8)[:400]
    torch.manual_seed(0)
    model = MLP((64, 64, 4))
    data = (images, torch.zeros(400))
    history = Trainer(model, objective=Rotation(), lr=3e-3, epochs=15, batch_size=50).fit(
        data, data
    )
    assert history["train_accuracy"][0] < 0.8
    assert history["validation_accuracy"][-1] > 0.9
    assert replace_head(model, 10)(images).shape == (400, 10)


def test_a_symmetric_image_has_no_up():
    figures = Rotation()(nn.Sequential(nn.Flatten(), nn.Linear(16, 4)), (torch.ones(5, 1, 4, 4),))
    assert figures["accuracy"].item() == 0.25


def test_denoising_learns_the_conditional_mean():
    """x ~ N(0, 1), noise N(0, σ²): E[x | x + σε] = (x + σε) / (1 + σ²), error σ² / (1 + σ²)."""
    X = torch.randn(4000, 1, generator=seeded())
    model = nn.Linear(1, 1)
    trainer = Trainer(
        model, optimizer="sgd", lr=0.05, epochs=20, batch_size=100, objective=Denoising(0.5)
    )
    history = trainer.fit((X, X))
    assert model.weight.item() == pytest.approx(1 / 1.25, abs=0.03)
    assert history["train_loss"][-1] == pytest.approx(0.25 / 1.25, abs=0.02)


def test_masked_entries_are_read_off_their_copies():
    """Each number comes twice; what is hidden once can be seen in the other place."""
    z = torch.randn(2000, 2, generator=seeded())
    X = torch.cat([z, z], 1)
    model = nn.Linear(4, 4)
    step = MaskedReconstruction(0.2)
    history = Trainer(model, lr=0.02, epochs=20, batch_size=100, objective=step).fit((X, X))
    assert history["train_loss"][-1] < 0.3  # hidden with its copy one time in five
    weight = model.weight.detach()
    assert weight[0, 2].item() == pytest.approx(1.0, abs=0.15)


def test_only_hidden_entries_count():
    step = MaskedReconstruction(0.0)
    assert step(nn.Linear(3, 3), (torch.randn(4, 3),)).item() == 0.0


def test_errors():
    with pytest.raises(GradatimError, match="std must be at least 0"):
        Denoising(-0.1)
    with pytest.raises(GradatimError, match="drop must be in"):
        MaskedReconstruction(1.1)
