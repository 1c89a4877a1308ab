"""A large network learns the noise after the signal; early stopping takes it back to the right epoch."""

from dataclasses import dataclass

import numpy as np
import torch

from gradatim.data import moons
from gradatim.models import MLP
from gradatim.plots.evaluation import score_curves
from gradatim.reports import Report
from gradatim.training import EarlyStopping, History, Trainer

COVERS = ("D3", "C4")
KEYWORDS = "early stopping, patience parameter window, training vs. validation error curve, memorizing noise, generalization gap, underfitting"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 100
    noise: float = 0.4
    hidden: int = 100
    epochs: int = 600


QUICK = Settings(epochs=450)


def trainer(settings: Settings, callbacks: tuple[EarlyStopping, ...] = ()) -> Trainer:
    torch.manual_seed(settings.seed)
    model = MLP((2, settings.hidden, settings.hidden, 2))
    return Trainer(
        model, lr=3e-3, epochs=settings.epochs, batch_size=20, metrics=["error"], seed=settings.seed,
        callbacks=callbacks, device="cpu", progress=False,
    )  # fmt: skip


def run(settings: Settings) -> Report:
    train = moons(settings.rows, settings.noise, settings.seed)
    validation = moons(settings.rows, settings.noise, settings.seed + 1)
    test = moons(5000, settings.noise, settings.seed + 2)
    free = trainer(settings)
    history = free.fit(train, validation)
    stopping = EarlyStopping(patience=20)
    careful = trainer(settings, (stopping,))
    stopped = careful.fit(train, validation)
    best = int(history.best()["epoch"])
    curves = {"training": history["train_loss"], "validation": history["validation_loss"]}
    results = {"to the end": free.evaluate(test), "stopped early": careful.evaluate(test)}
    report = Report(
        title="Overfitting",
        summary=f"Validation loss is lowest at epoch {best}; what the network learns afterwards is noise.",
    )
    report.table(
        "On 5,000 fresh points",
        columns=["training", "epochs", "test loss", "test error"],
        rows=[
            [name, len(record), results[name]["loss"], results[name]["error"]]
            for name, record in zip(results, (history, stopped), strict=True)
        ],
    )
    report.claim(
        "the network memorizes",
        curves["training"][-1] / curves["training"][best - 1],
        "training loss ends at {} of its value at the best epoch",
        below=1 / 3,
    )
    report.claim(
        "validation loss turns", curves["validation"][-1] / min(curves["validation"]), above=1.5
    )
    check_stopping(report, stopping, stopped, careful.evaluate(validation)["loss"])
    early, late = (results[name]["loss"] for name in ("stopped early", "to the end"))
    report.claim("stopping pays on fresh data", early / late, "loss ratio", below=1)
    draw(report, curves, best, len(stopped))
    return report


def check_stopping(report: Report, stopping: EarlyStopping, stopped: History, loss: float) -> None:
    first = int(np.argmin(stopped["validation_loss"])) + 1
    report.claim(
        "early stopping gives back the best epoch",
        expected=f"the weights of epoch {first}",
        measured=stopping.best_epoch,
        holds=stopping.best_epoch == first and abs(loss - min(stopped["validation_loss"])) < 1e-6,
    )


def draw(report: Report, curves: dict[str, list[float]], best: int, stop: int) -> None:
    report.figure(
        "curves",
        score_curves(
            np.arange(1, len(curves["training"]) + 1), curves, xlabel="epoch", ylabel="cross-entropy",
            marks={f"best epoch, {best}": best, f"stopped after {stop}": stop},
            is_log_x=True,
        ),
        caption="Training loss goes on falling while validation loss rises.",
    )  # fmt: skip
