"""With few hyper-parameters that matter, random search finds better ones than a grid of equal cost."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.data import moons
from gradatim.estimators import NeuralClassifier
from gradatim.evaluation import LogUniform, Tuning, tune
from gradatim.plots.evaluation import score_curves
from gradatim.plots.style import PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("D9",)
KEYWORDS = "hyperparameter tuning, random search, grid search"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 300
    epochs: int = 12
    places: int = 61
    searches: int = 2000


QUICK = Settings(rows=200, epochs=8, places=41)

LOW, HIGH = 1e-5, 10.0


def simulate(rates: np.ndarray, losses: np.ndarray, settings: Settings) -> dict[str, np.ndarray]:
    """Best loss of many searches over the measured curve: 3 × 3 × 3 grids and 27 random draws.

    A grid of 27 points over three hyper-parameters tries three rates only. Its place is random: nobody
    knows the right one beforehand.
    """
    rng = np.random.default_rng(settings.seed)
    low, high = np.log(rates[0]), np.log(rates[-1])

    def at(log_rate: np.ndarray) -> np.ndarray:
        return np.interp(log_rate, np.log(rates), losses)

    third = (high - low) / 3
    start = low + rng.uniform(0, third, (settings.searches, 1))
    grids = start + third * np.arange(3)
    draws = rng.uniform(low, high, (settings.searches, 27))
    return {"grid 3 × 3 × 3": at(grids).min(1), "27 random draws": at(draws).min(1)}


def search(settings: Settings, space: dict, method: str) -> Tuning:
    """Nine trials of a small network on two moons, or a whole grid."""
    X, y = moons(settings.rows, noise=0.25, seed=settings.seed)
    model = NeuralClassifier((16,), epochs=settings.epochs, seed=settings.seed)
    return tune(
        model, X, y, space, method=method, trials=9, folds=3, score="log_loss", seed=settings.seed
    )


def run(settings: Settings) -> Report:
    rates = np.geomspace(LOW, HIGH, settings.places)
    curve = search(settings, {"lr": rates.tolist()}, "grid")
    decays = np.geomspace(1e-6, 1e-2, 9).tolist()
    decay = search(settings, {"weight_decay": decays, "lr": [0.03]}, "grid")
    losses = np.nan_to_num([t.score for t in curve.trials], nan=10.0).clip(max=10.0)
    spread_rate = float(np.ptp(losses))
    spread_decay = float(np.ptp([t.score for t in decay.trials]))
    bests = simulate(rates, losses, settings)
    means = {name: float(values.mean()) for name, values in bests.items()}
    report = Report(
        title="Random search against grid search",
        summary="When one hyper-parameter decides, a grid of 27 points tries it at three places; 27 random "
        "draws try it at 27.",
    )
    report.table(
        "Best loss found, mean over many searches of 27 trials",
        columns=["search", "distinct learning rates", "mean of best loss", "above the optimum"],
        rows=[
            [name, rate_count, means[name], means[name] - losses.min()]
            for (name, rate_count) in zip(means, (3, 27), strict=True)
        ],
    )
    report.claim("one hyper-parameter decides", spread_rate / spread_decay, "{} times", above=5)
    grid, random = means.values()
    report.claim(
        "random search is closer to the optimum",
        (random - losses.min()) / (grid - losses.min()),
        below=0.5,
    )
    report.figure(
        "curve",
        score_curves(
            rates, {"cross-validated loss": losses}, xlabel="learning rate",
            ylabel="loss on held-out folds", is_log_x=True, is_log_y=True,
        ),
        caption="The response to the learning rate, which decides: a valley that three trials may miss.",
    )  # fmt: skip
    draw_searches(report, settings)
    return report


def draw_searches(report: Report, settings: Settings) -> None:
    """Show where nine trials of each kind of search fall."""
    space = {"lr": LogUniform(LOW, HIGH), "weight_decay": LogUniform(1e-6, 1e-2)}
    values = {k: np.geomspace(v.low, v.high, 3).tolist() for k, v in space.items()}
    searches = {
        "grid": search(settings, values, "grid"),
        "random": search(settings, space, "random"),
        "Bayesian": search(settings, space, "bayesian"),
    }
    report.figure(
        "searches",
        search_points(
            {name: _points(result) for name, result in searches.items()},
            xlabel="learning rate", ylabel="weight decay", score_label="held-out loss",
        ),
        caption="Nine trials each. The grid tries three learning rates, the others nine; the best is ringed.",
    )  # fmt: skip


def _points(result: Tuning) -> tuple[list[float], list[float], list[float]]:
    rows = [(t.parameters["lr"], t.parameters["weight_decay"], t.score) for t in result.trials]
    first, second, scores = zip(*rows, strict=True)
    return list(first), list(second), list(scores)


def search_points(
    searches: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    xlabel: str,
    ylabel: str,
    score_label: str,
) -> Figure:
    """Show which choices of two hyper-parameters each search tried, coloured by score, best ringed.

    Args:
        searches: For each search, first values, second values, scores (lower is better).
        xlabel: Name of the first hyper-parameter.
        ylabel: Name of the second.
        score_label: Name of the score.

    Example:
        >>> one = ([0.1, 1.0], [0.1, 1.0], [0.3, 0.2])
        >>> figure = search_points({"grid": one}, xlabel="rate", ylabel="decay", score_label="error")
        >>> figure.axes[0].get_title()
        'grid'
    """
    figure, array = new_figure(
        columns=len(searches), width=3.6 * len(searches) + 0.6, height=3.4, sharex=True, sharey=True
    )
    panels: list[Axes] = list(np.atleast_1d(array))
    scores = np.concatenate([np.asarray(s[2], dtype=float) for s in searches.values()])
    low, high = np.nanmin(scores), np.nanpercentile(scores, 95)
    for axes, (name, (first, second, values)) in zip(panels, searches.items(), strict=True):
        numbers = np.asarray(values, dtype=float)
        points = axes.scatter(
            first, second, c=numbers, cmap="viridis_r", vmin=low, vmax=high, s=42, edgecolor="white", zorder=3
        )  # fmt: skip
        best = int(np.nanargmin(numbers))
        ring = (np.asarray(first, float)[best], np.asarray(second, float)[best])
        axes.plot(*ring, "o", markersize=13, mfc="none", mec=PALETTE[1], mew=2, zorder=4)
        axes.set(title=name, xlabel=xlabel, xscale="log", yscale="log")
    panels[0].set_ylabel(ylabel)
    figure.colorbar(points, ax=panels, label=score_label)
    return figure
