"""What the records on image sets share: a split, a run of training, a report."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.metrics import confusion_matrix as count_confusions
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.data import load
from gradatim.evaluation import TestSet
from gradatim.experiments._fastest_step import FastestStep
from gradatim.experiments._mistakes import most_confident_mistakes
from gradatim.optim.named import OptimizerFactory
from gradatim.optim.schedules import linear, warm_up
from gradatim.plots import confusion_matrix, image_grid, learning_curves
from gradatim.reports import Report
from gradatim.training import SWA, Augmented, History, Trainer

Pair = tuple[Tensor, Tensor]
View = Callable[[Tensor], Tensor]


def same(images: Tensor) -> Tensor:
    """The image as it is."""
    return images


def mirrored(images: Tensor) -> Tensor:
    """Left and right exchanged."""
    return images.flip(3)


@dataclass(frozen=True)
class Split:
    """Images in [0, 1] with labels; the test set counts how often it is opened."""

    train: Pair
    validation: Pair
    test: TestSet
    classes: tuple[str, ...]


@dataclass(frozen=True)
class RecordSettings:
    """Rows and epochs, the last of which are averaged; from published recipes and small pilots on held-out images."""

    seed: int = 0
    train_rows: int = 58_000
    validation_rows: int = 2_000
    test_rows: int = 10_000
    epochs: int = 12
    averaged_epochs: int = 2


def load_split(name: str, settings: RecordSettings) -> Split:
    """Cut random held-out images from the published training part; the test part stays apart."""
    data = load(name)
    X, y = (torch.as_tensor(part) for part in data.train)
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(settings.seed))
    train, held_out = order[: settings.train_rows], order[len(order) - settings.validation_rows :]
    test = TestSet(*(torch.as_tensor(part)[: settings.test_rows] for part in data.test))
    return Split((X[train], y[train]), (X[held_out], y[held_out]), test, data.target_names or ())


def sgd_with_fast_biases(groups: list[dict[str, Any]], lr: float) -> Optimizer:
    """Nesterov's method with a rate for biases 64 times that for weights, as Jordan (2024) found best."""
    weights, biases = groups
    fast = {**biases, "lr": 64 * lr}
    return torch.optim.SGD([weights, fast], lr=lr, momentum=0.85, nesterov=True, fused=True)


@dataclass(frozen=True)
class Recipe:
    """How a network is trained: everything but the network, the images and the settings.

    Args:
        augment: Random distortions of a training batch, in order.
        views: Ways to look at a test image; their outputs are averaged.
        optimizer: Name or factory of the optimizer.
        lr: Largest rate; it rises for the first fifth of the run and falls to zero.
        weight_decay: Penalty on weights.
        smoothing: Share of doubt in the labels.
        batch_size: Images per step.
    """

    augment: Sequence[View]
    views: Sequence[View]
    optimizer: str | OptimizerFactory = sgd_with_fast_biases
    lr: float = 0.375
    weight_decay: float = 1.3e-3
    smoothing: float = 0.1
    batch_size: int = 256


@dataclass(frozen=True)
class Run:
    """A trained network, its course, and what it cost.

    Args:
        trainer: Holds the network.
        history: One record per epoch.
        minutes: On the clock.
        core_minutes: Steps, times the processor time of the fastest: what the clock would have shown on one core
            of a machine with nothing else to do.
    """

    trainer: Trainer
    history: History
    minutes: float
    core_minutes: float


def train(model: nn.Module, split: Split, recipe: Recipe, settings: RecordSettings) -> Run:
    """Train ``model`` by ``recipe`` on the training images."""
    began, fastest = time.perf_counter(), FastestStep()
    swa = SWA(start=max(settings.epochs - settings.averaged_epochs, 0), every_steps=20)
    loss = nn.CrossEntropyLoss(label_smoothing=recipe.smoothing)
    trainer = Trainer(
        model,
        loss,
        recipe.optimizer,
        lr=recipe.lr,
        weight_decay=recipe.weight_decay,
        schedule=warm_up(epochs=0.2 * settings.epochs, then=linear()),
        epochs=settings.epochs,
        batch_size=recipe.batch_size,
        metrics=["error"],
        callbacks=[fastest, *([swa] if settings.averaged_epochs else [])],
        objective=Augmented(recipe.augment, loss),
        seed=settings.seed,
    )
    history = trainer.fit(split.train, split.validation)
    minutes = (time.perf_counter() - began) / 60
    return Run(trainer, history, minutes, trainer.steps * fastest.seconds / 60)


