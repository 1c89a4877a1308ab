"""Figures of optimization: schedules, rates, paths down a valley, noise of mini-batches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.instruments import ScheduleCurve, VectorObjective
from gradatim.plots.style import INK, MUTED, PALETTE, SEQUENTIAL, new_figure

if TYPE_CHECKING:
    from gradatim.instruments import LRRange

Box = tuple[tuple[float, float], tuple[float, float]]
_STYLES = ("-", "--", "-.", ":")


def schedule_curves(curves: Mapping[str, ScheduleCurve], *, columns: int = 3) -> Figure:
    """Draw schedules, one small panel each, on common axes.

    Args:
        curves: Samples by label.
        columns: Panels in a row.

    Example:
        >>> from gradatim.instruments import schedule_curve
        >>> figure = schedule_curves({"cosine": schedule_curve("cosine", epochs=10)})
        >>> figure.axes[0].get_title()
        'cosine'
    """
    if not curves:
        raise InvalidValue("schedule_curves: curves must hold at least one curve, got none.")
    columns = min(columns, len(curves))
    rows = -(-len(curves) // columns)
    figure, axes = new_figure(
        rows, columns, 2.6 * columns + 0.4, 1.9 * rows + 0.4, sharex=True, sharey=True
    )
    panels = np.ravel(axes)
    for place, (panel, (label, curve)) in enumerate(zip(panels, curves.items(), strict=False)):
        color = PALETTE[place % len(PALETTE)]
        panel.plot(curve.epochs, curve.lrs, color=color)
        panel.fill_between(curve.epochs, curve.lrs, color=color, alpha=0.12, linewidth=0)
        panel.set_title(label, fontsize=10)
        panel.set_ylim(bottom=0)
        # the last panel of each column carries the common scale
        if place + columns >= len(curves):
            panel.set_xlabel("epoch")
            panel.tick_params(labelbottom=True)
        if place % columns == 0:
            panel.set_ylabel("learning rate")
    for panel in panels[len(curves) :]:
        panel.set_axis_off()
    return figure


def lr_range_figure(found: "LRRange") -> Figure:
    """Draw the losses of a learning-rate range test, its suggestion and where the loss was lowest.

    Args:
        found: Record of :func:`gradatim.instruments.lr_range_test`.

    Example:
        >>> from gradatim.instruments import LRRange
        >>> record = LRRange([0.1, 1.0, 10.0], [3.0, 1.0, 9.0], [3.0, 1.0, 9.0], 0.1, 1.0, True)
        >>> lr_range_figure(record).axes[0].get_xlabel()
        'learning rate'
    """
    figure, panel = new_figure(width=6.5, height=3.8)
    panel.plot(
        found.lrs, found.losses, color=PALETTE[5], linewidth=0.9, alpha=0.7, label="batch loss"
    )
    panel.plot(found.lrs, found.smoothed, color=PALETTE[0], linewidth=2.0, label="smoothed")
    for lr, label, color in (
        (found.suggestion, f"suggestion {found.suggestion:.2g}", PALETTE[2]),
        (found.lowest, f"lowest {found.lowest:.2g}", PALETTE[1]),
    ):
        height = float(np.interp(np.log(lr), np.log(found.lrs), found.smoothed))
        panel.axvline(lr, color=color, linewidth=1.0, linestyle="--")
        panel.plot([lr], [height], "o", color=color, markersize=6, label=label)
    start = found.smoothed[0]
    low = min(found.losses)
    panel.set_ylim(low - 0.1 * (start - low + 1e-12), start + 0.6 * (start - low + 1e-12))
    panel.set_xscale("log")
    panel.set_xlabel("learning rate")
    panel.set_ylabel("loss")
    panel.set_title("Learning-rate range test")
    panel.legend(loc="lower left")
    return figure


def valley_paths(
    function: VectorObjective,
    box: Box,
    paths: Mapping[str, torch.Tensor],
    *,
    minimum: tuple[float, float],
    title: str = "",
) -> Figure:
    """Draw paths of optimizers over the contours of a function of two variables, one panel each.

    Args:
        function: Of a vector of two, in operations that ``torch.func.vmap`` knows.
        box: Ranges of the two variables.
        paths: Points by label, shape ``(T + 1, 2)``.
        minimum: Where to put the star.
        title: Heading.

    Example:
        >>> path = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
        >>> figure = valley_paths(lambda w: w.square().sum(), ((-2, 2), (-2, 2)), {"GD": path}, minimum=(0, 0))
        >>> figure.axes[0].get_title()
        'GD'
    """
    if not paths:
        raise InvalidValue("valley_paths: paths must hold at least one path, got none.")
    columns = min(len(paths), 2)
    rows = -(-len(paths) // columns)
    figure, axes = new_figure(
        rows, columns, 4.6 * columns, 2.3 * rows + 0.3, sharex=True, sharey=True
    )
    panels = np.ravel(axes)
    grid = _grid(function, box)
    for place, (panel, (label, path)) in enumerate(zip(panels, paths.items(), strict=False)):
        _draw_path(panel, grid, box, path.detach().cpu().numpy(), PALETTE[1], minimum)
        panel.set_title(label, fontsize=10)
        if place + columns >= len(paths):
            panel.set_xlabel("$w_1$")
        if place % columns == 0:
            panel.set_ylabel("$w_2$")
    for panel in panels[len(paths) :]:
        panel.set_axis_off()
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def _grid(function: VectorObjective, box: Box) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    w1, w2 = (torch.linspace(low, high, 181, dtype=torch.float64) for low, high in box)
    points = torch.stack(torch.meshgrid(w1, w2, indexing="xy"), dim=-1).reshape(-1, 2)
    with torch.no_grad():
        values = torch.func.vmap(function)(points).reshape(181, 181)
    return w1.numpy(), w2.numpy(), values.numpy()


def _draw_path(
    panel: Axes,
    grid: tuple[np.ndarray, np.ndarray, np.ndarray],
    box: Box,
    path: np.ndarray,
    color: str,
    minimum: tuple[float, float],
) -> None:
    w1, w2, values = grid
    low, high = values.min(), values.max()
    levels = low + (high - low) * np.linspace(0, 1, 16) ** 3
    panel.contourf(w1, w2, values, levels=levels, cmap=SEQUENTIAL.reversed(), alpha=0.75)
    panel.contour(w1, w2, values, levels=levels, colors="white", linewidths=0.5, linestyles="solid")
    panel.plot(*path.T, "-", color=color, linewidth=1.3)
    panel.plot(*path.T, "o", color=color, markersize=2.6, markeredgewidth=0)
    panel.plot(*path[0], "o", color="white", markersize=6, markeredgecolor=INK)
    panel.plot(*minimum, "*", color="white", markersize=12, markeredgecolor=INK)
    panel.set_xlim(*box[0])
    panel.set_ylim(*box[1])
    panel.grid(False)


def decay_curves(
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    ylabel: str,
    xlabel: str = "step",
    bounds: Mapping[str, ArrayLike] | None = None,
) -> Figure:
    """Draw positive quantities that fall, on a logarithmic scale, with theoretical bounds dashed.

    A bound takes the colour of the curve of the same place in the order.

    Args:
        curves: Values by label, one for each step from 0 on.
        title: Heading.
        ylabel: What falls.
        xlabel: What it falls with.
        bounds: Values of the bounds by label.

    Example:
        >>> figure = decay_curves({"GD": [1.0, 0.5, 0.25]}, title="Rate", ylabel="gap")
        >>> figure.axes[0].get_yscale()
        'log'
    """
    figure, panel = new_figure(width=8.0, height=4.2)
    draw_decay(panel, curves, bounds or {})
    panel.set_title(title)
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_decay(
    panel: Axes, curves: Mapping[str, ArrayLike], bounds: Mapping[str, ArrayLike]
) -> None:
    """Draw falling curves into a panel; zeros end a curve."""
    for place, (label, curve) in enumerate(curves.items()):
        values = np.asarray(curve, dtype=float)
        values = np.where(values > 0, values, np.nan)
        style = _STYLES[place // len(PALETTE) % len(_STYLES)]
        panel.plot(values, color=PALETTE[place % len(PALETTE)], linestyle=style, label=label)
    for place, (label, curve) in enumerate(bounds.items()):
        color = PALETTE[place % len(PALETTE)]
        panel.plot(np.asarray(curve, float), "--", color=color, linewidth=1.2, label=label)
    panel.set_yscale("log")


def power_laws(
    x: Sequence[float], curves: Mapping[str, ArrayLike], *, xlabel: str, ylabel: str
) -> Figure:
    """Draw points on logarithmic axes with the power law fitted to each curve.

    Args:
        x: Positive abscissas.
        curves: Positive values by label, one for each abscissa.
        xlabel: What ``x`` is.
        ylabel: What the curves are.

    Example:
        >>> figure = power_laws([1, 10], {"square": [1, 100]}, xlabel="x", ylabel="y")
        >>> figure.axes[0].get_legend().get_texts()[0].get_text()
        'square: power 2.00'
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    log_x = np.log(np.asarray(x, dtype=float))
    for place, (label, curve) in enumerate(curves.items()):
        color, values = PALETTE[place % len(PALETTE)], np.asarray(curve, dtype=float)
        slope, height = np.polyfit(log_x, np.log(values), 1)
        panel.plot(x, values, "o", color=color, markersize=7, label=f"{label}: power {slope:.2f}")
        panel.plot(x, np.exp(height + slope * log_x), "--", color=color, linewidth=1.3)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.legend()
    return figure


