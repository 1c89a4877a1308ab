"""The confusion matrix."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, new_figure


def confusion_matrix(
    counts: ArrayLike, labels: Sequence[object] | None = None, *, title: str = ""
) -> Figure:
    r"""Draw how often each true class was taken for each predicted one.

    Colour is the share of the true class, :math:`C_{ij} / \sum_k C_{ik}`: blue for right answers on
    the diagonal, orange for mistakes. Numbers are the counts; zeros stay blank.

    Args:
        counts: :math:`C_{ij}`, samples of class :math:`i` predicted as :math:`j`, shape ``(K, K)``.
        labels: Names of the classes; numbers from zero by default.
        title: Heading; the accuracy :math:`\sum_i C_{ii} / \sum_{ij} C_{ij}` by default.

    Example:
        >>> confusion_matrix([[8, 2], [1, 9]], ["cat", "dog"]).axes[0].get_title()
        'accuracy 85.0 %'
    """
    table = _checked(counts, labels)
    size = len(table)
    names = [str(label) for label in (labels if labels is not None else range(size))]
    side = float(np.clip(1.6 + 0.46 * size, 3.6, 10.0))
    figure, axes = new_figure(width=side + 0.4, height=side)
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    right = np.eye(size, dtype=bool)
    axes.imshow(np.ma.array(shares, mask=~right), cmap=colormaps["Blues"], vmin=0, vmax=1.15)
    # Mistakes are rarer than right answers: their colours are stretched so that they can be seen.
    worst = max(float(shares[~right].max(initial=0.0)), 0.1)
    mistakes = np.ma.array(shares, mask=right | (table == 0))
    axes.imshow(mistakes, cmap=colormaps["Oranges"], vmin=0, vmax=1.6 * worst)
    _write_counts(axes, table, shares)
    _write_labels(axes, names)
    accuracy = np.trace(table) / max(table.sum(), 1)
    axes.set_title(title or f"accuracy {accuracy:.1%}".replace("%", " %"))
    return figure


def _checked(counts: ArrayLike, labels: Sequence[object] | None) -> np.ndarray:
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not len(table) or table.min() < 0:
        raise InvalidValue(
            "confusion_matrix: counts must be a square matrix of counts, one row per true class, "
            f"got shape {table.shape}."
        )
    if labels is not None and len(labels) != len(table):
        raise InvalidValue(
            f"confusion_matrix: labels must name {len(table)} classes, got {len(labels)}."
        )
    return table


def _write_counts(axes: Axes, table: np.ndarray, shares: np.ndarray) -> None:
    size = 10 if len(table) <= 10 else 7.5
    for i, j in np.argwhere(table > 0):
        dark = i == j and shares[i, j] > 0.6
        axes.text(
            j, i, f"{table[i, j]:,}", ha="center", va="center", fontsize=size, color="white" if dark else INK
        )  # fmt: skip


def _write_labels(axes: Axes, names: list[str]) -> None:
    ticks = range(len(names))
    slanted = max(map(len, names)) > 4
    axes.set_xticks(
        ticks, names, rotation=40 if slanted else 0, ha="right" if slanted else "center"
    )
    axes.set_yticks(ticks, names)
    axes.set(xlabel="predicted", ylabel="true")
    axes.grid(False)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(True)
