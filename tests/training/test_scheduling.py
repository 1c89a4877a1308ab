"""Schedulers of PyTorch are stepped as in a loop written by hand, and go on after a checkpoint."""

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler as torch_schedulers

from gradatim.errors import InvalidValue
from gradatim.events import Cancelled
from gradatim.training import Callback, Checkpoint, Trainer
from gradatim.training.scheduling import pace_of

X = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
Y = X.sum(1, keepdim=True)
BATCHES, EPOCHS = 5, 6

SCHEDULERS = {
    "OneCycleLR": (lambda o: torch_schedulers.OneCycleLR(o, 0.1, epochs=EPOCHS, steps_per_epoch=BATCHES), "batch"),
    "CyclicLR": (lambda o: torch_schedulers.CyclicLR(o, 0.01, 0.1, step_size_up=3), "batch"),
    "two cycles": (
        lambda o: torch_schedulers.SequentialLR(
            o, [torch_schedulers.CyclicLR(o, 0.01, 0.1, 3), torch_schedulers.CyclicLR(o, 0.02, 0.2, 4)], milestones=[12]
        ),
        "batch",
    ),
    "StepLR": (lambda o: torch_schedulers.StepLR(o, 2, 0.5), "epoch"),
    "MultiStepLR": (lambda o: torch_schedulers.MultiStepLR(o, [1, 3], 0.5), "epoch"),
    "ExponentialLR": (lambda o: torch_schedulers.ExponentialLR(o, 0.9), "epoch"),
    "CosineAnnealingLR": (lambda o: torch_schedulers.CosineAnnealingLR(o, EPOCHS), "epoch"),
    "CosineAnnealingWarmRestarts": (lambda o: torch_schedulers.CosineAnnealingWarmRestarts(o, 2), "epoch"),
    "LambdaLR": (lambda o: torch_schedulers.LambdaLR(o, lambda epoch: 0.8**epoch), "epoch"),
    "LinearLR": (lambda o: torch_schedulers.LinearLR(o), "epoch"),
    "PolynomialLR": (lambda o: torch_schedulers.PolynomialLR(o, EPOCHS), "epoch"),
    "ChainedScheduler": (
        lambda o: torch_schedulers.ChainedScheduler([torch_schedulers.LinearLR(o), torch_schedulers.StepLR(o, 2)]),
        "epoch",
    ),
    "SequentialLR": (
        lambda o: torch_schedulers.SequentialLR(
            o, [torch_schedulers.ConstantLR(o), torch_schedulers.ExponentialLR(o, 0.9)], milestones=[2]
        ),
        "epoch",
    ),
    "ReduceLROnPlateau": (
        lambda o: torch_schedulers.ReduceLROnPlateau(o, patience=0, factor=0.5, threshold=0.5),
        "plateau",
    ),
}  # fmt: skip


class Rates(Callback):
    def __init__(self):
        self.rates = []

    def on_gradients(self, trainer, loss):
        self.rates.append(trainer.optimizer.param_groups[0]["lr"])


def build(name, callbacks=(), **options):
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.8)
    return Trainer(
        model, "mse", optimizer, schedule=SCHEDULERS[name][0](optimizer), epochs=EPOCHS, batch_size=8,
        callbacks=callbacks, progress=False, **options,
    )  # fmt: skip


def by_hand(name, losses):
    """The rates of a plain loop that steps the scheduler where its documentation does."""
    parameter = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.05, momentum=0.8)
    scheduler, rates = SCHEDULERS[name][0](optimizer), []
    parameter.grad = torch.zeros(1)
    for epoch in range(EPOCHS):
        for _ in range(BATCHES):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if SCHEDULERS[name][1] == "batch":
                scheduler.step()
        if SCHEDULERS[name][1] == "plateau":
            scheduler.step(losses[epoch])
        elif SCHEDULERS[name][1] == "epoch":
            scheduler.step()
    return rates


