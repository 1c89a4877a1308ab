"""Graphs as dots and lines, and what goes with their sizes."""

from collections.abc import Mapping, Sequence

import networkx
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure

Drawn = tuple[int, Sequence[tuple[int, int]], Sequence[int]]  # nodes, edges, colours of nodes
BINS = 24
GROUPS = 6  # of sizes


def graph_panels(
    graphs: Sequence[Drawn],
    titles: Sequence[str],
    *,
    is_right: Sequence[bool] | None = None,
    columns: int = 3,
) -> Figure:
    """Draw graphs, a panel each.

    Args:
        graphs: Number of nodes, edges as pairs, and a colour number for every node.
        titles: A heading for each.
        is_right: Which answers are right; the headings of the others are red.
        columns: Panels in a row.

    Example:
        >>> figure = graph_panels([(3, [(0, 1), (1, 2)], [0, 1, 0])], ["a path"])
        >>> [panel.get_title() for panel in figure.axes]
        ['a path']
    """
    if not graphs or len(graphs) != len(titles):
        raise InvalidValue(f"graph_panels: graphs must have a title each, got {len(titles)} for {len(graphs)}.")  # fmt: skip
    columns = min(columns, len(graphs))
    rows = -(-len(graphs) // columns)
    figure, axes = new_figure(rows, columns, max(2.9 * columns, 4.0), 2.6 * rows)
    panels = np.ravel(axes)
    for k, (panel, (count, edges, colours), title) in enumerate(zip(panels, graphs, titles, strict=False)):  # fmt: skip
        place = _layout(count, edges)
        if len(edges):
            panel.add_collection(LineCollection(place[np.array(edges)], colors=MUTED, linewidths=1.0, zorder=1))  # fmt: skip
        shades = [PALETTE[c % len(PALETTE)] for c in colours]
        size = float(np.clip(900 / max(count, 1), 8, 70))
        panel.scatter(place[:, 0], place[:, 1], s=size, c=shades, edgecolors="white", linewidths=0.6, zorder=2)  # fmt: skip
        is_wrong = is_right is not None and not is_right[k]
        panel.set_title(title, fontsize=9.5, color="#b3261e" if is_wrong else INK)
        panel.set_aspect("equal", adjustable="datalim")
        panel.margins(0.12)
        panel.set_axis_off()
    for panel in panels[len(graphs) :]:
        panel.remove()
    return figure


def _layout(count: int, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Places of nodes, neighbours near each other; components stand side by side."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(edges)
    place, left = np.zeros((count, 2)), 0.0
    for nodes in sorted(networkx.connected_components(graph), key=len, reverse=True):
        part = graph.subgraph(sorted(nodes))
        own = np.array(list(networkx.kamada_kawai_layout(part, scale=np.sqrt(len(part))).values())) if len(part) > 1 else np.zeros((1, 2))  # fmt: skip
        own = own - own.min(0) * np.array([1.0, 0.0])
        place[list(part)] = own + np.array([left, 0.0])
        left += float(own[:, 0].max()) + 1.0
    return place


def count_bars(counts: Mapping[str, ArrayLike]) -> Figure:
    """Draw how often each number occurs, a panel for each name.

    Args:
        counts: Numbers that are counted, by what they are.

    Example:
        >>> figure = count_bars({"nodes": [3, 3, 4]})
        >>> figure.axes[0].get_xlabel()
        'nodes'
    """
    figure, axes = new_figure(1, len(counts), 3.1 * len(counts), 2.5)
    for panel, (name, values) in zip(np.ravel(axes), counts.items(), strict=True):
        own = np.asarray(values, dtype=float).ravel()
        low, high = (own.min(), own.max()) if own.size else (0.0, 0.0)
        step = max(np.ceil((high - low + 1) / BINS), 1.0)
        panel.hist(own, bins=np.arange(low - 0.5, high + step + 0.5, step), color=PALETTE[0])
        panel.set_xlabel(name)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    np.ravel(axes)[0].set_ylabel("count")
    return figure


def error_by_size(sizes: ArrayLike, errors: ArrayLike, *, label: str) -> Figure:
    """Draw mean errors of graphs in groups of like size, with standard errors.

    Args:
        sizes: Nodes of each graph.
        errors: Its error.
        label: What the error is.

    Example:
        >>> error_by_size([3, 3, 9, 9], [0, 1, 0, 0], label="error").axes[0].get_ylabel()
        'error'
    """
    size, error = np.asarray(sizes, dtype=float), np.asarray(errors, dtype=float)
    if size.shape != error.shape or not size.size:
        raise InvalidValue(f"error_by_size: sizes and errors must be as many, one at least, got {size.size} and {error.size}.")  # fmt: skip
    cuts = np.unique(np.quantile(size, np.linspace(0, 1, GROUPS + 1)[1:-1]))
    group = np.searchsorted(cuts, size, side="left")
    figure, panel = new_figure(1, 1, 5.2, 3.0)
    for k in np.unique(group):
        own, at = error[group == k], size[group == k]
        spread = own.std() / np.sqrt(len(own))
        panel.errorbar(at.mean(), own.mean(), yerr=spread, fmt="o", color=PALETTE[0], capsize=3)
    panel.set_xlabel("nodes of a graph")
    panel.set_ylabel(label)
    panel.set_ylim(bottom=0)
    return figure
