"""Whether probabilities mean what they say."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import MUTED, PALETTE, RULE, new_figure


def calibration(confidence: ArrayLike, is_right: ArrayLike, *, bins: int = 10) -> Figure:
    r"""Draw how often answers are right against how sure the model was of them.

    Answers are sorted by confidence and cut into ``bins`` parts of equal size; answers of equal confidence count as their mean, on
    whichever side of a cut. A calibrated model lies on the diagonal; the
    title is the expected calibration error :math:`\sum_b \frac{n_b}{N}\,|\mathrm{acc}_b - \mathrm{conf}_b|`.

    Args:
        confidence: Probability of the answer given, shape ``(N,)``.
        is_right: Whether the answer was right, shape ``(N,)``.
        bins: Parts, at most.

    Example:
        >>> calibration([1.0, 1.0, 0.5, 0.5], [True, True, True, False], bins=2).axes[0].get_title()
        'calibration error 0.0 %'
    """
    p, right = np.asarray(confidence, dtype=float), np.asarray(is_right, dtype=float)
    if len(p) == 0 or p.shape != right.shape:
        raise InvalidValue(
            f"calibration: confidence and is_right must have the same length from 1, got {p.shape} and {right.shape}."
        )
    _, same = np.unique(p, return_inverse=True)
    right = (np.bincount(same, right) / np.bincount(same))[
        same
    ]  # which of equals comes first says nothing
    order = np.argsort(p, kind="stable")
    parts = np.array_split(order, max(min(bins, len(p) // 10), min(2, len(p), bins)))
    x = np.array([p[part].mean() for part in parts])
    y = np.array([right[part].mean() for part in parts])
    sizes = np.array([len(part) for part in parts])
    error = float((sizes * np.abs(x - y)).sum() / len(p))
    figure, axes = new_figure(width=5.0, height=4.2)
    low = max(0.0, min(x.min(), y.min()) - 0.05)
    axes.plot([low, 1], [low, 1], color=RULE, linewidth=1.2, zorder=1)
    spread = np.sqrt(np.maximum(y * (1 - y), 0.25 / sizes) / sizes)
    axes.errorbar(x, y, yerr=np.minimum(spread, np.stack([y, 1 - y])), fmt="none", ecolor=RULE, elinewidth=1.5, zorder=2)  # fmt: skip
    axes.plot(x, y, "o-", color=PALETTE[0], markersize=6, zorder=3)
    axes.set(
        xlim=(low, 1.01), ylim=(low, 1.01), xlabel="confidence", ylabel="share of right answers"
    )
    axes.annotate("too cautious", (0.04, 0.94), xycoords="axes fraction", color=MUTED, fontsize=9)
    axes.annotate("too sure", (0.96, 0.05), xycoords="axes fraction", color=MUTED, fontsize=9, ha="right")  # fmt: skip
    axes.set_title(f"calibration error {100 * error:.1f} %")
    return figure
