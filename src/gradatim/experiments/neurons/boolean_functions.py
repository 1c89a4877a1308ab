"""Threshold units compute every Boolean function in two layers, but in one layer only a few of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gradatim.linear import separate
from gradatim.linear.counting import dichotomies
from gradatim.linear.separability import Separation
from gradatim.neurons import ThresholdNetwork, binary_inputs, boolean_network, gate
from gradatim.plots.neurons import BLUE, ORANGE, TINTS, draw_classes, threshold_network
from gradatim.plots.style import INK, new_figure
from gradatim.reports import Report

COVERS = ("A1", "A3")
KEYWORDS = "McCulloch-Pitts neuron, threshold logic unit TLU, logic gates AND OR NAND NOR, linearly separable, two-input Boolean operators"
# Values on (0,0), (0,1), (1,0), (1,1)
NAMES = {
    (0, 0, 0, 0): "never",
    (0, 0, 0, 1): "AND",
    (0, 0, 1, 0): "a, not b",
    (0, 0, 1, 1): "a",
    (0, 1, 0, 0): "b, not a",
    (0, 1, 0, 1): "b",
    (0, 1, 1, 0): "XOR",
    (0, 1, 1, 1): "OR",
    (1, 0, 0, 0): "NOR",
    (1, 0, 0, 1): "XNOR",
    (1, 0, 1, 0): "not b",
    (1, 0, 1, 1): "a or not b",
    (1, 1, 0, 0): "not a",
    (1, 1, 0, 1): "b or not a",
    (1, 1, 1, 0): "NAND",
    (1, 1, 1, 1): "always",
}
THRESHOLD_FUNCTIONS = {1: 4, 2: 14, 3: 104, 4: 1882}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    two_layers: int = 4
    one_layer: int = 4
    random_inputs: int = 12


QUICK = Settings(one_layer=3)


def run(settings: Settings) -> Report:
    report = Report(
        title="Boolean functions",
        summary="Two layers of threshold units compute any Boolean function; one unit computes 14 of the 16 "
        "functions of two inputs, and a vanishing share as inputs are added.",
    )
    _two_layers(report, settings)
    _one_unit(report, settings)
    _pictures(report)
    return report


def _two_layers(report: Report, settings: Settings) -> None:
    for n in range(1, settings.two_layers + 1):
        tables = binary_inputs(2**n)  # every function of n inputs, one a row
        right = (tables == boolean_network(tables)(binary_inputs(n)).T).all(dim=1)
        report.claim(
            f"two layers compute every function of {n} input{'s' * (n > 1)}",
            int(right.sum()),
            equals=len(tables),
        )
    n = settings.random_inputs
    generator = torch.Generator().manual_seed(settings.seed)
    tables = torch.randint(0, 2, (8, 2**n), generator=generator)
    network = boolean_network(tables)
    wrong = int((tables != network(binary_inputs(n)).T).sum())
    report.claim(
        f"one network for 8 random functions of {n} inputs", wrong, "{} wrong values", equals=0
    )


def _one_unit(report: Report, settings: Settings) -> None:
    rows = []
    for n in range(1, settings.one_layer + 1):
        corners = binary_inputs(n).numpy()
        count = len(dichotomies(np.column_stack([corners, np.ones(len(corners))])))
        total = 2 ** (2**n)
        rows.append([n, f"{total:,}", count, f"{100 * count / total:.3g} %"])
        report.claim(
            f"functions of {n} input{'s' * (n > 1)} that one unit computes",
            count,
            equals=THRESHOLD_FUNCTIONS[n],
        )
    report.table(
        "Linearly separable Boolean functions",
        columns=["inputs", "functions", "separable", "share"],
        rows=rows,
    )


def _pictures(report: Report) -> None:
    corners = list(product([0, 1], repeat=2))
    panels = {
        name: (values, separate(corners, values) if len(set(values)) == 2 else None)
        for values, name in NAMES.items()
    }
    failing = [name for name, (_, found) in panels.items() if found and not found.separable]
    report.claim("the two functions that no line separates", ", ".join(failing), equals="XOR, XNOR")
    worst = max(found.residual or 0.0 for _, found in panels.values() if found)
    report.claim(
        "each failure has a certificate: one point in the convex hull of both classes",
        worst,
        below=1e-9,
    )
    report.figure(
        "sixteen-functions",
        separability_grid(panels),
        caption="All functions of two inputs (a to the right, b upwards). Discs are 1, rings 0; the line has "
        "the widest margin. In XOR and XNOR the classes' diagonals cross: no line can part them.",
    )
    xor = ThresholdNetwork.from_units([[gate("or"), gate("nand")], [gate("and")]])
    report.figure(
        "xor-network",
        threshold_network(xor, (0, 1), inputs=("a", "b"), outputs=("XOR",)),
        caption="XOR as AND of OR and NAND, with the input a = 0, b = 1. Filled units fire.",
    )
    parity = (binary_inputs(3).sum(dim=1) % 2).int()
    report.figure(
        "parity-network",
        threshold_network(
            boolean_network(parity), (1, 0, 0), inputs=("a", "b", "c"), outputs=("odd",)
        ),
        caption="The general construction on the parity of three inputs: each hidden unit detects one input "
        "pattern, the output collects them. Here a = 1, b = 0, c = 0.",
    )


def separability_grid(
    panels: Mapping[str, tuple[Sequence[int], Separation | None]], *, columns: int = 4
) -> Figure:
    """Draw Boolean functions of two inputs with their widest line, or the point both classes share.

    Args:
        panels: By title, the values on (0,0), (0,1), (1,0), (1,1) and the result of ``separate``, or
            ``None`` for a constant.
        columns: Panels in a row.

    Example:
        >>> from gradatim.linear import separate
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> figure = separability_grid({"OR": ((0, 1, 1, 1), separate(corners, [0, 1, 1, 1]))})
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 1.75 * columns + 0.2, 1.85 * rows + 0.1)
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for panel, (title, (values, found)) in zip(np.ravel(axes), panels.items(), strict=False):
        if found is not None and found.separable:
            _shade_sides(panel, found)
        elif found is not None and found.shared_point is not None:
            for label, colour in ((0, ORANGE), (1, BLUE)):
                ends = corners[np.asarray(values) == label]
                panel.plot(*ends.T, color=colour, linestyle="--", linewidth=1.4)
            panel.plot(*found.shared_point, "X", color=INK, markersize=9, zorder=4)
        draw_classes(panel, corners, values, size=70)
        panel.set_title(title, fontsize=9.5, pad=4, color=INK if _splits(found) else ORANGE)
        panel.set(
            xlim=(-0.45, 1.45), ylim=(-0.45, 1.45), xticks=[0, 1], yticks=[0, 1], aspect="equal"
        )
        panel.grid(False)
    for panel in np.ravel(axes)[len(panels) :]:
        panel.set_axis_off()
    return figure


def _splits(found: Separation | None) -> bool:
    return found is None or found.separable


def _shade_sides(axes: Axes, found: Separation) -> None:
    assert found.weights is not None
    assert found.bias is not None
    grid = np.linspace(-0.45, 1.45, 200)
    a, b = np.meshgrid(grid, grid)
    distance = found.weights[0] * a + found.weights[1] * b + found.bias
    axes.contourf(a, b, distance > 0, levels=[-0.5, 0.5, 1.5], cmap=TINTS)
    axes.contour(a, b, distance, levels=[0.0], colors=INK, linewidths=1.4)
