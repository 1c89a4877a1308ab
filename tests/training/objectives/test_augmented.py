"""Augmented and mixed training: fresh in training, clean in validation, fixed by the seed."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.data import add_noise, random_flip
from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.training import Augmented, MixUp, Trainer

X = torch.rand(30, 1, 4, 4, generator=torch.Generator().manual_seed(0))
Y = torch.arange(30) % 3


def test_stages_run_in_order_in_training_only():
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    step = Augmented([lambda x: x + 1, lambda x: 2 * x])
    torch.testing.assert_close(step(model, (X, Y)), F.cross_entropy(model(2 * (X + 1)), Y))
    model.eval()
    torch.testing.assert_close(step(model, (X, Y)), F.cross_entropy(model(X), Y))


@pytest.mark.parametrize("build", [lambda: Augmented([random_flip, add_noise]), lambda: MixUp(3)])
def test_the_seed_of_the_trainer_fixes_everything(build):
    def weights(seed):
        torch.manual_seed(0)
        model = MLP((16, 8, 3))
        Trainer(model, objective=build(), epochs=2, batch_size=10, seed=seed).fit((X, Y))
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_mixing_follows_distortion():
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    step = Augmented(lambda x: x + 1, mixing=lambda x, y: (3 * x, 2 - y))
    torch.testing.assert_close(step(model, (X, Y)), F.cross_entropy(model(3 * (X + 1)), 2 - Y))


def test_mixup_validates_on_pure_samples_and_mixes_regression():
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 1))
    target = X.mean((1, 2, 3))[:, None]
    step = MixUp(loss="mse", alpha=1.0)
    model.eval()
    torch.testing.assert_close(step(model, (X, target)), F.mse_loss(model(X), target))
    trainer = Trainer(model, "mse", lr=0.02, epochs=150, batch_size=30, objective=step)
    history = trainer.fit((X, target), (X, target))
    assert history["validation_loss"][-1] < 1e-3  # a linear law survives mixing


def test_errors():
    with pytest.raises(GradatimError, match="alpha must be more than 0, got 0"):
        MixUp(3, alpha=0)
