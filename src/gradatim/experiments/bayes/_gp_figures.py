"""Figures of the experiment on Gaussian-process regression."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gradatim.bayes import GaussianProcessRegressor
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure

Array = NDArray[np.float64]


class Evidences(NamedTuple):
    """Evidence of each length, and the length that the search finds with its own."""

    lengths: Array
    said: Array
    best: float
    highest: float


def figure_of_learning(
    x: Array,
    functions: Array,
    process: GaussianProcessRegressor,
    X: Array,
    y: Array,
    evidences: Evidences,
) -> Figure:
    """Prior, posterior, evidence."""
    figure, (left, middle, right) = new_figure(columns=3, width=12.0, height=3.8)
    for k, f in enumerate(functions.T):
        left.plot(x, f, color=PALETTE[k], linewidth=1.3)
    left.set(title="Prior", xlabel="x", ylabel="f(x)")
    mean, std = process.predict(x[:, None], return_std=True)
    middle.fill_between(x, mean - 1.96 * std, mean + 1.96 * std, color=PALETTE[0], alpha=0.2, linewidth=0, label="95 % band")  # fmt: skip
    for k, f in enumerate(process.sample_y(x[:, None], 3).T):
        middle.plot(x, f, color=MUTED, linewidth=0.7, label="draws" if k == 0 else "_")
    middle.plot(x, mean, color=PALETTE[0], label="mean")
    middle.plot(X[:, 0], y, "o", color=INK, markersize=4, label="data")
    low, high = middle.get_ylim()
    middle.set(title="Posterior", xlabel="x", ylim=(low, high + 0.45 * (high - low)))
    middle.legend(loc="upper center", ncols=2)
    right.plot(evidences.lengths, evidences.said, color=PALETTE[0])
    right.plot([evidences.best], [evidences.highest], "o", color=PALETTE[1], label="found, its variance too")  # fmt: skip
    bottom = evidences.highest - 1.1 * (evidences.highest - evidences.said[0])
    right.set(title="Evidence", xlabel="length ℓ", ylabel="log p(y)", xscale="log")
    right.set_ylim(bottom, evidences.highest + 0.25 * (evidences.highest - bottom))
    right.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
    right.legend(loc="upper left")
    return figure


def figure_of_limits(
    widths: Sequence[int],
    network: Sequence[float],
    points: Sequence[int],
    gaps: Sequence[float],
    coverage: Mapping[str, float],
) -> Figure:
    """Width, inducing points, coverage."""
    figure, (left, middle, right) = new_figure(columns=3, width=12.0, height=3.6)
    left.loglog(widths, network, "o-", color=PALETTE[0], label="networks")
    rule = network[0] * (np.array(widths) / widths[0]) ** -0.5
    left.loglog(widths, rule, "--", color=MUTED, label="width^-½")
    left.set(title="Networks of random units", xlabel="width", ylabel="distance to the process")
    left.set_xticks(widths, [f"{width:,}" for width in widths])
    low, high = left.get_ylim()
    ticks = [t for t in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if low < t < high]
    left.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    left.minorticks_off()
    left.legend()
    shown = [max(gap, 1e-4) for gap in gaps]
    middle.semilogy(points, shown, "o-", color=PALETTE[2])
    middle.set(title="Inducing points", xlabel="points", ylabel="missing evidence")
    names = list(coverage)
    bars = right.barh(names, [coverage[name] for name in names], color=PALETTE[0], height=0.6)
    right.bar_label(bars, fmt="%.2f", label_type="center", color="white")
    right.axvline(0.95, color=PALETTE[1], linestyle="--")
    right.set(
        title="Coverage (dashed: promised)", xlabel="share of new observations", xlim=(0, 1.2)
    )
    right.set_xticks([0, 0.25, 0.5, 0.75, 1.0])
    right.invert_yaxis()
    return figure
