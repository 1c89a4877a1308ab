"""Figures of clusters: rows in two principal components, silhouettes, a tree of merges, how many there are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import dendrogram, fcluster

from gradatim.plots.style import INK, MARKERS, MUTED, PALETTE, RULE, new_figure

NAMED = 12  # clusters that a legend names
TICKS = 60  # leaves of a tree whose numbers are written


def colour_of(label: int) -> str:
    """The colour of a cluster by its number from 0.

    Example:
        >>> colour_of(0) == colour_of(8)
        True
    """
    return PALETTE[label % len(PALETTE)]


def cluster_scatter(
    places: ArrayLike,
    labels: ArrayLike,
    centers: ArrayLike,
    *,
    is_far: ArrayLike | None = None,
    axes_names: tuple[str, str] = ("first component", "second component"),
) -> Figure:
    """Draw rows in a plane in the colours of their clusters, with the centers.

    Args:
        places: Shape ``(N, 2)``.
        labels: Cluster of every row, from 0.
        centers: Shape ``(K, 2)``.
        is_far: Rows that get a ring.
        axes_names: What the axes stand for.
    """
    figure, axes = new_figure(width=7.0, height=4.8)
    points, clusters, middles = np.asarray(places), np.asarray(labels), np.asarray(centers)
    draw_clusters(axes, points, clusters, middles)
    if is_far is not None and np.any(is_far):
        odd = points[np.asarray(is_far, bool)]
        axes.scatter(odd[:, 0], odd[:, 1], s=70, facecolors="none", edgecolors=INK, linewidths=1.0, label="far from all", zorder=4)  # fmt: skip
    axes.set(xlabel=axes_names[0], ylabel=axes_names[1])
    if 1 < len(middles) <= NAMED or (is_far is not None and np.any(is_far)):
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_clusters(panel: Axes, points: np.ndarray, labels: np.ndarray, centers: np.ndarray | None = None, *, names: bool = True) -> None:  # fmt: skip
    """Draw points in the colours and marks of their clusters, and the centers as crosses.

    Args:
        panel: Where.
        points: Shape ``(N, 2)``.
        labels: From 0.
        centers: Shape ``(K, 2)``.
        names: Whether clusters get a name for a legend.
    """
    size = float(np.clip(4000 / max(len(points), 1), 6, 30))
    for label in np.unique(labels).tolist():
        own = points[labels == label]
        name = f"cluster {label + 1}" if names and label < NAMED else None
        panel.scatter(own[:, 0], own[:, 1], s=size, color=colour_of(label), marker=MARKERS[label % len(MARKERS)], alpha=0.75, linewidths=0, label=name, zorder=2)  # fmt: skip
    if centers is not None:
        panel.scatter(centers[:, 0], centers[:, 1], s=130, marker="X", color=[colour_of(k) for k in range(len(centers))], edgecolors="white", linewidths=1.4, zorder=5)  # fmt: skip


def silhouette_figure(values: ArrayLike, labels: ArrayLike) -> Figure:
    """Draw the silhouette of every row, cluster by cluster, the largest first.

    Args:
        values: Of every row.
        labels: Cluster of every row, from 0.
    """
    s, clusters = np.asarray(values), np.asarray(labels)
    names = np.unique(clusters).tolist()
    figure, axes = new_figure(width=7.0, height=float(np.clip(1.2 + 0.6 * len(names), 3.0, 8.0)))
    gap, top, middles = max(len(s) // 40, 1), 0, []
    for label in names:
        own = np.sort(s[clusters == label])[::-1]
        axes.fill_betweenx(np.arange(top, top + len(own)), 0.0, own, color=colour_of(label), linewidth=0, step="mid")  # fmt: skip
        middles.append(top + len(own) / 2)
        top += len(own) + gap
    axes.axvline(s.mean(), color=INK, linestyle="--", linewidth=1.2, label=f"mean {s.mean():.2f}")
    axes.set_yticks(middles, [f"cluster {k + 1}" for k in names])
    axes.invert_yaxis()
    axes.set(xlabel="silhouette: 1 far from all others, 0 between two, below 0 nearer to another")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0))
    return figure


def merge_tree(merges: ArrayLike, *, num_clusters: int = 1) -> Figure:
    """Draw a dendrogram, cut into clusters.

    Args:
        merges: As SciPy's ``linkage`` gives them, shape ``(N - 1, 4)``.
        num_clusters: Into how many clusters to cut; 1 draws no cut.
    """
    figure, axes = new_figure(width=7.0, height=4.2)
    draw_tree(axes, np.asarray(merges, dtype=float), num_clusters=num_clusters)
    axes.set(ylabel="height of the merge", xlabel="rows")
    return figure


def draw_tree(panel: Axes, merges: np.ndarray, *, num_clusters: int = 1, names: Sequence[int] | None = None) -> None:  # fmt: skip
    """Draw a dendrogram into a panel, clusters below the cut in colours.

    Args:
        panel: Where.
        merges: Shape ``(N - 1, 4)``.
        num_clusters: Into how many clusters to cut; 1 draws no cut.
        names: Cluster of every row, from 0, whose colours are used; found from the cut by default.
    """
    tree = dendrogram(merges, no_plot=True, color_threshold=0, above_threshold_color=INK)
    cut = cut_height(merges, num_clusters)
    parts = fcluster(merges, num_clusters, "maxclust") - 1 if names is None else np.asarray(names)
    leaves = np.array(tree["leaves"])
    lines, colours = [], []
    for x, y in zip(tree["icoord"], tree["dcoord"], strict=True):
        leaf = leaves[int(np.clip(x[1] // 10, 0, len(leaves) - 1))]
        lines.append(list(zip(x, y, strict=True)))
        colours.append(colour_of(int(parts[leaf])) if num_clusters > 1 and y[1] <= cut else INK)
    panel.add_collection(LineCollection(lines, colors=colours, linewidths=0.6 if len(leaves) > 200 else 1.1))  # fmt: skip
    panel.set_xlim(0, 10 * len(leaves))
    panel.set_ylim(0, 1.05 * float(merges[-1, 2]) or 1.0)
    panel.grid(False, axis="x")
    if num_clusters > 1:
        panel.axhline(cut, color="#C0392B", linestyle="--", linewidth=1.3)
    if len(leaves) <= TICKS:
        panel.set_xticks(10 * np.arange(len(leaves)) + 5, [str(k) for k in leaves])
        panel.tick_params(axis="x", labelrotation=90, labelsize=6)
    else:
        panel.set_xticks([])


def cut_height(merges: np.ndarray, num_clusters: int) -> float:
    """A height between the merges that leave one cluster more and as many as wanted.

    Args:
        merges: Shape ``(N - 1, 4)``.
        num_clusters: From 1.

    Example:
        >>> cut_height(np.array([[0, 1, 1.0, 2], [2, 3, 4.0, 3]]), 2)
        2.5
    """
    heights = np.concatenate([[0.0], merges[:, 2], [1.1 * merges[-1, 2]]])
    place = len(heights) - 1 - num_clusters
    return float(heights[max(place, 0) : place + 2].mean())


class CountFigures(NamedTuple):
    """Figures for numbers of clusters.

    Args:
        counts: The numbers.
        gap: What clusters save beyond pieces of a cloud.
        needed: What they must save at least.
        silhouette: Of the rows.
        cloud: Silhouette of pieces of a cloud.
        stability: Agreement of halves.
        stable: What it must be at least.
    """

    counts: Sequence[int]
    gap: Sequence[float]
    needed: Sequence[float]
    silhouette: Sequence[float]
    cloud: Sequence[float]
    stability: Sequence[float]
    stable: float


def count_panels(figures: CountFigures, chosen: int) -> Figure:
    """Draw what speaks for each number of clusters, side by side, and mark the one that was chosen.

    Args:
        figures: The figures.
        chosen: Marked; 1 marks none.
    """
    figure, panels = new_figure(1, 3, width=10.5, height=3.3)
    counts = list(figures.counts)
    series = (
        ("gap", figures.gap, figures.needed, "needed"),
        ("silhouette", figures.silhouette, figures.cloud, "one cloud"),
        ("agreement of halves", figures.stability, [figures.stable] * len(counts), "needed"),
    )
    for panel, (title, own, beside, name) in zip(panels, series, strict=True):
        panel.plot(counts, beside, color=MUTED, linestyle="--", linewidth=1.4, label=name)
        panel.plot(counts, own, color=PALETTE[0], marker="o", markersize=5, label="these rows")
        if chosen in counts:
            panel.axvline(chosen, color=RULE, linewidth=6, alpha=0.6, zorder=0)
        panel.set_title(title)
        panel.set(xlabel="clusters")
        panel.set_xticks(counts)
        panel.legend(loc="best")
    return figure
