"""The mean of the weights of the last epochs, batch statistics measured anew, and resuming."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import SWA, Callback, Checkpoint, EarlyStopping, Trainer


class Diary(Callback):
    """Weights after every batch and epoch."""

    def on_fit_start(self, trainer):
        self.batches, self.epochs = [], []

    def on_batch_end(self, trainer, loss):
        self.batches.append(
            nn.utils.parameters_to_vector(trainer.model.parameters()).detach().clone()
        )

    def on_epoch_end(self, trainer, record):
        self.epochs.append(self.batches[-1])


def data(rows=48):
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(rows, 3, generator=generator)
    return X, X.sum(1, keepdim=True) + 0.3 * torch.randn(rows, 1, generator=generator)


def train(callbacks, *, epochs=6, norm=None):
    with seeded(0):
        model = MLP((3, 5, 1), norm=norm)
    return Trainer(model, "mse", "sgd", lr=0.1, epochs=epochs, batch_size=8, callbacks=callbacks)


def weights(model):
    return nn.utils.parameters_to_vector(model.parameters()).detach()


@pytest.mark.parametrize("norm", [None, "batch"])
def test_mean_of_the_last_epochs(norm):
    diary, swa = Diary(), SWA(start=2)
    trainer = train([diary, swa], norm=norm)
    trainer.fit(data())
    torch.testing.assert_close(weights(trainer.model), torch.stack(diary.epochs[2:]).mean(0))
    assert swa.count == 4


def test_mean_over_steps():
    diary, swa = Diary(), SWA(start=3, every_steps=4)
    trainer = train([diary, swa])
    trainer.fit(data())
    expected = torch.stack(diary.batches[18:][1::4]).mean(0)  # steps 20, 24, … 36
    torch.testing.assert_close(weights(trainer.model), expected)
    assert swa.count == 5


def test_a_run_that_ends_before_the_start_keeps_its_weights():
    diary, swa = Diary(), SWA(start=10)
    trainer = train([diary, swa])
    trainer.fit(data())
    assert torch.equal(weights(trainer.model), diary.epochs[-1])
    assert swa.count == 0


def test_a_second_fit_starts_a_new_average():
    diary, swa = Diary(), SWA(start=4)
    trainer = train([diary, swa])
    trainer.fit(data())
    trainer.fit(data())
    assert swa.count == 2
    torch.testing.assert_close(weights(trainer.model), torch.stack(diary.epochs[-2:]).mean(0))


def test_batch_statistics_are_those_of_the_averaged_network():
    """Before the first batch norm there is one linear layer, so its input statistics are known."""
    trainer = train([SWA(start=2)], norm="batch")
    X, y = data()
    trainer.fit((X, y))
    layer = next(m for m in trainer.model if isinstance(m, nn.BatchNorm1d))
    with torch.no_grad():
        z = trainer.model[0](X)
    torch.testing.assert_close(layer.running_mean, z.mean(0), atol=1e-5, rtol=1e-4)
    # six batches of eight: their unbiased variances average to less than the whole's
    assert (layer.running_var / z.var(0) - 1).abs().max() < 0.5
    assert layer.momentum == 0.1
    assert not trainer.model.training


def test_a_killed_run_resumes_to_the_same_average(tmp_path):
    whole = train([SWA(start=1), Checkpoint(tmp_path / "other")], norm="batch")
    whole.fit(data())
    first = train([SWA(start=1), Checkpoint(tmp_path / "run")], epochs=3, norm="batch")
    first.fit(data())
    rest = train([SWA(start=1), Checkpoint(tmp_path / "run")], norm="batch")
    rest.resume(tmp_path / "run")
    rest.fit(data())
    for (name, p), q in zip(
        whole.model.state_dict().items(), rest.model.state_dict().values(), strict=True
    ):
        torch.testing.assert_close(p, q, msg=name)


def test_after_early_stopping_the_average_wins():
    stop, swa = EarlyStopping(monitor="train_loss", patience=100), SWA(start=0)
    diary = Diary()
    trainer = train([diary, stop, swa])
    trainer.fit(data())
    torch.testing.assert_close(weights(trainer.model), torch.stack(diary.epochs).mean(0))


def test_custom_steps_and_streams_have_their_statistics_measured_too():
    X, y = data()
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    batches = [{"x": X[i : i + 8], "y": y[i : i + 8]} for i in range(0, 48, 8)]

    def step(model, batch):
        return nn.functional.mse_loss(model(batch["x"]), batch["y"])

    Trainer(model, objective=step, epochs=3, callbacks=[SWA(start=1)]).fit(batches)
    with torch.no_grad():
        torch.testing.assert_close(model[1].running_mean, model[0](X).mean(0), atol=1e-5, rtol=1e-4)


def test_refuses():
    with pytest.raises(InvalidValue, match="SWA: start must be at least 0 epochs, got -1"):
        SWA(start=-1)
    with pytest.raises(InvalidValue, match="SWA: every_steps must be at least 1 or None, got 0"):
        SWA(start=0, every_steps=0)
