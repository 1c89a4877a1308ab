"""The average that forgets: its formula, its place in checkpoints, and what it leaves behind."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import EMA, Callback, Checkpoint, Trainer


class Diary(Callback):
    """Weights after every batch."""

    def on_fit_start(self, trainer):
        self.batches = []

    def on_batch_end(self, trainer, loss):
        self.batches.append(weights(trainer.model).clone())


def weights(model):
    return nn.utils.parameters_to_vector(model.parameters()).detach()


def data(rows=48):
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(rows, 3, generator=generator)
    return X, X.sum(1, keepdim=True)


def train(callbacks, epochs=4, model=None):
    with seeded(0):
        model = model or MLP((3, 5, 1), norm="layer")
    return Trainer(model, "mse", "sgd", lr=0.1, epochs=epochs, batch_size=8, callbacks=callbacks)


@pytest.mark.parametrize("model", [None, "chain"])
def test_the_average_is_the_recursion(model):
    diary, ema = Diary(), EMA(decay=0.6)
    with seeded(0):
        trainer = train([diary, ema], model=MLP((3, 5, 1)) if model else None)
    expected = weights(trainer.model).double()
    trainer.fit(data())
    for n, now in enumerate(diary.batches, 1):
        decay = min(0.6, (1 + n) / (10 + n))
        expected = decay * expected + (1 - decay) * now.double()
    torch.testing.assert_close(weights(trainer.model).double(), expected, rtol=1e-5, atol=1e-6)
    assert ema.count == 24


def test_a_checkpoint_goes_on_with_both(tmp_path):
    whole = train([EMA(decay=0.9)])
    whole.fit(data())
    first = train([EMA(decay=0.9), Checkpoint(tmp_path / "run", every_steps=9, every_epochs=None)])
    first.fit(data())
    again = train([EMA(decay=0.9), Checkpoint(tmp_path / "run", every_steps=9, every_epochs=None)])
    again.resume(tmp_path / "run")
    assert again.steps == 18
    again.fit(data())
    assert torch.equal(weights(again.model), weights(whole.model))


def test_the_average_is_lent():
    ema, trainer = EMA(decay=0.9), train([])
    trainer.callbacks = [ema]
    trainer.fit(data())
    average = weights(trainer.model).clone()
    other = MLP((3, 5, 1), norm="layer")
    own = weights(other).clone()
    with ema.averaged(other):
        assert torch.equal(weights(other), average)
    assert torch.equal(weights(other), own)


def test_a_second_run_begins_anew():
    ema = EMA(decay=0.9)
    for _ in range(2):
        train([ema]).fit(data())
    assert ema.count == 24


def test_what_is_frozen_stays():
    model = MLP((3, 5, 1))
    model[0].weight.requires_grad_(False)
    before = model[0].weight.clone()
    train([EMA()], model=model).fit(data())
    assert torch.equal(model[0].weight, before)


def test_convolutions_are_averaged_in_any_layout():
    with seeded(0):
        model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Flatten(), nn.Linear(12, 1))
        images, y = torch.randn(16, 2, 4, 4), torch.randn(16, 1)
    trainer = Trainer(model, "mse", lr=0.01, epochs=2, batch_size=4, callbacks=[EMA(decay=0.5)])
    trainer.fit((images, y))
    averages = weights(model).clone()
    with seeded(0):
        model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Flatten(), nn.Linear(12, 1))
    plain = Trainer(
        model, "mse", lr=0.01, epochs=2, batch_size=4, callbacks=[EMA(decay=0.5)], memory_format="contiguous"
    )  # fmt: skip
    plain.fit((images, y))
    torch.testing.assert_close(averages, weights(model), rtol=1e-4, atol=1e-5)


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match=r"EMA: decay must be in \[0, 1\), got 1"):
        EMA(decay=1)
    with pytest.raises(InvalidValue, match="EMA: averaged must come after a first step"), EMA().averaged(nn.Linear(1, 1)):  # fmt: skip
        pass
