"""Precision over recall of one class, at every threshold."""

import numpy as np
from matplotlib.figure import Figure

from gradatim.plots.style import MUTED, PALETTE, RULE, new_figure


def precision_recall(is_positive: np.ndarray, score: np.ndarray, threshold: float | None = None) -> Figure:  # fmt: skip
    """Draw which share of a class is found, and how often it is right when it is said, at every threshold.

    Args:
        is_positive: Whether a row is of the class, shape ``(N,)``.
        score: The higher, the surer of the class.
        threshold: From which the class is said; marked where it is given.

    Example:
        >>> precision_recall(np.array([True, False]), np.array([0.9, 0.2])).axes[0].get_xlabel()
        'recall: share of the class that is found'
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)
    hits = np.cumsum(is_positive[order])[last]
    said = np.flatnonzero(last) + 1
    recall, precision = hits / max(is_positive.sum(), 1), hits / said
    figure, axes = new_figure(width=5.0, height=4.2)
    axes.step(
        np.append(0.0, recall), np.append(precision[0], precision), where="pre", color=PALETTE[0]
    )
    axes.axhline(is_positive.mean(), color=RULE, linewidth=1.2)
    if threshold is not None:
        place = int((score[order][last] >= threshold).sum()) - 1
        if place >= 0:
            axes.plot([recall[place]], [precision[place]], "o", color=PALETTE[1])
            is_right = recall[place] > 0.5
            axes.annotate(
                f"threshold {threshold:.3g}", (recall[place], precision[place]), color=MUTED, textcoords="offset points",
                xytext=(-8 if is_right else 8, 8), ha="right" if is_right else "left",
            )  # fmt: skip
    axes.set(xlabel="recall: share of the class that is found", ylabel="precision: right when said", xlim=(0, 1.02), ylim=(0, 1.05))  # fmt: skip
    return figure
