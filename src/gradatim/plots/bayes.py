"""Figures of sampling: the chains and the ranks of their draws."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import binom, rankdata

from gradatim.bayes import Trace
from gradatim.errors import InvalidValue, choose
from gradatim.plots.style import MUTED, PALETTE, RULE, new_figure

MOST, BINS = 6, 20


def chain_figure(trace: Trace, names: Sequence[str] | None = None) -> Figure:
    """Draw chains against time, and beside them how often their draws have each rank among all draws.

    Chains that have met wander over each other, and their ranks are even: inside the band lie 98 of 100 counts of
    independent draws.

    Args:
        trace: Result of ``sample``.
        names: Rows of its summary; by default the six with the largest R-hat.

    Example:
        >>> import torch
        >>> trace = Trace(torch.randn(4, 100, 2), {}, 0.1)
        >>> len(chain_figure(trace).axes)
        4
    """
    columns = trace.columns()
    if names is None:
        worst = trace.summary()["r_hat"].fillna(np.inf).sort_values(ascending=False, kind="stable")
        names = [str(name) for name in worst.index[:MOST]]
    if not names:
        raise InvalidValue("chain_figure: names must hold at least one, got none.")
    for name in names:
        choose("chain_figure", "names", name, columns)
    figure, axes = new_figure(rows=len(names), columns=2, width=9.5, height=0.6 + 1.9 * len(names))
    for (left, right), name in zip(np.reshape(axes, (len(names), 2)), names, strict=True):
        draws = columns[name].detach().double().cpu().numpy()
        _draw_chains(left, draws)
        left.set_ylabel(name)
        _draw_ranks(right, draws)
    axes = figure.axes
    axes[0].set_title("chains")
    axes[1].set_title("ranks of their draws")
    axes[-2].set_xlabel("draw")
    axes[-1].set_xlabel("rank among all draws")
    return figure


def _draw_chains(axes: Axes, draws: NDArray[np.float64]) -> None:
    strength = max(0.25, min(0.8, 3 / len(draws)))
    for chain, values in enumerate(draws):
        axes.plot(values, color=PALETTE[chain % len(PALETTE)], linewidth=0.6, alpha=strength)
    axes.set_xlim(0, max(draws.shape[1] - 1, 1))


def _draw_ranks(axes: Axes, draws: NDArray[np.float64]) -> None:
    chains, count = draws.shape
    bins = min(BINS, max(count // 5, 1))
    edges = np.linspace(0.5, chains * count + 0.5, bins + 1)
    low, high = (float(binom.ppf(share, count, 1 / bins)) for share in (0.01, 0.99))
    axes.axhspan(low, high, color=RULE, alpha=0.5, linewidth=0)
    axes.axhline(count / bins, color=MUTED, linewidth=1.0, linestyle="--")
    ranks = rankdata(draws).reshape(draws.shape)
    strength = max(0.25, min(0.9, 4 / chains))
    for chain, row in enumerate(ranks):
        counts, _ = np.histogram(row, edges)
        axes.stairs(counts, edges, color=PALETTE[chain % len(PALETTE)], linewidth=1.2, alpha=strength)  # fmt: skip
    axes.set(xlim=(edges[0], edges[-1]), ylabel="draws")
    axes.set_ylim(bottom=0)
