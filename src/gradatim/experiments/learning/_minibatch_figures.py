"""Noise of mini-batch gradients, and training with it."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from gradatim.plots.style import INK, MUTED, PALETTE, STYLES, new_figure
from gradatim.plots.words import Formula


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
            linestyle=STYLES[place // len(PALETTE) % len(STYLES)],
            label=label,
        )
    panel.set_yscale("log")
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.set(xlabel=xlabel, ylabel=ylabel)
    panel.legend()
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
    left.set(title="Gradients of single batches", xlabel="first principal direction of the noise")
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
    right.set(yscale="log", title="Variance against batch size", xlabel="batch size m")
    right.set_ylabel(Formula(r"$E\,\Vert g_B-\nabla E\Vert^2$"))
    right.tick_params(axis="both", colors=MUTED)
    right.legend()
    return figure
