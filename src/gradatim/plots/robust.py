"""Figures of robustness: images before and after an attack, accuracy by budget, distances."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.images import channels_last
from gradatim.plots.style import DIVERGING, INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.robust import RobustnessCurve


def adversarial_triples(
    clean: ArrayLike, adversarial: ArrayLike, titles: Sequence[tuple[object, object]] | None = None
) -> Figure:
    """Show images above what was added to them above the sum.

    The noise is drawn from blue, darker than before, through white to red, on one scale for all.

    Args:
        clean: Shape ``(N, H, W)``, ``(N, 1, H, W)`` or ``(N, 3, H, W)``.
        adversarial: The same images after an attack.
        titles: What the model answers before and after, for each image.

    Example:
        >>> images = np.zeros((3, 8, 8))
        >>> figure = adversarial_triples(images, images + 0.1, titles=[(7, 2), (1, 1), (4, 9)])
        >>> len(figure.axes)
        10
    """
    before, after = np.asarray(clean, dtype=float), np.asarray(adversarial, dtype=float)
    if before.shape != after.shape:
        raise InvalidValue(
            f"adversarial_triples: clean and adversarial must have one shape, got {before.shape} and {after.shape}."
        )
    noise = after - before if before.ndim == 3 else (after - before).mean(1)  # over colours
    limit = float(np.abs(noise).max()) or 1.0
    rows = (channels_last(before), noise, channels_last(after))
    count = len(before)
    figure, axes = new_figure(3, count, max(1.0 * count + 1.1, 3.0), 3.6)
    axes = np.reshape(axes, (3, count))
    low, high = min(before.min(), after.min()), max(before.max(), after.max())
    for row, pictures in enumerate(rows):
        for panel, picture in zip(axes[row], pictures, strict=True):
            _bare(panel)
            if row == 1:
                shown = panel.imshow(picture, cmap=DIVERGING, vmin=-limit, vmax=limit)
            else:
                panel.imshow(picture, cmap="gray", vmin=low, vmax=high, interpolation="nearest")
    for place, (first, second) in enumerate(titles or ()):
        for panel, text in ((axes[0, place], first), (axes[2, place], second)):
            color = PALETTE[1] if panel is axes[2, place] and first != second else INK
            panel.set_title(str(text), fontsize=9, loc="center", pad=3, color=color)
    for panel, name in zip(axes[:, 0], ("clean", "noise", "adversarial"), strict=True):
        panel.set_ylabel(name, color=MUTED, fontsize=9)
    bar = figure.colorbar(shown, ax=axes[1, :].tolist(), fraction=0.02, pad=0.01)
    bar.ax.tick_params(labelsize=7, length=2, colors=MUTED)
    bar.outline.set_visible(False)
    return figure


def _bare(panel: Axes) -> None:
    panel.grid(False)
    panel.set(xticks=[], yticks=[])
    for spine in panel.spines.values():
        spine.set_visible(False)


def robustness_curves(
    curves: Mapping[str, RobustnessCurve],
    *,
    xlabel: str = Formula(r"budget $\epsilon$"),
    marked: float | None = None,
) -> Figure:
    """Draw accuracy against the budget of the attack.

    Args:
        curves: By model or attack, as ``robustness_curve`` returns them.
        xlabel: What the budget is.
        marked: A budget to mark, such as the one trained for.

    Example:
        >>> import torch
        >>> curve = RobustnessCurve(torch.tensor([0.0, 0.1]), torch.tensor([0.99, 0.5]))
        >>> line = robustness_curves({"plain": curve}).axes[0].get_lines()[0]
        >>> float(line.get_ydata()[1])
        50.0
    """
    figure, panel = new_figure(width=7.0, height=4.2)
    for label, curve in curves.items():
        panel.plot(curve.epsilons, 100 * curve.accuracy, marker="o", markersize=4, label=label)
    if marked is not None:
        panel.axvline(marked, color=MUTED, linewidth=1.0, linestyle=":")
    panel.set(ylim=(-2, 102), xlabel=xlabel, ylabel="accuracy, %")
    panel.legend()
    return figure


def perturbation_histogram(
    distances: Mapping[str, ArrayLike],
    *,
    xlabel: str = Formula(r"smallest perturbation found, $\ell_2$"),
) -> Figure:
    """Draw how far samples are from an error; the line marks the median.

    Args:
        distances: By model or norm, as ``minimal_distances`` returns them. Samples that are wrong anyway
            (0) and that were never turned (infinite) are counted in the legend only.
        xlabel: What the distance is.

    Example:
        >>> figure = perturbation_histogram({"plain": [0.0, 0.5, 0.7, np.inf]})
        >>> figure.axes[0].get_legend().get_texts()[0].get_text()
        'plain: median 0.6, 1 wrong, 1 not found'
    """
    figure, panel = new_figure(width=7.0, height=3.8)
    parts = {label: np.asarray(values, dtype=float) for label, values in distances.items()}
    kept = {label: v[np.isfinite(v) & (v > 0)] for label, v in parts.items()}
    top = max((v.max() for v in kept.values() if v.size), default=1.0)
    for color, (label, values) in zip(PALETTE, kept.items(), strict=False):
        wrong, missed = int((parts[label] == 0).sum()), int(np.isinf(parts[label]).sum())
        median = float(np.median(values)) if values.size else math.nan
        words = f"{label}: median {median:.2g}"
        words += f", {wrong} wrong" if wrong else ""
        words += f", {missed} not found" if missed else ""
        panel.hist(values, bins=np.linspace(0, top, 41), color=color, alpha=0.55, label=words)
        panel.axvline(median, color=color, linewidth=1.6)
    panel.set(xlim=(0, top), xlabel=xlabel, ylabel="samples")
    panel.legend()
    return figure
