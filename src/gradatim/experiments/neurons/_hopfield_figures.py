"""Figures of associative memories: errors of bits, capacity, energy."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from numpy.typing import ArrayLike

from gradatim.neurons import TRANSITION, bit_error
from gradatim.plots.style import GRID, INK, MUTED, PALETTE, new_figure

Curve = tuple[Sequence[float], Sequence[float]]


def hopfield_capacity_curves(first: Mapping[str, Curve], settled: Mapping[str, Curve]) -> Figure:
    """Draw errors of the first update beside their formula, and what recall ends in.

    Args:
        first: By label, patterns per neuron and the share of bits the first update flips.
        settled: By label, patterns per neuron and the share of bits right after recall.

    Example:
        >>> figure = hopfield_capacity_curves({"d = 9": ([0.1], [0.01])}, {"d = 9": ([0.1], [0.99])})
    """
    figure, (left, right) = new_figure(columns=2, width=9.6, height=4.0)
    ratios = np.linspace(0.04, max(max(x) for x, _ in first.values()), 200)
    left.plot(
        ratios, [bit_error(r, 1.0) for r in ratios], color=INK, linewidth=1.2, label="formula"
    )
    for label, (x, y) in first.items():
        seen = np.asarray(y) > 0
        left.plot(np.asarray(x)[seen], np.asarray(y)[seen], "o", markersize=5, label=label)
    left.set(yscale="log", xlabel="patterns per neuron, n / d", ylabel="share of bits flipped")
    left.set_title("First update of a stored pattern")
    for (label, (x, y)), marker in zip(settled.items(), cycle("os^D"), strict=False):
        right.plot(x, y, marker=marker, markersize=5, label=label)
    right.set(xlabel="patterns per neuron, n / d", ylabel="share of bits right", ylim=(0.48, 1.02))
    right.set_title("After recall has settled")
    for panel in (left, right):
        panel.xaxis.set_major_locator(MultipleLocator(0.05))
        panel.axvline(TRANSITION, color=MUTED, linewidth=1.0, linestyle="--")
    right.text(TRANSITION, 0.49, f" {TRANSITION}", color=MUTED, fontsize=9, va="bottom")
    left.legend(loc="lower right")
    right.legend(loc="lower left")
    return figure


def memory_comparison(curves: Mapping[str, Curve]) -> Figure:
    """Draw the share of bits restored against patterns per neuron, on a logarithmic scale.

    Args:
        curves: By name of the memory, patterns per neuron and shares of bits right after recall.

    Example:
        >>> figure = memory_comparison({"Hopfield": ([0.1, 1.0], [1.0, 0.6])})
    """
    figure, axes = new_figure(width=6.8, height=4.0)
    for (label, (x, y)), marker in zip(curves.items(), cycle("os^Dv"), strict=False):
        axes.plot(x, y, marker=marker, markersize=5, label=label)
    axes.axvline(TRANSITION, color=MUTED, linewidth=1.0, linestyle="--")
    axes.set(xscale="log", xlabel="patterns per neuron, n / d", ylabel="share of bits right")
    axes.set_ylim(0.48, 1.02)
    axes.legend(loc="lower left")
    return figure


def energy_descent(traces: Mapping[str, ArrayLike]) -> Figure:
    """Draw the energy of probes after each sweep, one panel for each kind of update.

    Args:
        traces: By title, energies of shape ``(sweeps + 1, B)``.

    Example:
        >>> figure = energy_descent({"asynchronous": [[0.0, 0.0], [-1.0, -2.0]]})
    """
    figure, axes = new_figure(1, len(traces), 4.4 * len(traces), 3.6, sharex=True, sharey=True)
    for panel, (title, trace) in zip(np.ravel(axes), traces.items(), strict=True):
        levels = np.asarray(trace)
        rises = (np.diff(levels, axis=0) > 1e-9).any(axis=0)
        panel.plot(levels[:, ~rises], color=PALETTE[0], linewidth=1.0, alpha=0.6)
        panel.plot(levels[:, rises], color=PALETTE[1], linewidth=1.0, alpha=0.8)
        panel.set_title(f"{title}: {int(rises.sum())} of {levels.shape[1]} ever rise")
        panel.set_xlabel("sweep")
    np.ravel(axes)[0].set_ylabel("energy")
    return figure


def recall_rows(rows: Mapping[str, ArrayLike]) -> Figure:
    """Draw rows of small pictures of two colours: what was stored, what was shown, what came back.

    Args:
        rows: By label, images of ±1, shape ``(N, H, W)``; the same number in every row.

    Example:
        >>> import numpy as np
        >>> figure = recall_rows({"stored": np.ones((3, 4, 4)), "recalled": -np.ones((3, 4, 4))})
    """
    count = len(np.asarray(next(iter(rows.values()))))
    figure, axes = new_figure(len(rows), count, 0.8 * count + 1.2, 0.8 * len(rows) + 0.2)
    for line, (label, images) in zip(
        np.reshape(axes, (len(rows), count)), rows.items(), strict=True
    ):
        for panel, image in zip(line, np.asarray(images), strict=True):
            panel.imshow(image, cmap=ListedColormap([GRID, PALETTE[0]]), vmin=-1, vmax=1)
            panel.set(xticks=[], yticks=[])
            panel.grid(False)
            for spine in panel.spines.values():
                spine.set_visible(False)
        line[0].set_ylabel(label, rotation=0, ha="right", va="center")
    return figure