def training_curves(curves: Mapping[str, ArrayLike], *, xlabel: str, ylabel: str) -> Figure:
    """Draw losses of several runs, counted from 1, on a logarithmic scale.

    Args:
        curves: Values by label.
        xlabel: What is counted.
        ylabel: What is drawn.

    Example:
        >>> figure = training_curves({"a": [2.0, 1.0]}, xlabel="epoch", ylabel="loss")
        >>> figure.axes[0].lines[0].get_xdata().tolist()
        [1, 2]
    """
    figure, panel = new_figure(width=6.5, height=3.9)
    for place, (label, curve) in enumerate(curves.items()):
        values = np.asarray(curve, dtype=float)
        panel.plot(
            np.arange(1, len(values) + 1),
            values,
            color=PALETTE[place % len(PALETTE)],
            linestyle=_STYLES[place // len(PALETTE) % len(_STYLES)],
            label=label,
        )
    panel.set_yscale("log")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.legend()
    return figure


def decrease_figure(
    measured: Sequence[float], guaranteed: Sequence[float], smoothness: Sequence[float]
) -> Figure:
    """Draw the decrease of each step against its guarantee, and the curvature over the steps.

    Args:
        measured: Decrease of the objective, one a step.
        guaranteed: Least decrease that smoothness allows.
        smoothness: Largest curvature before each step.

    Example:
        >>> figure = decrease_figure([0.2, 0.1], [0.1, 0.05], [3.0, 4.0])
        >>> figure.axes[1].get_ylabel()
        'L'
    """
    figure, (left, right) = new_figure(columns=2, width=8.6, height=3.8)
    steps = np.arange(1, len(measured) + 1)
    points = left.scatter(guaranteed, measured, c=steps, cmap="viridis", s=22, zorder=3)
    end = 1.08 * max(*measured, *guaranteed)
    left.plot([0, end], [0, end], "--", color=MUTED, linewidth=1.2, label="guarantee met exactly")
    left.set_title("Decrease of a step")
    left.set_xlabel("guaranteed, $\\Vert\\nabla\\Vert^2/2L$")
    left.set_ylabel("measured")
    left.legend(loc="upper left")
    figure.colorbar(points, ax=left, label="step", pad=0.02)
    right.plot(steps, smoothness, color=PALETTE[0])
    right.set_title("Largest curvature")
    right.set_xlabel("step")
    right.set_ylabel("L")
    right.set_ylim(bottom=0)
    return figure


def noise_figure(
    sizes: Sequence[int],
    variances: Mapping[str, ArrayLike],
    predictions: Mapping[str, ArrayLike],
    *,
    clouds: Mapping[str, np.ndarray],
) -> Figure:
    r"""Draw clouds of mini-batch gradients around the full one, and their variance against the batch size.

    Args:
        sizes: Batch sizes.
        variances: Measured variance by label, one for each size.
        predictions: Lines by label, one value for each size.
        clouds: By label, two components of :math:`g_B-\nabla E`, shape ``(draws, 2)``, wide to narrow.

    Example:
        >>> cloud = np.zeros((3, 2))
        >>> figure = noise_figure([1, 2], {"a": [2.0, 1.0]}, {"1/m": [2.0, 1.0]}, clouds={"m = 1": cloud})
        >>> len(figure.axes)
        2
    """
    figure, (left, right) = new_figure(columns=2, width=9.2, height=4.2)
    for place, (label, cloud) in enumerate(clouds.items()):
        color = PALETTE[(5, 0, 1)[place % 3]]
        left.plot(
            *cloud.T, "o", color=color, markersize=2.6, alpha=0.55, markeredgewidth=0, label=label
        )
    left.plot(0, 0, "*", color=INK, markersize=13, markeredgecolor="white", label="full gradient")
    left.set_aspect("equal", adjustable="datalim")
    left.set_title("Gradients of single batches")
    left.set_xlabel("first principal direction of the noise")
    left.set_ylabel("second")
    left.legend(loc="upper right")
    for place, (label, values) in enumerate(variances.items()):
        right.plot(
            sizes,
            np.asarray(values),
            "o",
            color=PALETTE[place],
            label=label,
            markersize=9 - 4 * place,
        )
    for place, (label, values) in enumerate(predictions.items()):
        values = np.asarray(values, dtype=float)
        right.plot(
            sizes,
            np.where(values > 0, values, np.nan),
            "--",
            color=PALETTE[place],
            label=label,
            linewidth=1.3,
        )
    right.set_xscale("log", base=2)
    right.set_yscale("log")
    right.set_title("Variance against batch size")
    right.set_xlabel("batch size m")
    right.set_ylabel(r"$E\,\Vert g_B-\nabla E\Vert^2$")
    right.tick_params(axis="both", colors=MUTED)
    right.legend()
    return figure