@pytest.mark.parametrize("is_validated", [True, False])
@pytest.mark.parametrize("name", SCHEDULERS)
def test_rates_are_those_of_a_loop_by_hand(name, is_validated):
    watch = Rates()
    trainer = build(name, [watch])
    history = trainer.fit((X, Y), (-X, Y) if is_validated else None)
    losses = history["validation_loss" if is_validated else "train_loss"]
    expected = by_hand(name, losses)
    assert watch.rates == pytest.approx(expected, rel=1e-12)
    assert history["lr"] == pytest.approx(expected[BATCHES - 1 :: BATCHES], rel=1e-12)
    assert len(set(expected)) > 1
    pace = SCHEDULERS[name][1]
    assert pace_of(trainer.scheduler) == pace
    words = {
        "batch": "every batch",
        "epoch": "every epoch",
        "plateau": "told the loss after every epoch",
    }
    assert words[pace] in history.schedule


class StopAt(Callback):
    def __init__(self, step):
        self.step = step

    def on_batch_end(self, trainer, loss):
        if trainer.steps == self.step:
            raise KeyboardInterrupt


@pytest.mark.parametrize("step", [7, 10])
@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_run_goes_on_to_the_same_numbers(name, step, tmp_path):
    path = tmp_path / "run.safetensors"
    whole = build(name, [Rates(), Checkpoint(tmp_path / "whole.safetensors")])
    expected = whole.fit((X, Y))
    stopped = build(name, [StopAt(step + 1), Checkpoint(path, every_steps=step)])
    with pytest.raises(Cancelled):
        stopped.fit((X, Y))
    watch = Rates()
    resumed = build(name, [watch, Checkpoint(path)])
    resumed.resume(path)
    history = resumed.fit((X, Y))
    for column in ("train_loss", "lr"):
        assert history[column] == expected[column]
    assert torch.equal(resumed.model.weight, whole.model.weight)
    assert watch.rates == whole.callbacks[0].rates[-len(watch.rates) :]


def test_a_plateau_of_what_should_grow():
    grow = lambda o: torch_schedulers.ReduceLROnPlateau(o, "max", patience=0, factor=0.5)  # noqa: E731
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    options = {"optimizer": optimizer, "epochs": 3, "progress": False}
    trainer = Trainer(model, "mse", schedule=grow(optimizer), metrics=["mae", "r2"], **options)
    assert trainer.fit((X, Y), (X, Y))["lr"] == [0.0, 0.0, 0.0]
    assert trainer.scheduler.best == trainer.history["validation_r2"][0]
    with pytest.raises(InvalidValue, match="must have a validation metric that should grow"):
        Trainer(model, "mse", schedule=grow(optimizer), **options).fit((X, Y))


def test_messages():
    model = nn.Linear(3, 1)
    mine, other = (torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
    short = torch_schedulers.OneCycleLR(mine, 0.1, total_steps=4)
    options = {"epochs": 2, "batch_size": 8, "progress": False}
    with pytest.raises(InvalidValue, match="all batches of the run, 10 batches, got 4 steps"):
        Trainer(model, "mse", mine, schedule=short, **options).fit((X, Y))
    stream = (pair for pair in [(X, Y)] * 6)
    with pytest.raises(InvalidValue, match="all batches of the run, more, got 4 steps"):
        Trainer(model, "mse", mine, schedule=short, epochs=1, progress=False).fit(stream)
    for optimizer in ("sgd", other):
        with pytest.raises(InvalidValue, match="a scheduler of the trainer's own optimizer"):
            Trainer(model, "mse", optimizer, schedule=torch_schedulers.StepLR(mine, 1), **options)
    mixed = torch_schedulers.ChainedScheduler(
        [torch_schedulers.StepLR(mine, 1), torch_schedulers.OneCycleLR(mine, 0.1, total_steps=4)]
    )
    with pytest.raises(InvalidValue, match="parts that are stepped alike, got StepLR, OneCycleLR"):
        Trainer(model, "mse", mine, schedule=mixed, **options)
