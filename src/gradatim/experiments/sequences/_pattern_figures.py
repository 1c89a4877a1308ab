"""Networks drawn along time: which inputs go in where, and which answers come out."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gradatim.plots.style import GRID, INK, MUTED, PALETTE, SEQUENTIAL, new_figure

Places = Sequence[int]


def pattern_diagrams(patterns: Mapping[str, tuple[Places, Places, int]]) -> Figure:
    """Draw recurrent networks unrolled over time.

    Args:
        patterns: By title, the steps that get an input, the steps that give an answer, and the number of layers.

    Example:
        >>> figure = pattern_diagrams({"many to one": ((0, 1, 2), (2,), 1), "two layers": ((0, 1), (0, 1), 2)})
        >>> [axes.get_title() for axes in figure.axes]
        ['many to one', 'two layers']
    """
    columns = min(len(patterns), 3)
    rows = -(-len(patterns) // columns)
    figure, panels = new_figure(rows, columns, width=3.7 * columns, height=2.9 * rows)
    for axes, (title, pattern) in zip(np.ravel(panels), patterns.items(), strict=False):
        _unrolled(axes, *pattern)
        axes.set_title(title)
    for axes in np.ravel(panels)[len(patterns) :]:
        axes.remove()
    return figure


def _unrolled(axes: Axes, inputs: Places, outputs: Places, layers: int) -> None:
    steps = max(*inputs, *outputs) + 1
    axes.set_axis_off()
    axes.set(xlim=(-0.7, max(steps, 4) - 0.3), ylim=(-1.3, layers + 0.5))
    arrow = {"arrowstyle": "-|>", "linewidth": 1.5, "color": MUTED, "shrinkA": 0, "shrinkB": 0}
    for t in range(steps):
        for layer in range(layers):
            _box(axes, t, layer, f"h{t + 1}" if layers == 1 else f"h{t + 1}⁽{'¹²³'[layer]}⁾", "#E5F1F9", PALETTE[0])  # fmt: skip
            if t:
                axes.annotate("", (t - 0.3, layer), (t - 0.7, layer), arrowprops=arrow)
            if layer:
                axes.annotate("", (t, layer - 0.22), (t, layer - 0.78), arrowprops=arrow)
        if t in inputs:
            _box(axes, t, -1, f"x{t + 1}" if len(inputs) > 1 else "x", "#EEEEEE", MUTED)
            axes.annotate("", (t, -0.22), (t, -0.78), arrowprops=arrow)
        if t in outputs:
            number = outputs.index(t) + 1
            axes.annotate("", (t, layers - 0.28), (t, layers - 0.78), arrowprops=arrow)
            axes.text(t, layers - 0.05, f"y{number}" if len(outputs) > 1 else "y", ha="center", va="center", color=PALETTE[1], weight="bold")  # fmt: skip


def _box(axes: Axes, x: float, y: float, text: str, face: str, edge: str) -> None:
    style = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge}
    axes.text(x, y, text, ha="center", va="center", fontsize=9, color=INK, bbox=style)


def reach_maps(reach: Mapping[str, NDArray[np.bool_]]) -> Figure:
    """Draw which answers change with which inputs.

    Args:
        reach: By title, whether an answer (row) depends on an input (column).

    Example:
        >>> reach_maps({"aligned": np.tri(3, dtype=bool)}).axes[0].get_ylabel()
        'answer'
    """
    figure, panels = new_figure(columns=len(reach), width=2.4 * len(reach), height=2.7)
    for axes, (title, matrix) in zip(np.ravel(panels), reach.items(), strict=True):
        axes.pcolormesh(matrix.astype(float), cmap=SEQUENTIAL, vmin=0, vmax=1.3, edgecolors=GRID, linewidth=1.0)  # fmt: skip
        axes.set(aspect="equal", xlabel="input", title=title)
        axes.set_xticks(np.arange(matrix.shape[1]) + 0.5, [str(k + 1) for k in range(matrix.shape[1])])  # fmt: skip
        axes.set_yticks(np.arange(matrix.shape[0]) + 0.5, [str(k + 1) for k in range(matrix.shape[0])])  # fmt: skip
        axes.invert_yaxis()
        axes.grid(False)
    np.ravel(panels)[0].set_ylabel("answer")
    return figure


def readout_weights(weights: NDArray[np.float64], names: Sequence[str]) -> Figure:
    """Draw weights of several answers on one state, as a map and as lines.

    Args:
        weights: Shape ``(answers, hidden_dim)``.
        names: Of the answers.

    Example:
        >>> len(readout_weights(np.eye(3), ["a", "b", "c"]).axes)
        2
    """
    figure, (above, below) = new_figure(2, width=8.6, height=5.2)
    size = float(np.abs(weights).max())
    above.imshow(weights, aspect="auto", cmap="RdBu_r", vmin=-size, vmax=size, interpolation="nearest")  # fmt: skip
    above.set_yticks(range(len(names)), names)
    above.set_title("Weights of four answers on one state")
    above.grid(False)
    for k, (name, row) in enumerate(zip(names, weights, strict=True)):
        below.plot(np.arange(len(row)), row, "o-", markersize=3.5, color=PALETTE[k], label=name)
    below.set(xlabel="entry of the state", ylabel="weight", xlim=(-0.5, weights.shape[1] - 0.5))
    below.axhline(0, color=MUTED, linewidth=0.8)
    below.legend(ncols=len(names), loc="lower center", bbox_to_anchor=(0.5, -0.55))
    return figure
