"""Fixed random kernels and a linear model tell series apart better than the nearest neighbour."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gradatim.data.entries import require_cached
from gradatim.experiments.timeseries._labelled_series import MADE_UP, PUBLISHED, Split, load_split
from gradatim.plots.style import MARKERS, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.timeseries import RandomKernels, describe_series, nearest_by_dtw

COVERS = ("F7",)
KEYWORDS = "dynamic time warping DTW, ROCKET, nearest neighbour, one label per series"
EUCLID, DTW, TREES, KERNELS = "nearest, one clock", "nearest, warped", "statistics + trees", "random kernels + ridge"  # fmt: skip
OLD, ROCKET = "nearest, warped (published)", "ROCKET (published)"
WINDOW = 0.1  # of made-up series


@dataclass(frozen=True)
class Settings:
    """``shapes`` and ``charts`` are made up and need no download; other sets are those of the UCR archive."""

    seed: int = 0
    sets: tuple[str, ...] = tuple(PUBLISHED)
    num_features: int = 10_000


QUICK = Settings(sets=("shapes", "charts"), num_features=2_000)


def accuracies(split: Split, window: float, settings: Settings) -> dict[str, float]:
    """The share of right answers of every model."""
    found = {}
    for name, band in ((EUCLID, 0.0), (DTW, window)):
        nearest = nearest_by_dtw(split.x_test, split.x, band=band).indices[:, 0]
        found[name] = float((split.y[nearest] == split.y_test).mean())
    trees = ExtraTreesClassifier(300, random_state=settings.seed)
    trees.fit(describe_series(split.x).values, split.y)
    found[TREES] = trees.score(describe_series(split.x_test).values, split.y_test)
    kernels = RandomKernels.learn(split.x, num_features=settings.num_features, seed=settings.seed)
    linear = make_pipeline(
        StandardScaler(), RidgeClassifierCV(np.logspace(-3, 3, 10), store_cv_results=False)
    )
    linear.fit(kernels.features(split.x).double(), split.y)
    found[KERNELS] = linear.score(kernels.features(split.x_test).double(), split.y_test)
    return found


def run(settings: Settings) -> Report:
    require_cached(
        "series-classification", *(f"ucr-{n}" for n in settings.sets if n not in MADE_UP)
    )
    scores: dict[str, dict[str, float]] = {}
    for name in settings.sets:
        published = PUBLISHED.get(name)
        split = load_split(name, settings.seed)
        scores[name] = accuracies(split, published.window if published else WINDOW, settings)
        if published:
            scores[name] |= {OLD: published.dtw, ROCKET: published.rocket}
    models = list(next(iter(scores.values())))
    means = {model: float(np.mean([row[model] for row in scores.values()])) for model in models}
    report = Report(
        title="Series with one label each",
        summary=f"Mean accuracy over {len(scores)} sets: {means[KERNELS]:.3f} of {KERNELS}, {means[DTW]:.3f} of the "
        f"nearest neighbour with warped time, {means[EUCLID]:.3f} without.",
    )
    (_claim_archive if ROCKET in means else _claim_made_up)(report, scores, means)
    report.table(
        "Accuracy by set",
        columns=["set", *models],
        rows=[[name, *row.values()] for name, row in scores.items()] + [["mean", *means.values()]],
    )
    report.figure(
        "accuracy-by-set", accuracy_by_set(scores), caption="Every dot is one model on one set."
    )
    report.text(_sources(ROCKET in means))
    return report


def _claim_archive(
    report: Report, scores: Mapping[str, Mapping[str, float]], means: Mapping[str, float]
) -> None:
    gaps = {name: abs(row[DTW] - row[OLD]) for name, row in scores.items()}
    worst = max(gaps, key=gaps.__getitem__)
    report.claim(
        "warping gives what the archive's authors published, set by set",
        gaps[worst], f"differs by at most, on {worst}", at_most=0.002,
    )  # fmt: skip
    report.claim(
        "random kernels reach ROCKET's published mean",
        means[KERNELS] - means[ROCKET], "mean accuracy minus ROCKET's", at_least=-0.01,
    )  # fmt: skip
    report.claim(
        "they beat the nearest neighbour",
        means[KERNELS] - max(means[DTW], means[OLD]), "mean accuracy gained", at_least=0.03,
    )  # fmt: skip
    report.claim(
        "warped clocks do no harm on the whole",
        means[DTW] - means[EUCLID], "mean accuracy gained", at_least=0.0,
    )  # fmt: skip


def _claim_made_up(
    report: Report, scores: Mapping[str, Mapping[str, float]], means: Mapping[str, float]
) -> None:
    report.claim("random kernels + ridge, mean", means[KERNELS], at_least=0.95)
    report.claim(
        "warped clocks help the nearest neighbour",
        means[DTW] - means[EUCLID], "mean accuracy gained", at_least=0.02,
    )  # fmt: skip
    report.claim(
        "random kernels are no worse than the nearest neighbour with one clock, on any set",
        min(row[KERNELS] - row[EUCLID] for row in scores.values()),
        "least accuracy gained", at_least=0.02,
    )  # fmt: skip


def _sources(is_archive: bool) -> str:
    if not is_archive:
        return (
            "These series are made up. For those of the UCR archive: `gradatim data get ucr-CBF` (one download for all), "
            "then `gradatim run series-classification`."
        )
    return (
        "Published accuracies of the nearest neighbour, with the window that was chosen on the training part, are those of Dau "
        "et al., *The UCR Time Series Archive*, 2018; those of ROCKET are the means of ten runs of Dempster, Petitjean and "
        "Webb, *ROCKET*, 2020. All use the archive's own split. The kernels are those of MiniRocket (Dempster, Schmidt and "
        "Webb, 2021), one run."
    )


def accuracy_by_set(scores: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw the accuracy of every model on every set, a row each.

    Args:
        scores: Accuracy by model, by set.

    Example:
        >>> figure = accuracy_by_set({"a": {"one": 0.5, "two": 0.9}, "b": {"one": 0.7, "two": 0.8}})
        >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
        ['b', 'a']
    """
    names = list(scores)[::-1]
    figure, panel = new_figure(width=7.2, height=1.6 + 0.28 * len(names))
    models = list(next(iter(scores.values())))
    rows = np.arange(len(names))
    for row, name in zip(rows, names, strict=True):
        values = list(scores[name].values())
        panel.plot([min(values), max(values)], [row, row], color="0.85", linewidth=1.2, zorder=1)
    for place, model in enumerate(models):
        panel.plot(
            [scores[name][model] for name in names], rows, linestyle="", label=model, zorder=2,
            marker=MARKERS[place % len(MARKERS)], color=PALETTE[place % len(PALETTE)], markersize=6,
            fillstyle="none" if "published" in model else "full",
        )  # fmt: skip
    panel.set_yticks(rows, names)
    panel.set(xlabel="accuracy", ylim=(-0.7, len(names) - 0.3))
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure
