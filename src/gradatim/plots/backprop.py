"""Figures of backpropagation: the chain of stages, the cost of Jacobians, computation graphs."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from gradatim.backprop import ComputationGraph, JacobianCost, Node, Trace
from gradatim.backprop.layout import layered_layout
from gradatim.plots.style import INK, MUTED, PALETTE, RULE, new_figure

FORWARD, BACKWARD, GRADIENT = PALETTE[:3]
FILLS = {"leaf": "#E5F1F9", "operation": "#FFFFFF", "loss": "#FCEBDD"}
RIMS = {"leaf": FORWARD, "operation": RULE, "loss": BACKWARD}


def trace_figure(trace: Trace) -> Figure:
    """Draw the chain of stages, and beside it the norms of values, co-states and gradients.

    Args:
        trace: Result of ``backpropagate``.

    Example:
        >>> import torch
        >>> from gradatim.backprop import backpropagate
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
        >>> trace = backpropagate(model, torch.nn.functional.mse_loss, torch.ones(4, 2), torch.zeros(4, 3))
        >>> len(trace_figure(trace).axes)
        2
    """
    table = trace.table()
    rows = len(table)
    spacing = 0.62 if rows <= 20 else 0.45
    figure, (chain, norms) = new_figure(columns=2, width=10.0, height=0.9 + spacing * (rows + 1))
    _draw_chain(chain, trace)
    chain.set_title("Values flow down, gradients flow up")
    styles = {
        "‖x‖": ("o", "-", FORWARD, "value ‖x‖"),
        "‖p‖": ("s", "-", BACKWARD, "co-state ‖p‖"),
        "‖gradient‖": ("D", "none", GRADIENT, "gradient ‖∂E/∂θ‖"),
    }
    for column, (marker, line, colour, label) in styles.items():
        sizes = table[column].astype(float)
        known = np.isfinite(sizes) & (sizes > 0)
        norms.plot(
            sizes[known], table.index[known], marker, linestyle=line, color=colour, label=label
        )
    norms.set(xscale="log", xlabel="Euclidean norm")
    norms.set_yticks(table.index, [_shorten(str(name), 14) for name in table["stage"]])
    norms.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1.2)
    for axes in (chain, norms):
        axes.set_ylim(rows + 0.45, -0.7)
    return figure


def _draw_chain(axes: Axes, trace: Trace) -> None:
    """Boxes from input to loss: values flow down on the left, co-states up on the right."""
    axes.set_axis_off()
    axes.set_xlim(0, 10)
    rows = trace.table().to_dict("records")
    for y, row in enumerate(rows):
        _draw_box(axes, 5.0, y, 5.6, 0.62, "leaf" if y == 0 else "operation")
        layer = row["layer"] if row["layer"].lower() != row["stage"].lower() else ""
        title = f"{_shorten(row['stage'], 16)} {layer}".strip()
        count = f"{row['parameters']:,} parameters" if row["parameters"] else ""
        _write(
            axes, 2.35, y - 0.12 * bool(count), _shorten(title, 28), INK, ha="left", weight="bold"
        )
        _write(axes, 2.35, y + 0.16, count, MUTED, ha="left", size=7.5)
        _write(axes, 7.65, y, _shorten(row["output"], 24), MUTED, ha="right")
        _write(axes, 2.05, y, f"{row['‖x‖']:.3g}", FORWARD, ha="right")
        if row["‖p‖"] is not None and np.isfinite(row["‖p‖"]):
            _write(axes, 7.95, y, f"{row['‖p‖']:.3g}", BACKWARD, ha="left")
            _draw_arrow(axes, 6.2, y + 0.69, y + 0.31, BACKWARD)
        _draw_arrow(axes, 3.8, y + 0.31, y + 0.69, FORWARD)
    _draw_box(axes, 5.0, len(rows), 5.6, 0.62, "loss")
    _write(axes, 2.35, len(rows), "loss E", INK, ha="left", weight="bold")
    _write(axes, 7.65, len(rows), f"{trace.loss.item():.4g}", INK, ha="right")
    _write(axes, 2.05, -0.5, "‖x‖", FORWARD, ha="right", weight="bold")
    _write(axes, 7.95, -0.5, "‖p‖", BACKWARD, ha="left", weight="bold")


def jacobian_cost_figure(cost: JacobianCost) -> Figure:
    """Draw arithmetic and time of both modes against the number of inputs and of outputs.

    Args:
        cost: Result of ``jacobian_cost``; the smallest number of outputs is kept fixed on the left, the
            smallest number of inputs on the right.

    Example:
        >>> from gradatim.backprop import jacobian_cost
        >>> len(jacobian_cost_figure(jacobian_cost([1, 4], [1, 4], repeats=1)).axes)
        4
    """
    table = cost.table()
    figure, grid = new_figure(rows=2, columns=2, width=9.0, height=6.0)
    for column, (varied, fixed) in enumerate([("inputs", "outputs"), ("outputs", "inputs")]):
        least = table[fixed].min()
        noun = fixed if least > 1 else fixed.removesuffix("s")
        grid[0, column].set_title(f"{varied.capitalize()} grow, {least} {noun}")
        for mode, colour, marker in [("forward", FORWARD, "o"), ("reverse", BACKWARD, "s")]:
            part = table[(table["mode"] == mode) & (table[fixed] == least)]
            for row, (column_name, unit) in enumerate([("evaluations", 1), ("seconds", 1e3)]):
                values = part[column_name] * unit
                grid[row, column].plot(
                    part[varied], values, marker, linestyle="-", color=colour, label=mode
                )
        for axes in grid[:, column]:
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
        grid[1, column].set_xlabel(f"number of {varied}")
    for row in grid:
        decades = np.log10([bound for axes in row for bound in axes.get_ylim()])
        for axes in row:
            axes.set_ylim(10.0 ** np.floor(decades.min()), 10.0 ** np.ceil(decades.max()))
    grid[0, 0].set_ylabel("arithmetic, evaluations of f")
    grid[1, 0].set_ylabel("time, ms")
    grid[0, 0].legend()
    return figure


def graph_figure(graph: ComputationGraph) -> Figure:
    """Draw a computation graph from its leaves at the top to the loss at the bottom.

    Args:
        graph: Result of ``computation_graph``. Up to about sixty nodes stay readable on a page.

    Example:
        >>> import torch
        >>> from gradatim.backprop import computation_graph
        >>> w = torch.tensor(2.0, requires_grad=True)
        >>> figure = graph_figure(computation_graph(w**2, {"w": w}))
    """
    texts = [_node_lines(node) for node in graph.nodes]
    widths = [0.25 + 0.075 * max(map(len, lines)) for lines in texts]
    layout = layered_layout(widths, graph.edges, gap=0.22)
    height = 1.0  # inches from layer to layer
    figure, axes = new_figure(
        width=max(3.0, layout.width + 0.5), height=height * layout.layers + 0.3
    )
    axes.set_axis_off()
    axes.set(xlim=(-0.15, layout.width + 0.15), ylim=(height * (layout.layers - 0.5), -height / 2))
    for line, (source, target) in zip(layout.edges, graph.edges, strict=True):
        halves = [
            _box_height(texts[source]) / 2,
            *[0.3] * (len(line) - 2),
            _box_height(texts[target]) / 2,
        ]
        _draw_edge(axes, [(x, y * height) for x, y in line], halves)
    for (x, y), width, lines, node in zip(layout.nodes, widths, texts, graph.nodes, strict=True):
        _draw_box(axes, x, y * height, width, _box_height(lines), node.kind)
        colours = [INK, FORWARD if node.value else BACKWARD, BACKWARD]
        for index, (text, colour) in enumerate(zip(lines, colours, strict=False)):
            shift = 0.17 * (index - (len(lines) - 1) / 2)
            weight = "bold" if index == 0 else "normal"
            _write(axes, x, y * height + shift, text, colour, weight=weight, size=8)
    return figure


def _node_lines(node: Node) -> list[str]:
    gradient = f"∂ {node.gradient}" if node.gradient else ""
    return [_shorten(line, 30) for line in (node.label, node.value, gradient) if line]


def _box_height(lines: list[str]) -> float:
    return 0.17 * len(lines) + 0.1


def _draw_edge(axes: Axes, points: Sequence[tuple[float, float]], halves: Sequence[float]) -> None:
    """An arrow that bends between layers only, and runs straight down between the boxes of a layer."""
    x, y = points[0]
    vertices, codes = [(x, y + halves[0])], [Path.MOVETO]
    for (x1, y1), half in zip(points[1:], halves[1:], strict=True):
        (x0, y0), top = vertices[-1], y1 - half
        middle = (y0 + top) / 2
        vertices += [(x0, middle), (x1, middle), (x1, top)]
        codes += [Path.CURVE4] * 3
        if (x1, y1) != points[-1]:
            vertices.append((x1, y1 + half))
            codes.append(Path.LINETO)
    path = Path(vertices, codes)
    axes.add_patch(
        FancyArrowPatch(
            path=path, arrowstyle="-|>", mutation_scale=8, color=MUTED, fill=False, zorder=1
        )
    )


def _draw_box(axes: Axes, x: float, y: float, width: float, height: float, kind: str) -> None:
    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0,rounding_size=0.06"
    axes.add_patch(
        FancyBboxPatch(
            corner,
            width,
            height,
            boxstyle=style,
            facecolor=FILLS[kind],
            edgecolor=RIMS[kind],
            zorder=2,
        )
    )


def _draw_arrow(axes: Axes, x: float, start: float, end: float, colour: str) -> None:
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=(x, end), xytext=(x, start), arrowprops=arrow)


def _write(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    colour: str,
    *,
    ha: str = "center",
    weight: str = "normal",
    size: float = 9,
) -> None:
    axes.text(
        x, y, text, color=colour, ha=ha, va="center", fontweight=weight, fontsize=size, zorder=3
    )


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else "…" + text[1 - length :]
