"""Figures of activation functions and of what flows through them, layer by layer."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.instruments import LayerStatistics
from gradatim.nn import ACTIVATIONS, activation, value_and_derivative
from gradatim.plots.style import GRID, INK, MUTED, PALETTE, new_figure

FLAT = 0.01


def activation_gallery(names: Iterable[str] | None = None, *, limit: float = 6.0) -> Figure:
    """Draw activations and their derivatives; grey bands mark inputs whose derivative is below 0.01.

    Args:
        names: Which activations; all by default.
        limit: Inputs run from −``limit`` to ``limit``.

    Example:
        >>> [axes.get_title() for axes in activation_gallery(["relu", "tanh"]).axes]
        ['relu', 'tanh']
    """
    chosen = list(ACTIVATIONS if names is None else names)
    columns = min(5, len(chosen))
    rows = -(-len(chosen) // columns)
    figure, axes = new_figure(rows, columns, 2.1 * columns + 0.4, 2.1 * rows + 0.4, sharex=True)
    panels = np.ravel(axes)
    z = torch.linspace(-limit, limit, 2000, dtype=torch.float64)  # even: no point at a jump
    for panel, name in zip(panels, chosen, strict=False):
        value, derivative = value_and_derivative(activation(name).double(), z)
        flat = derivative.abs().numpy() < FLAT
        panel.fill_between(
            z, 0, 1, where=flat, transform=panel.get_xaxis_transform(), color=GRID, linewidth=0
        )
        panel.plot(z, value, color=PALETTE[0], label="value")
        panel.plot(z, derivative, color=PALETTE[1], linestyle="--", label="derivative")
        panel.set_title(name)
        panel.set_ylim(-1.9, 2.1)
        panel.tick_params(labelbottom=True)
    for panel in panels[len(chosen) :]:
        panel.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=2, frameon=False, fontsize=9)
    return figure


def variance_profiles(
    profiles: Mapping[str, Sequence[LayerStatistics]], *, kind: str = "Linear"
) -> Figure:
    """Draw the variance of outputs and of gradients against depth, one line a network.

    Args:
        profiles: Results of ``variance_profile`` by label.
        kind: Layers to draw, by the name of their class.

    Example:
        >>> from gradatim.instruments import variance_profile
        >>> model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
        >>> figure = variance_profiles({"default": variance_profile(model, torch.ones(4, 3))})
        >>> [axes.get_title() for axes in figure.axes]
        ['Forward: outputs', 'Backward: gradients']
    """
    figure, (forward, backward) = new_figure(columns=2, width=9.0, height=3.9)
    lines = ("-", "--", "-.", ":")
    for place, (label, profile) in enumerate(profiles.items()):
        rows = [row for row in profile if row.kind == kind]
        depth = np.arange(1, len(rows) + 1)
        style = {"color": PALETTE[place % len(PALETTE)], "linestyle": lines[place % len(lines)]}
        forward.plot(depth, [row.activation_variance for row in rows], label=label, **style)
        backward.plot(depth, [row.gradient_variance for row in rows], **style)
    for panel, title in ((forward, "Forward: outputs"), (backward, "Backward: gradients")):
        panel.set_title(title)
        panel.set_yscale("log")
        panel.set_xlabel("layer")
        panel.set_ylabel("variance")
        panel.axhline(1.0, color=MUTED, linewidth=0.8, zorder=0)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def layer_histograms(layers: Mapping[str, Sequence[Tensor]], *, bins: int = 61) -> Figure:
    """Draw the distribution of values in a few layers, one row a network.

    Args:
        layers: Values of the layers by label, in order of depth; the same number for every label.
        bins: Bars in a histogram.

    Example:
        >>> figure = layer_histograms({"net": [torch.randn(100), torch.randn(100)]})
        >>> len(figure.axes)
        2
    """
    depth = len(next(iter(layers.values())))
    figure, axes = new_figure(len(layers), depth, 1.6 * depth + 0.8, 1.35 * len(layers) + 0.5)
    grid = np.reshape(axes, (len(layers), depth))
    for row, (label, values) in enumerate(layers.items()):
        for column, (panel, layer) in enumerate(zip(grid[row], values, strict=True)):
            spread = max(float(layer.abs().max()), 1e-12)
            counts, edges = np.histogram(
                layer.detach().numpy(), bins=bins, range=(-1.05 * spread, 1.05 * spread)
            )
            panel.stairs(counts, edges, fill=True, color=PALETTE[row % len(PALETTE)])
            panel.set_ylim(bottom=0)
            panel.set_yticks([])
            panel.grid(False)
            panel.locator_params(axis="x", nbins=3)
            panel.ticklabel_format(axis="x", style="sci", scilimits=(-2, 3), useMathText=True)
            panel.xaxis.get_offset_text().set_fontsize(8)
            panel.xaxis.get_offset_text().set_color(MUTED)
            if row == 0:
                panel.set_title(f"layer {column + 1}", fontsize=9, loc="center")
        grid[row, 0].set_ylabel(label, fontsize=9, color=INK)
    return figure


def gradient_decay(
    gradients: Mapping[str, Sequence[float]], *, bound: float | None = None
) -> Figure:
    """Draw the size of the gradient against the number of layers it has come through.

    Args:
        gradients: Norms by label, from the last layer back to the first.
        bound: Largest factor a layer can pass; its powers are drawn as a dotted line.

    Example:
        >>> figure = gradient_decay({"sigmoid": [1.0, 0.2, 0.04]}, bound=0.25)
        >>> len(figure.axes[0].lines)
        2
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    markers = ("o", "s", "D", "^", "v")
    deepest = 0
    for place, (label, norms) in enumerate(gradients.items()):
        relative = np.asarray(norms, dtype=float) / norms[0]
        deepest = max(deepest, len(relative) - 1)
        panel.plot(relative, marker=markers[place % len(markers)], markersize=4, label=label)
    if bound is not None:
        power = np.arange(deepest + 1)
        panel.plot(
            power, float(bound) ** power, ":", color=INK, label=f"bound ${bound:g}^\\ell$", zorder=1
        )
    panel.set_yscale("log")
    panel.set_xlabel("layers the gradient has come through")
    panel.set_ylabel("gradient norm, relative to the last layer")
    panel.legend()
    return figure
