"""Figures of approximation: errors against size, ridge functions and their sum, rates."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.models import MLP
from gradatim.plots.style import DIVERGING, INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.theory import Approximation

Function = Callable[[Tensor], Tensor]
SIZES = {"width": "units per hidden layer", "num_parameters": "parameters"}
ERRORS = {"sup_error": "sup-error", "l2_error": Formula("$L_2$ error")}


def error_curves(
    results: Sequence[Approximation], *, size: str = "width", error: str = "sup_error"
) -> Figure:
    """Draw error against size, one curve for each activation and depth, both axes logarithmic.

    Args:
        results: From :func:`gradatim.theory.approximate`.
        size: ``"width"`` or ``"num_parameters"``.
        error: ``"sup_error"`` or ``"l2_error"``.

    Example:
        >>> from gradatim.theory import approximate
        >>> figure = error_curves(approximate(torch.sin, [1, 2], restarts=1, steps=5))
        >>> figure.axes[0].get_ylabel()
        'sup-error'
    """
    choose("error_curves", "size", size, SIZES)
    choose("error_curves", "error", error, ERRORS)
    figure, axis = new_figure(width=6.5, height=4.2)
    curves: dict[str, list[Approximation]] = {}
    depths = {result.depth for result in results}
    for result in results:
        layers = f", {result.depth} layer{'s' * (result.depth > 1)}" if len(depths) > 1 else ""
        curves.setdefault(result.activation + layers, []).append(result)
    for (label, group), marker in zip(curves.items(), cycle("os^Dv"), strict=False):
        x, y = ([getattr(result, name) for result in group] for name in (size, error))
        axis.plot(x, y, marker=marker, markersize=5, label=label)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    ticks = sorted({getattr(result, size) for result in results})
    if size == "width":
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
    axis.set(xlabel=SIZES[size], ylabel=ERRORS[error])
    axis.legend()
    return figure


def rate_curves(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    xlabel: str,
    ylabel: str,
    bounds: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
) -> Figure:
    """Draw measurements as lines with markers and bounds as dashed lines, both axes logarithmic.

    Args:
        curves: Sizes and errors by label.
        xlabel: What the sizes are.
        ylabel: What the errors are.
        bounds: Sizes and bounds by label; a bound with the label of a curve takes its colour.

    Example:
        >>> figure = rate_curves({"measured": ([1, 2], [1.0, 0.5])}, xlabel="m", ylabel="error")
        >>> len(figure.axes[0].lines)
        1
    """
    figure, axis = new_figure(width=6.5, height=4.4)
    colours = dict(zip(curves, cycle(PALETTE), strict=False))
    for (label, (x, y)), marker in zip(curves.items(), cycle("os^Dv"), strict=False):
        axis.plot(x, y, marker=marker, markersize=5, color=colours[label], label=label)
    for label, (x, y) in (bounds or {}).items():
        own = None if label in colours else label
        axis.plot(x, y, "--", color=colours.get(label, MUTED), linewidth=1.3, label=own)
    if set(bounds or {}) & set(curves):
        axis.plot([], [], "--", color=MUTED, linewidth=1.3, label="bound")
    axis.set(xscale="log", yscale="log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set(xlabel=xlabel, ylabel=ylabel)
    axis.legend()
    return figure


def fit_panels(
    models: Mapping[str, nn.Module], f: Function, domain: tuple[float, float], *, columns: int = 2
) -> Figure:
    """Draw a function and its approximations on an interval, one panel each.

    Args:
        models: Networks of one input and one output by title.
        f: The function.
        domain: The interval.
        columns: Most panels in a row.

    Example:
        >>> figure = fit_panels({"line": nn.Linear(1, 1).double()}, torch.sin, (-3, 3))
        >>> [line.get_label() for line in figure.axes[0].lines]
        ['function', 'network']
    """
    columns = min(columns, len(models))
    rows = -(-len(models) // columns)
    figure, axes = new_figure(rows, columns, 3.6 * columns, 2.5 * rows, sharex=True, sharey=True)
    x = torch.linspace(*domain, 600, dtype=torch.float64)[:, None]
    for axis, (title, model) in zip(np.ravel(axes), models.items(), strict=False):
        axis.plot(
            x, f(x).detach().reshape(-1), color=MUTED, linewidth=4.0, alpha=0.45, label="function"
        )
        with torch.inference_mode():
            axis.plot(x, model(x), color=PALETTE[1], label="network")
        axis.set_title(title)
    for axis in np.ravel(axes)[len(models) :]:
        axis.set_axis_off()
    handles, labels = np.ravel(axes)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def ridge_functions(
    model: MLP, f: Function, domain: Sequence[tuple[float, float]], *, num_units: int = 4
) -> Figure:
    r"""Draw what each hidden unit adds, :math:`\alpha_j\,g(w_j^\top x + b_j)`, and their sum beside the function.

    Args:
        model: Network with one hidden layer, one output, and one or two inputs.
        f: The function it approximates.
        domain: One pair ``(low, high)`` per input.
        num_units: With two inputs, how many units to draw, strongest first; with one, all are drawn.

    Example:
        >>> from gradatim.theory import approximate
        >>> (result,) = approximate(torch.sin, [3], restarts=1, steps=5)
        >>> len(ridge_functions(result.model, torch.sin, [(-1, 1)]).axes)
        2
    """
    dense = [module for module in model if isinstance(module, nn.Linear)]
    if len(dense) != 2 or dense[0].in_features != len(domain) or len(domain) > 2:
        raise InvalidValue(
            "ridge_functions: model must have one hidden layer and one or two inputs, as many as the "
            f"domain has pairs, got sizes={model.sizes} and {len(domain)} pairs."
        )
    if len(domain) == 1:
        return _ridges_on_a_line(model, f, domain[0])
    return _ridges_on_the_plane(model, f, domain, num_units)


def _unit_outputs(model: MLP, x: Tensor) -> Tensor:
    """What each hidden unit adds to the output, shape ``(N, units)``."""
    *hidden, readout = model
    with torch.inference_mode():
        return nn.Sequential(*hidden)(x) * readout.get_parameter("weight")[0]


def _ridges_on_a_line(model: MLP, f: Function, domain: tuple[float, float]) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=9.0, height=3.6)
    x = torch.linspace(*domain, 600, dtype=torch.float64)[:, None]
    parts = _unit_outputs(model, x)
    for part, colour in zip(parts.T, cycle(PALETTE), strict=False):
        left.plot(x, part, color=colour, linewidth=1.2)
    left.set_title(f"What each of {parts.shape[1]} units adds")
    right.plot(
        x, f(x).detach().reshape(-1), color=MUTED, linewidth=5.0, alpha=0.4, label="function"
    )
    with torch.inference_mode():
        right.plot(x, model(x), color=PALETTE[1], label="sum of the units")
    right.set_title("Their sum")
    right.legend()
    return figure


def _ridges_on_the_plane(
    model: MLP, f: Function, domain: Sequence[tuple[float, float]], num_units: int
) -> Figure:
    side = [torch.linspace(*pair, 121, dtype=torch.float64) for pair in domain]
    x = torch.cartesian_prod(*side)
    parts = _unit_outputs(model, x)
    parts = parts - parts.mean(dim=0)
    strongest = parts.std(dim=0).argsort(descending=True)[:num_units]
    with torch.inference_mode():
        total = model(x)[:, 0]
    panels = [(f"unit {int(j) + 1}", parts[:, j]) for j in strongest]
    panels += [("sum of all", total), ("function", f(x).reshape(-1))]
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 2.9 * columns, 2.9 * rows, sharex=True, sharey=True)
    for axis, (title, values) in zip(np.ravel(axes), panels, strict=False):
        _heat(axis, domain, values.detach().numpy().reshape(121, 121))
        axis.set_title(title, color=INK)
    for axis in np.ravel(axes)[len(panels) :]:
        axis.set_axis_off()
    return figure


def _heat(axis: Axes, domain: Sequence[tuple[float, float]], values: NDArray[np.float64]) -> None:
    largest = float(np.abs(values).max()) or 1.0
    axis.imshow(
        values.T,
        origin="lower",
        extent=(*domain[0], *domain[1]),
        cmap=DIVERGING,
        vmin=-largest,
        vmax=largest,
        aspect="auto",
    )
    axis.contour(
        *[np.linspace(*pair, 121) for pair in domain], values.T, 7, colors="white", linewidths=0.6
    )
    axis.grid(False)
