"""Graphs drawn, their degrees, and errors by groups of nodes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from gradatim.plots.style import INK, MUTED, PALETTE, new_figure

MOST_NODES = 300
STEPS = 120  # of the layout
LISTED = 10  # classes with a colour of their own


def neighbourhood(index: np.ndarray, count: int, most: int = MOST_NODES) -> np.ndarray:
    """Places of all nodes, or of the first ``most`` that are met on walks from the best-connected one.

    Args:
        index: Edges, each once, shape ``(2, E)``.
        count: Number of nodes.
        most: Nodes at most.

    Example:
        >>> neighbourhood(np.array([[0, 1, 3], [1, 2, 1]]), 9, 4).tolist()
        [0, 1, 2, 3]
    """
    if count <= most:
        return np.arange(count)
    ends = np.concatenate([index, index[::-1]], axis=1)
    degree = np.bincount(ends[0], minlength=count)
    taken = np.zeros(count, dtype=bool)
    taken[degree.argmax()] = True
    while True:
        reached = np.setdiff1d(ends[1][taken[ends[0]]], np.flatnonzero(taken))
        room = most - int(taken.sum())
        if not len(reached) or not room:
            return np.flatnonzero(taken)
        taken[reached[np.argsort(-degree[reached], kind="stable")][:room]] = True


def layout(index: np.ndarray, count: int, *, seed: int = 0) -> np.ndarray:
    r"""Places in the plane: nodes push each other apart with :math:`k^2/d`, edges pull together with :math:`d^2/k`.

    Args:
        index: Edges, shape ``(2, E)``.
        count: Number of nodes.
        seed: Fixes where they begin.

    Returns:
        Shape ``(count, 2)``, from -1 to 1.

    Reference:
        Fruchterman and Reingold, Graph Drawing by Force-directed Placement, 1991.
    """
    places = np.random.default_rng(seed).uniform(-1, 1, size=(count, 2))
    best = 1.6 / np.sqrt(max(count, 1))
    pulled = np.zeros((count, count), dtype=bool)
    pulled[index[0], index[1]] = pulled[index[1], index[0]] = True
    for step in range(STEPS):
        gap = places[:, None] - places[None]  # (N, N, 2)
        distance = np.maximum(np.sqrt((gap**2).sum(-1)), 1e-3)
        force = best**2 / distance**2 - np.where(pulled, distance / best, 0.0)
        move = (gap * force[..., None]).sum(1) - 0.4 * places  # parts that no edge joins stay near
        length = np.maximum(np.sqrt((move**2).sum(1, keepdims=True)), 1e-9)
        places = places + move / length * np.minimum(length, 0.2 * (1 - step / STEPS))
    return places / max(float(np.abs(places).max()), 1e-9)


def draw_graph(
    index: np.ndarray, values: np.ndarray, *, labels: Sequence[str] = (), label: str = ""
) -> Figure:
    """Draw nodes and edges, nodes in the colour of their class or value.

    Args:
        index: Edges, shape ``(2, E)``.
        values: Class codes or values of the nodes; not a number where they have none.
        labels: Names of the classes; none for values.
        label: What the values are.

    Example:
        >>> figure = draw_graph(np.array([[0, 1], [1, 2]]), np.array([0.0, 1.0, np.nan]), labels=["a", "b"])
        >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ['a', 'b']
    """
    count = len(values)
    places = layout(index, count)
    figure, axes = new_figure(width=6.5, height=5.2)
    lines = LineCollection(list(places[index.T]), colors=MUTED, linewidths=0.5, alpha=0.5, zorder=1)
    axes.add_collection(lines)
    size = float(np.clip(4000 / max(count, 1), 14, 90))
    known = np.isfinite(values)
    style = {"s": size, "linewidths": 0.5, "edgecolors": INK, "zorder": 2}
    axes.scatter(*places[~known].T, color="white", **style)
    if labels:
        for code, name in enumerate(labels):
            own = places[known][values[known] == code]
            shown = name if code < LISTED else None
            axes.scatter(*own.T, color=PALETTE[code % len(PALETTE)], label=shown, **style)
        axes.legend(title=label or None, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)  # fmt: skip
    else:
        drawn = axes.scatter(*places[known].T, c=values[known], cmap="viridis", **style)
        figure.colorbar(drawn, ax=axes, label=label, shrink=0.7)
    axes.set_axis_off()
    axes.set_aspect("equal")
    return figure


def degree_bars(degree: np.ndarray) -> Figure:
    """How many nodes have how many edges; many degrees are taken together in powers of two.

    Args:
        degree: Edges of every node.

    Example:
        >>> len(degree_bars(np.array([1, 1, 2])).axes[0].patches)
        3
    """
    figure, axes = new_figure(width=5.5, height=3.0)
    if degree.max() <= 30:
        edges = np.arange(0, degree.max() + 2) - 0.5
        axes.hist(degree, bins=edges, color=PALETTE[0], rwidth=0.9)
    else:
        edges = np.concatenate([[0], 2.0 ** np.arange(0, np.ceil(np.log2(degree.max() + 1)) + 1)])
        axes.bar(np.arange(len(edges) - 1), np.histogram(degree, edges)[0], color=PALETTE[0])
        axes.set_xticks(np.arange(len(edges) - 1), _ranges(edges[:-1].astype(int), int(degree.max())), rotation=30)  # fmt: skip
    axes.set_xlabel("edges of a node")
    axes.set_ylabel("nodes")
    return figure


def _ranges(starts: np.ndarray, largest: int) -> list[str]:
    ends = [*(starts[1:] - 1), largest]
    return [str(a) if a == b else f"{a}–{b}" for a, b in zip(starts.tolist(), ends, strict=True)]


def grouped_errors(
    errors: np.ndarray, groups_of: np.ndarray, starts: Sequence[int], *, label: str, groups: str, none: str = "none", rows: str = "nodes"
) -> Figure:  # fmt: skip
    """Mean error of groups of nodes or pairs with its standard error, and how many each has.

    Args:
        errors: Of every node or pair.
        groups_of: A whole number of each by which it is grouped; -1 where it has none.
        starts: Where the groups begin, from 0.
        label: What an error is.
        groups: What they are grouped by.
        none: Name of the group of those that have none.
        rows: What they are.

    Example:
        >>> figure = grouped_errors(np.array([0.0, 1.0, 1.0]), np.array([1, 1, 5]), (0, 1, 2), label="error", groups="edges")
        >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
        ['1\\n(2)', '2 or more\\n(1)']
    """
    place = np.searchsorted(np.asarray(starts), groups_of, side="right") - 1
    names, means, spreads = [], [], []
    for k in range(-1, len(starts)):
        own = errors[place == k]
        if not len(own):
            continue
        name = none
        if k >= 0:
            end = starts[k + 1] - 1 if k + 1 < len(starts) else None
            name = f"{starts[k]} or more" if end is None else str(starts[k]) if end == starts[k] else f"{starts[k]}–{end}"  # fmt: skip
        names.append(f"{name}\n({len(own):,})")
        means.append(float(own.mean()))
        spreads.append(float(own.std() / np.sqrt(len(own))))
    figure, axes = new_figure(width=5.5, height=3.2)
    axes.bar(np.arange(len(names)), means, yerr=spreads, color=PALETTE[0], ecolor=INK, capsize=3)
    axes.set_xticks(np.arange(len(names)), names)
    axes.set_ylim(0, None if max(means) > 0 else 0.1)
    axes.set_xlabel(f"{groups} ({rows})")
    axes.set_ylabel(label)
    return figure
