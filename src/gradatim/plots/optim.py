"""Figures of optimization: schedules, range tests, rates."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.instruments import ScheduleCurve
from gradatim.plots.style import PALETTE, STYLES, new_figure

if TYPE_CHECKING:
    from gradatim.instruments import LRRange


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
    panel.set_ylim((low - 0.1 * (start - low + 1e-12), start + 0.6 * (start - low + 1e-12)))
    panel.set(xscale="log", xlabel="learning rate", ylabel="loss", title="Learning-rate range test")
    panel.legend(loc="lower left")
    return figure


def decay_curves(
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    ylabel: str,
    bounds: Mapping[str, ArrayLike] | None = None,
) -> Figure:
    """Draw positive quantities that fall, on a logarithmic scale, with theoretical bounds dashed.

    A bound takes the colour of the curve of the same place in the order.

    Args:
        curves: Values by label, one for each step from 0 on.
        title: Heading.
        ylabel: What falls.
        bounds: Values of the bounds by label.

    Example:
        >>> figure = decay_curves({"GD": [1.0, 0.5, 0.25]}, title="Rate", ylabel="gap")
        >>> figure.axes[0].get_yscale()
        'log'
    """
    figure, panel = new_figure(width=8.0, height=4.2)
    draw_decay(panel, curves, bounds or {})
    panel.set(title=title, xlabel="step", ylabel=ylabel)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def draw_decay(
    panel: Axes, curves: Mapping[str, ArrayLike], bounds: Mapping[str, ArrayLike]
) -> None:
    """Draw falling curves into a panel; zeros end a curve."""
    for place, (label, curve) in enumerate(curves.items()):
        values = np.asarray(curve, dtype=float)
        values = np.where(values > 0, values, np.nan)
        style = STYLES[place // len(PALETTE) % len(STYLES)]
        panel.plot(values, color=PALETTE[place % len(PALETTE)], linestyle=style, label=label)
    for place, (label, curve) in enumerate(bounds.items()):
        color = PALETTE[place % len(PALETTE)]
        panel.plot(np.asarray(curve, float), "--", color=color, linewidth=1.2, label=label)
    panel.set_yscale("log")
