"""Figures of regularization: shrinkage, paths of weights, normalized layers, pruning, tempered odds."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.plots.style import INK, MUTED, PALETTE, new_figure

Curve = tuple[ArrayLike, ArrayLike]


def shrinkage_and_risk(
    curvature: ArrayLike,
    factors: Mapping[str, ArrayLike],
    risks: Mapping[str, Curve],
    plane: Mapping[str, ArrayLike],
    hessian: ArrayLike,
) -> Figure:
    r"""Draw two regularizers side by side: what they do to each direction, to a path, to the risk.

    Args:
        curvature: Curvatures over strength, :math:`\lambda/\mu`, ascending.
        factors: By regularizer, the share of the least-squares solution kept at each curvature.
        risks: By regularizer, strengths :math:`\mu` and excess risks.
        plane: By regularizer, a path in the plane from the origin, shape ``(steps, 2)``.
        hessian: Hessian of the loss in the plane, shape ``(2, 2)``; its minimum is where paths end.

    Example:
        >>> x = np.array([0.1, 1.0, 10.0])
        >>> path = {"ridge": np.array([[0.0, 0.0], [1.0, 1.0]])}
        >>> figure = shrinkage_and_risk(x, {"ridge": x / (1 + x)}, {"ridge": (x, x)}, path, np.eye(2))
        >>> len(figure.axes)
        3
    """
    figure, (left, middle, right) = new_figure(columns=3, width=11.5, height=3.9)
    for label, factor in factors.items():
        left.plot(curvature, factor, label=label)
    left.set_xscale("log")
    left.set_xlabel(r"curvature over strength, $\lambda/\mu$")
    left.set_ylabel("share of the solution kept")
    left.set_title("Direction by direction")
    left.legend()
    _draw_plane(middle, plane, np.asarray(hessian, dtype=float))
    for color, (label, (strength, risk)) in zip(PALETTE, risks.items(), strict=False):
        strength, risk = np.asarray(strength), np.asarray(risk)
        right.plot(strength, risk, color=color, label=label)
        best = int(risk.argmin())
        right.plot(strength[best], risk[best], "o", color=color, markersize=6)
    right.set_xscale("log")
    right.set_yscale("log")
    right.invert_xaxis()
    right.set_xlabel(r"$\mu$, or $1/\eta T$  (more fitting →)")
    right.set_ylabel("excess risk")
    right.set_title("Test error")
    right.legend()
    return figure


def _draw_plane(panel: Axes, paths: Mapping[str, ArrayLike], hessian: np.ndarray) -> None:
    ends = [np.asarray(path, dtype=float) for path in paths.values()]
    best = ends[0][-1]
    low = np.minimum(np.zeros(2), best) - 0.35 * np.abs(best).max()
    high = np.maximum(np.zeros(2), best) + 0.35 * np.abs(best).max()
    grid = np.stack(
        np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80)), -1
    )
    height = np.einsum("abi,ij,abj->ab", grid - best, hessian, grid - best)
    levels = np.geomspace(height.max() / 300, height.max(), 8)
    panel.contour(
        grid[..., 0], grid[..., 1], height, levels, colors=MUTED, linewidths=0.6, alpha=0.6
    )
    for label, path in zip(paths, ends, strict=True):
        panel.plot(*path.T, label=label)
    panel.plot(*best, "*", markersize=13, color=PALETTE[4], markeredgecolor=INK, zorder=5)
    panel.plot(0, 0, "o", color=INK, markersize=5)
    panel.set_xlabel("$w_1$")
    panel.set_ylabel("$w_2$")
    panel.set_title("Path from 0 to the solution")
    panel.legend(loc="lower right")


def weight_paths(
    strengths: ArrayLike,
    paths: Mapping[str, ArrayLike],
    dots: Curve | None = None,
    *,
    xlabel: str,
    title: str = "",
) -> Figure:
    """Draw every weight against the strength of a regularizer; dots are the same by other means.

    Args:
        strengths: Positions on the horizontal axis, shape ``(S,)``.
        paths: Weights by name, shape ``(S,)`` each.
        dots: Positions ``(D,)`` and weights ``(D, number of paths)``.
        xlabel: What the strength is.
        title: Heading.

    Example:
        >>> figure = weight_paths([0.5, 1.0], {"age": [0.1, 0.2]}, xlabel="keep")
    """
    figure, panel = new_figure(width=7.5, height=4.4)
    order = sorted(paths, key=lambda name: -float(np.asarray(paths[name])[-1]))
    columns = {name: index for index, name in enumerate(paths)}
    for place, name in enumerate(order):
        color = PALETTE[place % len(PALETTE)]
        style = "-" if place < len(PALETTE) else "--"
        panel.plot(strengths, paths[name], style, color=color, label=name)
        if dots is not None:
            values = np.asarray(dots[1])[:, columns[name]]
            panel.plot(dots[0], values, "o", color=color, markersize=5, markeredgecolor="white")
    panel.axhline(0, color=MUTED, linewidth=0.8)
    panel.set_xlabel(xlabel)
    panel.set_ylabel("weight")
    if title:
        panel.set_title(title)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def smooth_fits(
    x: ArrayLike, y: ArrayLike, grid: ArrayLike, truth: ArrayLike, fits: Mapping[str, ArrayLike]
) -> Figure:
    """Draw one panel a fit: data, the true curve, the fitted one.

    Args:
        x: Inputs of the data, shape ``(N,)``.
        y: Targets, shape ``(N,)``.
        grid: Inputs of the curves, shape ``(G,)``.
        truth: True curve, shape ``(G,)``.
        fits: Fitted curves by label, shape ``(G,)`` each.

    Example:
        >>> figure = smooth_fits([0.0], [0.0], [0.0, 1.0], [0.0, 1.0], {"ridge": [0.0, 0.5]})
    """
    figure, axes = new_figure(columns=len(fits), width=3.6 * len(fits), height=3.3, sharey=True)
    values = np.asarray(y, dtype=float)
    margin = 0.6 * np.ptp(values) + 1e-9
    for color, panel, (label, curve) in zip(PALETTE, np.ravel(axes), fits.items(), strict=False):
        panel.plot(grid, truth, ":", color=MUTED, label="truth")
        panel.plot(grid, curve, color=color, label="fit")
        panel.plot(x, values, "o", color=INK, markersize=4, label="data")
        panel.set_ylim(values.min() - margin, values.max() + margin)
        panel.set_title(label)
        panel.set_xlabel("$x$")
    np.ravel(axes)[0].legend(loc="lower left")
    return figure


def decay_path(
    strengths: ArrayLike, train: ArrayLike, validation: ArrayLike, energy: ArrayLike
) -> Figure:
    r"""Draw errors and weight energy against the strength of weight decay; the best one is marked.

    Args:
        strengths: :math:`\gamma`, ascending.
        train: Training errors.
        validation: Validation errors.
        energy: :math:`\sum w^2`.

    Example:
        >>> figure = decay_path([0.1, 1.0], [0.5, 0.8], [0.9, 0.7], [10.0, 1.0])
    """
    figure, (left, right) = new_figure(columns=2, width=9.0, height=3.7)
    strengths, validation = np.asarray(strengths), np.asarray(validation)
    left.plot(strengths, train, "o--", color=PALETTE[0], markersize=4, label="training")
    left.plot(strengths, validation, "o-", color=PALETTE[1], markersize=4, label="validation")
    best = int(validation.argmin())
    left.plot(
        strengths[best], validation[best], "*", markersize=15, color=PALETTE[4], markeredgecolor=INK
    )
    left.set_ylabel("mean squared error")
    left.set_title("Errors")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(strengths, energy, "o-", color=PALETTE[2], markersize=4)
    right.set_yscale("log")
    right.set_ylabel(r"$\sum w^2$")
    right.set_title("Weight energy")
    for panel in (left, right):
        panel.set_xscale("log")
        panel.set_xlabel(r"weight decay $\gamma$")
    return figure


def error_curves(panels: Mapping[str, tuple[ArrayLike, Mapping[str, ArrayLike]]]) -> Figure:
    """Draw test errors in per cent against a quantity on a logarithmic scale, one panel each.

    Args:
        panels: By name of the quantity, its values and the errors by label.

    Example:
        >>> figure = error_curves({"learning rate": ([0.1, 1.0], {"plain": [10.0, 90.0]})})
    """
    figure, axes = new_figure(columns=len(panels), width=4.6 * len(panels), height=3.7, sharey=True)
    for panel, (name, (values, curves)) in zip(np.ravel(axes), panels.items(), strict=True):
        for label, errors in curves.items():
            panel.plot(values, errors, "o-", markersize=5, label=label)
        panel.set_xscale("log")
        panel.set_ylim(0, 100)
        panel.set_xlabel(name)
        panel.set_title(f"Test error by {name}")
    first = np.ravel(axes)[0]
    first.set_ylabel("test error, %")
    first.legend()
    return figure


def batch_histograms(panels: Mapping[str, Mapping[str, ArrayLike]]) -> Figure:
    """Draw the distributions of a few batches, one panel a treatment.

    Args:
        panels: By treatment, values by batch.

    Example:
        >>> figure = batch_histograms({"before": {"batch 1": [0.0, 1.0, 1.0]}})
    """
    figure, axes = new_figure(columns=len(panels), width=3.7 * len(panels), height=3.2)
    for panel, (title, batches) in zip(np.ravel(axes), panels.items(), strict=True):
        everything = np.concatenate([np.asarray(values) for values in batches.values()])
        bins = np.linspace(everything.min(), everything.max(), 41)
        for color, (label, values) in zip(PALETTE, batches.items(), strict=False):
            panel.hist(values, bins, density=True, alpha=0.25, color=color)
            panel.hist(values, bins, density=True, histtype="step", color=color, label=label)
        panel.set_title(title)
        panel.set_xlabel("value")
        panel.set_yticks([])
    np.ravel(axes)[0].legend()
    return figure


def ticket_curves(kept: ArrayLike, errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw test errors against the share of weights kept, mean and range over repeats.

    Args:
        kept: Weights kept, in per cent, from 100 down.
        errors: By label, errors in per cent, shape ``(repeats, len(kept))``.

    Example:
        >>> figure = ticket_curves([100, 10], {"ticket": [[2.0, 2.5], [2.2, 2.4]]})
    """
    figure, panel = new_figure(width=7.0, height=4.0)
    for color, (label, values) in zip(PALETTE, errors.items(), strict=False):
        table = np.asarray(values, dtype=float)
        panel.plot(kept, table.mean(0), "o-", color=color, markersize=5, label=label)
        panel.fill_between(kept, table.min(0), table.max(0), color=color, alpha=0.15, linewidth=0)
    whole = np.mean([np.asarray(values)[:, 0].mean() for values in errors.values()])
    panel.axhline(whole, color=MUTED, linestyle=":", linewidth=1.2, label="the whole network")
    panel.set_xscale("log")
    panel.invert_xaxis()
    ticks = [t for t in (100, 50, 20, 10, 5, 2, 1, 0.5) if t >= np.min(np.asarray(kept)) * 0.9]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set_xlabel("weights kept, %")
    panel.set_ylabel("test error, %")
    panel.set_ylim(bottom=0)
    panel.legend()
    return figure


