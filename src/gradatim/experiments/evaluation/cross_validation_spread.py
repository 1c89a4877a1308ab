"""One hold-out split is a lottery: its error scatters far more than that of K folds."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from gradatim.data import load
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import (
    CrossValidation,
    cross_validate,
    make_splits,
    repeated_hold_out,
    split_three_ways,
)
from gradatim.plots.evaluation import spreads
from gradatim.plots.style import PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("D9",)
KEYWORDS = "K-fold cross-validation, hold-out method validation, leave-one-out LOOCV, random subsampling, stratified sampling, test set, validation set, training validation and test split"


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


def shares_of_rows(settings: Settings) -> dict[str, np.ndarray]:
    """What thirty rows are for: 0 to learn from, 1 to choose by, 2 to test on; a line a cut."""
    y = np.arange(30.0)
    parts = split_three_ways(y, validation_fraction=0.15, test_fraction=0.15, seed=settings.seed)
    lines: dict[str, np.ndarray] = {"hold-out": np.zeros(30, int)}
    for kind, rows in enumerate(parts):
        lines["hold-out"][rows] = kind
    for fold, (_, test) in enumerate(make_splits(y, 5, seed=settings.seed), start=1):
        lines[f"fold {fold}"] = np.zeros(30, int)
        lines[f"fold {fold}"][test] = 2
    return lines


def rows_figure(lines: dict[str, np.ndarray]) -> Figure:
    """Draw which rows learn, choose and test.

    Args:
        lines: By name of the cut, 0, 1 or 2 for every row.

    Example:
        >>> rows_figure({"hold-out": np.array([0, 0, 1, 2])}).axes[0].get_legend().texts[2].get_text()
        'test'
    """
    figure, axes = new_figure(width=8.0, height=0.42 * len(lines) + 1.2)
    colours = (PALETTE[0], PALETTE[4], PALETTE[1])
    for line, kinds in enumerate(lines.values()):
        axes.bar(np.arange(len(kinds)), 0.8, bottom=line - 0.4, width=0.9, color=[colours[k] for k in kinds])  # fmt: skip
    for colour, label in zip(colours, ("learn from", "choose by", "test"), strict=True):
        axes.bar([0], [0], color=colour, label=label)
    axes.set_yticks(range(len(lines)), list(lines))
    axes.invert_yaxis()
    axes.set(xlabel="row", xlim=(-0.7, len(kinds) - 0.3))
    axes.grid(False)
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def check_rows(report: Report, settings: Settings) -> None:
    lines = shares_of_rows(settings)
    tested = np.sum([kinds == 2 for name, kinds in lines.items() if name != "hold-out"], axis=0)
    report.claim("five folds test every row once, and learn from it four times", f"{tested.min()} and {tested.max()}", equals="1 and 1")  # fmt: skip
    report.figure("rows", rows_figure(lines), caption="Thirty rows. A hold-out keeps one part to choose by and one to test on, once; folds take turns.")  # fmt: skip


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
    check_rows(report, settings)
    report.figure(
        "spread",
        spreads({n: 100 * v for n, v in samples.items()}, label="estimated error, %"),
        caption="Each dot is one estimate from one random cut of the same 569 rows. Bars: mean and "
        "standard deviation.",
    )
    return report