def predict(run: Run, images: Tensor, views: Sequence[View]) -> Tensor:
    """Class probabilities, averaged over ``views`` of every image."""
    return torch.stack([run.trainer.predict(view(images)).softmax(1) for view in views]).mean(0)


@dataclass(frozen=True)
class Goal:
    """What a record claims: the largest test error in per cent, and the budget in minutes of one core."""

    error: float
    core_minutes: float


def build_report(title: str, split: Split, run: Run, recipe: Recipe, goal: Goal) -> Report:
    """Open the test set, once, and report the error, the cost, the course and the mistakes."""
    images, labels = split.test.open()
    probabilities = predict(run, images, recipe.views).double().numpy()
    y = labels.numpy()
    error = 100.0 * float(np.mean(probabilities.argmax(1) != y))
    margin = 1.96 * float(np.sqrt(error * (100 - error) / len(y)))
    guesses = predict(run, split.validation[0], recipe.views).argmax(1)
    held_out = 100.0 * float((guesses != split.validation[1]).float().mean())
    report = Report(
        title=title,
        summary=f"{error:.2f} % error on {len(y):,} test images, looked at once, after "
        f"{run.core_minutes:.1f} minutes of one core.",
    )
    _claim(report, error, run.core_minutes, split.test.uses, goal)
    rows = {
        "test error, %": f"{error:.2f} ± {margin:.2f}",
        "held-out error, %": f"{held_out:.2f}",
        "parameters": f"{sum(p.numel() for p in run.trainer.model.parameters()):,}",
        "epochs": run.trainer.epochs,
        "minutes of one idle core": f"{run.core_minutes:.1f}",
        "minutes on the clock": f"{run.minutes:.1f}",
    }
    report.table("The run", columns=["figure", "value"], rows=list(rows.items()))
    _draw(report, split, run, recipe, (images, probabilities, y))
    return report


def _claim(report: Report, error: float, minutes: float, uses: int, goal: Goal) -> None:
    report.claim("test error", round(error, 2), f"< {goal.error:g} %", holds=error < goal.error)
    report.claim(
        "cost",
        expected=f"at most {goal.core_minutes:g} minutes of one core",
        measured=round(minutes, 1),
        holds=minutes <= goal.core_minutes,
    )
    report.claim("looks at the test set", uses, equals=1)


def _draw(
    report: Report,
    split: Split,
    run: Run,
    recipe: Recipe,
    test: tuple[Tensor, np.ndarray, np.ndarray],
) -> None:
    images, probabilities, labels = test
    report.figure(
        "learning-curves",
        learning_curves({"network": run.history}),
        caption="Solid: held-out images as they are. Dashed: training images, distorted anew in every epoch.",
    )
    shown = split.train[0][:8]
    distorted = shown
    for augment in recipe.augment:
        distorted = augment(distorted)
    report.figure(
        "augmentation",
        image_grid(torch.cat([shown, distorted]).clamp(0, 1)),
        caption="Training images, and what the network saw of them in one epoch.",
    )
    counts = count_confusions(labels, probabilities.argmax(1), labels=range(10))
    report.figure(
        "confusion", confusion_matrix(counts, split.classes), caption="Test images by true class."
    )
    mistakes, titles = most_confident_mistakes(probabilities, images, labels, 24, split.classes)
    if titles:
        report.figure(
            "mistakes",
            image_grid(mistakes, titles, columns=6, size=max(1.1, 0.08 * max(map(len, titles)))),
            caption="The mistakes the network is most sure of, true → predicted.",
        )
