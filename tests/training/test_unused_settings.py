"""A setting that is given and not used is refused: every argument of every signature here has its row."""

import inspect
from functools import partial

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.estimators import NeuralClassifier, NeuralRegressor
from gradatim.losses import smoothed_cross_entropy, uniform_confusion
from gradatim.nn import Recurrent
from gradatim.training import (
    Checkpoint,
    EarlyStopping,
    SwitchOptimizer,
    Trainer,
    train_replicas,
)

X = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
Y = torch.arange(24) % 2
ALWAYS = "always used"  # nothing else takes its place


def model():
    torch.manual_seed(0)
    return nn.Linear(3, 2)


def ready(**options):
    network = model()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    return Trainer(network, optimizer=optimizer, **options)


def moves_itself(**options):
    trainer = Trainer(model(), objective=lambda m, b: {"figure": 1.0}, epochs=1, **options)
    return trainer.fit((X, Y))


def other_schedule():
    optimizer = torch.optim.SGD(model().parameters(), lr=0.1)
    return Trainer(model(), schedule=torch.optim.lr_scheduler.StepLR(optimizer, 1))


def other_optimizer():
    return Trainer(model(), optimizer=torch.optim.SGD(model().parameters(), lr=0.1))


TRAINER = {
    "model": ALWAYS,
    "loss": lambda: Trainer(model(), "mse", objective=lambda m, b: m(b[0]).mean()),
    "optimizer": other_optimizer,
    "lr": lambda: ready(lr=0.1),
    "weight_decay": lambda: ready(weight_decay=0.1),
    "schedule": other_schedule,
    "epochs": ALWAYS,
    "batch_size": ALWAYS,  # also where it cuts what is predicted and evaluated
    "clip_norm": lambda: moves_itself(clip_norm=1.0),
    "clip_value": lambda: moves_itself(clip_value=1.0),
    "metrics": ALWAYS,  # by `evaluate`, without validation data
    "callbacks": ALWAYS,
    "objective": ALWAYS,
    "engine": lambda: Trainer(model(), "mae", engine="chain").fit((X, X[:, :2])),
    "device": ALWAYS,
    "parallel": ALWAYS,  # one process is a group of one
    "accumulate": ALWAYS,
    "precision": ALWAYS,
    "compile": ALWAYS,
    "activation_checkpointing": lambda: Trainer(model(), activation_checkpointing=True).fit((X, Y)),
    "sync_batch_norm": lambda: Trainer(model(), sync_batch_norm=True).fit((X, Y)),
    "timeout": ALWAYS,
    "memory_format": ALWAYS,
    "seed": ALWAYS,
    "progress": ALWAYS,
}
FIT = {"epochs": 1, "batch_size": 8}


def estimator(**options):
    return partial(NeuralClassifier(**{"hidden": (3,), "epochs": 1} | options).fit, X, Y)


ESTIMATOR = {
    "hidden": ALWAYS,
    "activation": estimator(hidden=(), activation="tanh"),
    "dropout": estimator(hidden=(), dropout=0.5),
    "norm": estimator(hidden=(), norm="layer"),
    "patience": estimator(patience=3),
    "validation_fraction": estimator(validation_fraction=0.3),
    "seed": estimator(seed=3, random_state=0),
    **dict.fromkeys(
        (
            "weight_decay", "lr", "batch_size", "epochs", "optimizer", "schedule", "early_stopping", "standardize",
            "members", "random_state", "device", "progress", "loss", "clip_norm", "clip_value",
        ),
        ALWAYS,
    ),
}  # fmt: skip
OTHERS = {
    "SwitchOptimizer.monitor": lambda: SwitchOptimizer(after_epoch=2, monitor="train_loss"),
    "SwitchOptimizer.patience": lambda: SwitchOptimizer(after_epoch=2, patience=5),
    "SwitchOptimizer.min_delta": lambda: SwitchOptimizer(after_epoch=2, min_delta=0.0),
    "Checkpoint.path": lambda: Checkpoint("x", every_epochs=None),
    "Checkpoint.every_epochs": lambda: Trainer(
        model(), epochs=2, callbacks=[Checkpoint("x", every_epochs=3)]
    ).fit((X, Y)),
    "smoothed_cross_entropy.smoothing": lambda: smoothed_cross_entropy(
        0.1, confusion=uniform_confusion(3)
    ),
    "Recurrent.dropout": lambda: Recurrent("lstm", 2, 3, dropout=0.1),
    "train_replicas.early_stopping": lambda: train_replicas(
        model, (X, Y), early_stopping=EarlyStopping(), epochs=1
    ),
    "train_replicas.rows": lambda: train_replicas(model, [(X, Y)], rows=[[0]], epochs=1),
}


@pytest.mark.parametrize(
    ("owner", "table"),
    [
        (Trainer, TRAINER),
        (NeuralClassifier, {**ESTIMATOR, "class_weight": ALWAYS}),
        (NeuralRegressor, ESTIMATOR),
    ],
)
def test_every_argument_has_its_row(owner, table):
    assert set(inspect.signature(owner).parameters) == set(table)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, id=name)
        for table in (TRAINER, ESTIMATOR, OTHERS)
        for name, call in table.items()
        if call is not ALWAYS
    ],
)
def test_what_is_given_and_not_used_is_refused(call):
    with pytest.raises(GradatimError, match=r"must (be|come|have|hold|fit|say)"):
        call()


def test_what_is_used_is_not():
    Trainer(model(), "cross_entropy", "sgd", lr=0.1, weight_decay=0.1, clip_norm=1.0, epochs=1).fit((X, Y))  # fmt: skip
    SwitchOptimizer(patience=3)
    Recurrent("lstm", 2, 3, 2, dropout=0.1)
    options = {"hidden": (3,), "epochs": 2, "early_stopping": True, "patience": 3, "seed": 4}
    NeuralClassifier(**options, validation_fraction=0.3, dropout=0.1).fit(X, Y)
