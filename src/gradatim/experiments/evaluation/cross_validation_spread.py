"""One hold-out split is a lottery: its error scatters far more than that of K folds."""

from dataclasses import dataclass

import numpy as np

from gradatim.data import load
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import CrossValidation, cross_validate, repeated_hold_out
from gradatim.plots.evaluation import spreads
from gradatim.reports import Report

COVERS = ("D9",)
KEYWORDS = "K-fold cross-validation, hold-out method validation, leave-one-out LOOCV, random subsampling, stratified sampling, test set, validation set"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    cuts: int = 40
    epochs: int = 40
    hidden: int = 8


QUICK = Settings(cuts=30, epochs=15)


def measure(settings: Settings) -> dict[str, np.ndarray]:
    """Estimates of the error of one network by three methods, over random cuts."""
    data = load("breast-cancer")
    model = NeuralClassifier(
        (settings.hidden,), epochs=settings.epochs, lr=0.01, seed=settings.seed
    )

    def folds(count: int, cut: int) -> CrossValidation:
        return cross_validate(model, data.X, data.y, folds=count, score="error", seed=cut)

    first = settings.seed * 1000
    cuts = range(first, first + settings.cuts)
    hold_out = repeated_hold_out(
        model, data.X, data.y, repeats=settings.cuts, score="error", seed=settings.seed
    )
    return {
        "one hold-out, 80/20": np.array(hold_out.scores),
        "5 folds": np.array([folds(5, cut).mean for cut in cuts]),
        "10 folds": np.array([folds(10, cut).mean for cut in cuts]),
    }


def run(settings: Settings) -> Report:
    samples = measure(settings)
    deviation = {name: float(values.std(ddof=1)) for name, values in samples.items()}
    means = {name: float(values.mean()) for name, values in samples.items()}
    report = Report(
        title="Spread of error estimates",
        summary="The error measured on one random fifth of the data depends on luck; the mean over folds, "
        "which tests every row once, hardly does.",
    )
    report.table(
        "Error of one network on breast-cancer data, over random cuts",
        columns=["estimate", "mean", "standard deviation", "lowest", "highest"],
        rows=[[n, means[n], deviation[n], v.min(), v.max()] for n, v in samples.items()],
    )
    ratio = deviation["one hold-out, 80/20"] / deviation["5 folds"]
    report.claim(
        "folds scatter less than a hold-out",
        expected="standard deviation at most half",
        measured=f"{ratio:.1f} times smaller",
        holds=ratio > 2,
    )
    gap = abs(means["one hold-out, 80/20"] - means["5 folds"])
    error = 3 * deviation["one hold-out, 80/20"] / np.sqrt(settings.cuts)
    report.claim("both estimate the same quantity", gap, "{}, three standard errors", below=error)
    report.figure(
        "spread",
        spreads({n: 100 * v for n, v in samples.items()}, label="estimated error, %"),
        caption="Each dot is one estimate from one random cut of the same 569 rows. Bars: mean and "
        "standard deviation.",
    )
    return report
