"""What the tables on handwritten digits share: four models, one split, one report."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import confusion_matrix as count_confusions
from torch import Tensor

from gradatim.experiments._mistakes import most_confident_mistakes
from gradatim.models import MLP
from gradatim.plots import comparison_bars, confusion_matrix, image_grid, learning_curves
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import EarlyStopping, History, Trainer
from gradatim.training.objectives.objective import ObjectiveFunction

Pair = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Split:
    """Training, validation and test images ``(N, 1, H, W)`` with labels; choices use the first two only."""

    train: Pair
    validation: Pair
    test: Pair


@dataclass(frozen=True)
class Result:
    """A fitted model's class probabilities on the test set, and what it took to get there."""

    name: str
    probabilities: NDArray[np.float64]
    parameters: int
    seconds: float
    history: History | None = None

    def error(self, labels: NDArray[np.int64]) -> float:
        """Test error in per cent."""
        return 100.0 * float(np.mean(self.probabilities.argmax(1) != labels))


def train_network(
    name: str,
    split: Split,
    hidden: Sequence[int],
    *,
    dropout: float = 0.0,
    weight_decay: float = 0.0,
    lr: float = 1e-3,
    epochs: int = 20,
    batch_size: int = 128,
    schedule: str | None = None,
    objective: ObjectiveFunction | None = None,
    keep_best: bool = True,
    seed: int = 0,
) -> Result:
    """Train an MLP, keep its best epoch by validation error, and predict the test set."""
    started = time.perf_counter()
    pixels = split.train[0][0].numel()
    with seeded(seed):
        model = MLP((pixels, *hidden, 10), dropout=dropout)
    best = EarlyStopping(monitor="validation_error", patience=epochs)
    trainer = Trainer(
        model,
        lr=lr,
        weight_decay=weight_decay,
        schedule=schedule,
        epochs=epochs,
        batch_size=batch_size,
        metrics=["error"],
        callbacks=[best] if keep_best and objective is None else [],
        objective=objective,
        seed=seed,
    )
    history = trainer.fit(split.train, split.validation)
    probabilities = trainer.predict(split.test[0]).double().softmax(1).numpy()
    parameters = sum(p.numel() for p in model.parameters())
    return Result(name, probabilities, parameters, time.perf_counter() - started, history)


def fit_lda(split: Split) -> Result:
    """Fit linear discriminant analysis to training and validation rows together: it has nothing to choose."""
    started = time.perf_counter()
    X = torch.cat([split.train[0], split.validation[0]]).flatten(1).double().numpy()
    y = torch.cat([split.train[1], split.validation[1]]).numpy()
    lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    probabilities = lda.predict_proba(split.test[0].flatten(1).double().numpy())
    parameters = lda.coef_.size + lda.intercept_.size
    return Result("LDA", probabilities, parameters, time.perf_counter() - started)


def build_report(
    title: str,
    split: Split,
    results: Sequence[Result],
    published: dict[str, float],
    claims: Callable[[Report, dict[str, float]], None],
) -> Report:
    """Put claims, the table of errors and the figures of a comparison into a report."""
    labels = split.test[1].numpy()
    errors = {result.name: result.error(labels) for result in results}
    best = min(results, key=lambda result: errors[result.name])
    report = Report(
        title=title,
        summary=(
            f"On {len(labels):,} test images the best is {best.name} with {errors[best.name]:.2f} % error; "
            f"the test set was used once, after every choice had been made on {len(split.validation[1]):,} "
            "held-out training images."
        ),
    )
    claims(report, errors)
    margin = {n: 1.96 * np.sqrt(e * (100 - e) / len(labels)) for n, e in errors.items()}
    columns = {
        "model": list(errors),
        "error %": [round(errors[r.name], 2) for r in results],
        "± 95 %": [round(margin[r.name], 2) for r in results],
        "published %": [published.get(r.name, "–") for r in results],
        "parameters": [r.parameters for r in results],
        "seconds": [round(r.seconds, 1) for r in results],
    }
    if not published:
        del columns["published %"]
    rows = list(zip(*columns.values(), strict=True))
    report.table("Test error", columns=list(columns), rows=rows)
    intervals = {n: (max(e - margin[n], 0.0), e + margin[n]) for n, e in errors.items()}
    report.figure(
        "comparison",
        comparison_bars(errors, label="test error, %", intervals=intervals, highlight=best.name),
        caption="Test error with 95 % intervals.",
    )
    curves = {r.name: r.history for r in results if r.history is not None}
    report.figure(
        "learning-curves",
        learning_curves(curves),
        caption="Solid: held-out images. Dashed: training images.",
    )
    counts = count_confusions(labels, best.probabilities.argmax(1), labels=range(10))
    report.figure("confusion", confusion_matrix(counts), caption=f"Where {best.name} goes wrong.")
    images, titles = most_confident_mistakes(best.probabilities, split.test[0], labels, 24)
    if titles:
        report.figure(
            "mistakes",
            image_grid(images[:, 0].numpy(), titles),
            caption=f"The mistakes {best.name} is most sure of, true → predicted.",
        )
    return report
