"""A step leaves nothing behind: as many tensors live after many steps as after a few."""

import gc

import pytest
import torch
from torch import Tensor

from gradatim.data import TokenWindows
from gradatim.losses import token_cross_entropy
from gradatim.models import GPT, MLP
from gradatim.training import Callback, Trainer


class Census(Callback):
    """Counts live tensors and their bytes at the end of every epoch."""

    def __init__(self):
        self.counts = []

    def on_epoch_end(self, trainer, record):
        gc.collect()
        alive = [o for o in gc.get_objects() if issubclass(type(o), Tensor)]
        self.counts.append((len(alive), sum(t.numel() * t.element_size() for t in alive)))


def train_gpt(census):
    tokens = torch.randint(7, (400,)).numpy()
    windows = TokenWindows(tokens, 8, batch_size=4, num_batches=10)
    model = GPT(7, 8, 8, 2, 2, dropout=0.1)
    trainer = Trainer(model, token_cross_entropy, "adamw", epochs=8, callbacks=[census], clip_norm=1.0, metrics=[token_cross_entropy])  # fmt: skip
    trainer.fit(windows, windows)


def train_mlp(census):
    X, y = torch.randn(200, 4), torch.arange(200) % 3
    trainer = Trainer(MLP((4, 8, 3)), epochs=8, batch_size=10, callbacks=[census], metrics=["accuracy"])  # fmt: skip
    trainer.fit((X, y), (X, y))


@pytest.fixture
def nothing_else():
    """What other tests left behind is not looked at, which would take seconds."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("nothing_else")
@pytest.mark.parametrize("train", [train_gpt, train_mlp])
def test_no_tensor_outlives_its_step(train):
    census = Census()
    train(census)
    assert max(census.counts[2:]) <= census.counts[1], census.counts
