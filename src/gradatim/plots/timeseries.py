"""Models of series: roots of an autoregression, return maps, filtered traces, hidden states, trellises."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, RULE, new_figure

MARKERS = ("o", "s", "D", "^", "v")
Band = tuple[ArrayLike, ArrayLike]


def root_circle(roots: Mapping[str, ArrayLike], *, title: str = "") -> Figure:
    """Draw the roots of autoregressions in the complex plane, with the unit circle that they must stay inside.

    Args:
        roots: Complex roots by model.
        title: Heading.

    Example:
        >>> figure = root_circle({"random walk": [1.0 + 0j]})
        >>> figure.axes[0].get_aspect()
        1.0
    """
    figure, panel = new_figure(width=5.0, height=5.0)
    panel.add_patch(Circle((0, 0), 1.0, facecolor="#F4F6F9", edgecolor=INK, linewidth=1.2))
    panel.axhline(0, color=RULE, linewidth=0.8)
    panel.axvline(0, color=RULE, linewidth=0.8)
    for place, (label, values) in enumerate(roots.items()):
        z = np.asarray(values, dtype=complex)
        panel.plot(
            z.real, z.imag, MARKERS[place % len(MARKERS)], markersize=8, label=label,
            markerfacecolor="none", markeredgewidth=2.0, zorder=3,
        )  # fmt: skip
    reach = 1.15 * max(1.0, *(np.abs(np.asarray(z)).max() for z in roots.values()))
    panel.set_xlim(-reach, reach)
    panel.set_ylim(-reach, reach)
    panel.set_aspect("equal")
    panel.set_xlabel("real part")
    panel.set_ylabel("imaginary part")
    panel.set_title(title)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def return_map(
    past: ArrayLike,
    future: ArrayLike,
    curves: Mapping[str, Band],
    *,
    xlabel: str = "$x_{t-1}$",
    ylabel: str = "$x_t$",
    title: str = "",
) -> Figure:
    """Draw each value against the one before it, and what models make of that.

    Args:
        past: Values before, shape ``(N,)``.
        future: Values that followed, shape ``(N,)``.
        curves: Places and predictions of each model; the last is the truth, drawn dashed.
        xlabel: What the values before are.
        ylabel: What the values after are.
        title: Heading.

    Example:
        >>> figure = return_map([0, 1], [1, 0], {"AR": ([0, 1], [1, 0]), "truth": ([0, 1], [1, 0])})
        >>> [line.get_label() for line in figure.axes[0].lines]
        ['observed', 'AR', 'truth']
    """
    figure, panel = new_figure(width=6.0, height=4.3)
    panel.plot(past, future, ".", color="#A9B0BA", markersize=3.5, alpha=0.6, label="observed")
    for place, (label, (x, y)) in enumerate(curves.items()):
        is_last = place == len(curves) - 1
        panel.plot(
            x, y, "--" if is_last else "-", label=label, linewidth=1.5 if is_last else 2.4,
            color=INK if is_last else PALETTE[(1, 0)[place] if place < 2 else place],
        )  # fmt: skip
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.set_title(title)
    panel.legend()
    return figure


def filter_traces(
    truth: ArrayLike,
    observations: ArrayLike,
    estimates: Mapping[str, Band],
    *,
    ylabel: str = "state",
) -> Figure:
    """Draw what filters make of the same observations, each in a panel with a band of two deviations.

    Args:
        truth: True states, shape ``(T,)``.
        observations: What was seen, shape ``(T,)``.
        estimates: For each filter the means and the standard deviations, shape ``(T,)`` each.
        ylabel: What the state is.

    Example:
        >>> figure = filter_traces([0, 1], [0.2, 0.9], {"K = 0.6": ([0.1, 0.6], [0.5, 0.4])})
        >>> figure.axes[0].get_title()
        'K = 0.6'
    """
    if not estimates:
        raise InvalidValue("filter_traces: estimates must hold a filter, got none.")
    figure, axes = new_figure(len(estimates), 1, 7.5, 2.1 * len(estimates) + 0.6, sharex=True, sharey=True)  # fmt: skip
    for panel, (label, (mean, deviation)) in zip(np.ravel(axes), estimates.items(), strict=True):
        centre, reach = np.asarray(mean, dtype=float), 2 * np.asarray(deviation, dtype=float)
        steps = np.arange(len(centre))
        panel.fill_between(steps, centre - reach, centre + reach, color=PALETTE[0], alpha=0.18, linewidth=0, label="± 2 deviations")  # fmt: skip
        panel.plot(steps, observations, ".", color=PALETTE[1], markersize=5, label="observed")
        panel.plot(steps, truth, color=INK, linewidth=1.3, label="truth")
        panel.plot(steps, centre, color=PALETTE[0], linewidth=2.0, label="filter")
        panel.set_title(label)
        panel.set_ylabel(ylabel)
    panel.set_xlabel("time step")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def state_probabilities(
    posterior: ArrayLike, states: Sequence[str], paths: Mapping[str, ArrayLike]
) -> Figure:
    """Draw the probability of each hidden state against time, over strips of the states that were named.

    Args:
        posterior: Probabilities, shape ``(T, K)``.
        states: Names of the ``K`` states.
        paths: States ``(T,)`` by label: the truth, what was decoded.

    Example:
        >>> figure = state_probabilities([[0.9, 0.1], [0.2, 0.8]], ["dry", "wet"], {"truth": [0, 1]})
        >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
        ['truth']
    """
    table = np.asarray(posterior, dtype=float)
    if table.ndim != 2 or table.shape[1] != len(states):
        raise InvalidValue(
            f"state_probabilities: posterior must have {len(states)} columns, one per state, got shape {table.shape}."
        )
    figure, (upper, lower) = new_figure(2, 1, 8.0, 3.6 + 0.3 * len(paths), sharex=True)
    colors = [_state_color(k) for k in range(len(states))]
    edges = np.arange(len(table) + 1) - 0.5
    height = np.zeros(len(table))
    for k, name in enumerate(states):
        upper.stairs(height + table[:, k], edges, baseline=height, fill=True, color=colors[k], label=name)  # fmt: skip
        height = height + table[:, k]
    upper.set_ylim(0, 1)
    upper.set_ylabel("probability")
    upper.grid(False)
    for row, path in enumerate(paths.values()):
        for k in range(len(states)):
            at = np.flatnonzero(np.asarray(path) == k)
            lower.bar(at, 0.8, width=1.0, bottom=row - 0.4, color=colors[k])
    lower.set_yticks(range(len(paths)), list(paths), color=INK)
    lower.invert_yaxis()
    lower.grid(False)
    lower.set_xlim(edges[0], edges[-1])
    lower.set_xlabel("time step")
    figure.legend(*upper.get_legend_handles_labels(), loc="outside upper center", ncols=len(states), frameon=False, fontsize=9)  # fmt: skip
    return figure


def _state_color(k: int) -> str:
    """Sun is orange, rain is blue, clouds are grey, in this order."""
    order = (4, 0, 6, 2, 3, 1, 5, 7)
    return PALETTE[order[k % len(order)]]


def trellis_figure(
    best: ArrayLike,
    previous: ArrayLike,
    path: Sequence[int],
    *,
    states: Sequence[str],
    observations: Sequence[str],
    other: tuple[str, Sequence[int]] | None = None,
    title: str = "",
) -> Figure:
    r"""Draw Viterbi's trellis: the best way into every node, and the best path of all.

    Args:
        best: :math:`\delta_t(j)`, the probability of the best path to each node, shape ``(T, K)``.
        previous: :math:`\psi_t(j)`, the state before on it, shape ``(T, K)``.
        path: The best path, ``T`` states.
        states: Names of the ``K`` states.
        observations: Names of the ``T`` observations.
        other: Another path to show dashed, with its label.
        title: Heading.

    Example:
        >>> figure = trellis_figure(
        ...     [[0.5, 0.5], [0.4, 0.1]], [[-1, -1], [0, 0]], [0, 0], states="AB", observations="xy"
        ... )
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['x', 'y']
    """
    delta, psi = np.asarray(best, dtype=float), np.asarray(previous, dtype=int)
    if delta.shape != (len(observations), len(states)) or psi.shape != delta.shape:
        raise InvalidValue(
            f"trellis_figure: best and previous must have shape ({len(observations)}, {len(states)}), "
            f"got {delta.shape} and {psi.shape}."
        )
    T, K = delta.shape
    figure, panel = new_figure(width=max(1.3 + 1.7 * T, 5.6), height=1.6 + 1.05 * K)
    for t in range(1, T):
        for i, j in np.ndindex(K, K):
            panel.plot([t - 1, t], [i, j], color="#E1E4E9", linewidth=0.9, zorder=1)
        for j in np.flatnonzero(delta[t] > 0):
            panel.plot([t - 1, t], [psi[t, j], j], color=PALETTE[0], linewidth=2.0, zorder=2)
    panel.plot([], [], color=PALETTE[0], linewidth=2.0, label="best way into a node")
    panel.plot(range(T), path, color=PALETTE[1], linewidth=5.0, zorder=3, label="best path")
    if other is not None:
        panel.plot(range(T), other[1], ":", color=INK, linewidth=3.0, zorder=3.5, label=other[0])
    _draw_nodes(panel, delta, set(enumerate(path)))
    panel.set_xticks(range(T), list(observations), color=INK, fontsize=10)
    panel.set_yticks(range(K), list(states), color=INK, fontsize=10)
    panel.set_xlim(-0.45, T - 0.55)
    panel.set_ylim(K - 0.5, -0.5)
    panel.tick_params(length=0)
    panel.grid(False)
    for side in panel.spines.values():
        side.set_visible(False)
    panel.set_title(title)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def _draw_nodes(panel: Axes, delta: np.ndarray, chosen: set[tuple[int, int]]) -> None:
    for (t, j), value in np.ndenumerate(delta):
        color = PALETTE[1] if (t, j) in chosen else (PALETTE[0] if value > 0 else MUTED)
        panel.text(
            t, j, f"{value:.4g}" if value >= 1e-3 or value == 0 else f"{value:.3g}", ha="center", va="center",
            fontsize=9, color=INK, zorder=4,
            bbox={"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": color, "linewidth": 1.8},
        )  # fmt: skip