def tempered_odds(
    image: ArrayLike,
    odds: Mapping[str, ArrayLike],
    accuracies: Mapping[str, float],
    *,
    accuracy_label: str,
) -> Figure:
    """Draw an image, a teacher's odds for it at several temperatures, and what students made of them.

    Args:
        image: Shape ``(H, W)``.
        odds: Class probabilities by label.
        accuracies: Accuracy in per cent by learner.
        accuracy_label: What the accuracy is of.

    Example:
        >>> figure = tempered_odds([[0, 1]], {"T = 1": [0.9, 0.1]}, {"labels": 0.0}, accuracy_label="%")
    """
    figure, (left, middle, right) = new_figure(columns=3, width=11.0, height=3.4)
    left.imshow(np.asarray(image), cmap="gray_r")
    left.set_axis_off()
    left.set_title("The input")
    width = 0.8 / len(odds)
    for place, (label, values) in enumerate(odds.items()):
        classes = np.arange(len(np.asarray(values)))
        shift = (place - (len(odds) - 1) / 2) * width
        middle.bar(classes + shift, np.asarray(values), width, color=PALETTE[place], label=label)
        middle.set_xticks(classes)
    middle.set_title("The teacher's odds")
    middle.set_xlabel("class")
    middle.legend()
    names = list(accuracies)
    bars = right.barh(names, [accuracies[name] for name in names], color=PALETTE[2], height=0.55)
    right.bar_label(bars, fmt="%.0f", padding=3, color=INK, fontsize=9)
    right.set_xlim(0, 112)
    right.invert_yaxis()
    right.set_title("What was learned")
    right.set_xlabel(accuracy_label)
    return figure
