"""Activation functions side by side: values, derivatives, ranges, and where they stop learning."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure

from gradatim.nn import ACTIVATIONS, activation, gain, value_and_derivative
from gradatim.nn.activations import activation_table
from gradatim.plots.style import GRID, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("B1", "B5")
KEYWORDS = "sigmoid logistic, hyperbolic tangent tanh, ReLU rectified linear unit, leaky ReLU, PReLU parametric, ELU exponential linear unit, SELU scaled, GELU, softplus, linear activation function, dead dying ReLU problem, zero-gradient problem, net input, transfer function"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    points: tuple[float, ...] = (-5.0, -1.0, 0.0, 1.0, 5.0)


QUICK = Settings()


def check_facts(report: Report) -> None:
    z = torch.linspace(-20, 20, 4001, dtype=torch.float64)
    rows = {row.name: row for row in activation_table(z.tolist())}
    gap = (torch.tanh(z) - (2 * torch.sigmoid(2 * z) - 1)).abs().max().item()
    flattest = max(abs(slope) for name in ("step", "sign") for slope in rows[name].derivatives)
    steepest = {name: max(rows[name].derivatives) for name in ("sigmoid", "tanh")}
    floor = min(rows["selu"].values)
    report.claim("tanh is a scaled sigmoid", gap, "|tanh z − (2σ(2z) − 1)|", below=1e-15)
    report.claim("largest slope of the sigmoid", steepest["sigmoid"], "{} at z = 0", equals=0.25)
    report.claim("largest slope of tanh", steepest["tanh"], "{} at z = 0", equals=1)
    report.claim("thresholds pass no gradient", flattest, "slope {} everywhere", equals=0)
    report.claim("floor of SELU", floor, "−λα =", near=(-1.7581, 1e-4))


def list_facts(report: Report, points: tuple[float, ...]) -> None:
    facts = activation_table(points)
    values = [f"φ({p:g})" for p in points]
    report.table(
        "What is known of each",
        columns=["name", *values, "range", "zero-centred", "saturates", "gain"],
        rows=[
            [
                row.name,
                *[round(value, 4) for value in row.values],
                "{:.4g} to {:.4g}".format(*row.range),
                "yes" if row.is_zero_centred else "no",
                row.saturates,
                round(gain(row.name), 4),
            ]
            for row in facts
        ],
    )
    report.table(
        "Derivatives",
        columns=["name", *[f"φ′({p:g})" for p in points]],
        rows=[[row.name, *[round(value, 4) for value in row.derivatives]] for row in facts],
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Activation functions",
        summary="Sigmoid and tanh stop learning on both sides, the ReLU family on the left only or "
        "nowhere, and a threshold everywhere.",
    )
    check_facts(report)
    list_facts(report, settings.points)
    report.figure(
        "gallery",
        activation_gallery(),
        caption="Activations (solid) and their derivatives (dashed). Grey: derivative below 0.01, where "
        "almost no gradient passes.",
    )
    return report


FLAT = 0.01


def activation_gallery(names: Iterable[str] = ACTIVATIONS) -> Figure:
    """Draw activations and their derivatives; grey bands mark inputs whose derivative is below 0.01.

    Args:
        names: Which activations.

    Example:
        >>> [axes.get_title() for axes in activation_gallery(["relu", "tanh"]).axes]
        ['relu', 'tanh']
    """
    chosen = list(names)
    columns = min(5, len(chosen))
    rows = -(-len(chosen) // columns)
    figure, axes = new_figure(rows, columns, 2.1 * columns + 0.4, 2.1 * rows + 0.4, sharex=True)
    panels = np.ravel(axes)
    z = torch.linspace(-6, 6, 2000, dtype=torch.float64)  # even: no point at a jump
    for panel, name in zip(panels, chosen, strict=False):
        value, derivative = value_and_derivative(activation(name).double(), z)
        flat = derivative.abs().numpy() < FLAT
        panel.fill_between(
            z, 0, 1, where=flat, transform=panel.get_xaxis_transform(), color=GRID, linewidth=0
        )
        panel.plot(z, value, color=PALETTE[0], label="value")
        panel.plot(z, derivative, color=PALETTE[1], linestyle="--", label="derivative")
        panel.set(title=name, ylim=(-1.9, 2.1))
        panel.tick_params(labelbottom=True)
    for panel in panels[len(chosen) :]:
        panel.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, fontsize=9)
    return figure
