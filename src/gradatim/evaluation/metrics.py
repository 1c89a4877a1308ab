"""How good predictions are, as arrays.

The first figure of a task decides: cross-entropy for classes, root mean square for numbers. Figures are called by the
labels of :data:`gradatim.training.metrics.MEASURES`."""

import numpy as np
from sklearn.metrics import roc_auc_score

from gradatim.training.metrics import MEASURES

FLOOR = 1e-7  # a probability below counts as this


def measure(y: np.ndarray, output: np.ndarray, classes: int) -> dict[str, float]:
    r"""Return all figures of a task, the deciding one first; it is better smaller.

    .. math:: \text{log loss} = -\tfrac1N\sum_i \log p_{i,y_i}, \qquad \text{RMSE} = \sqrt{\tfrac1N\sum_i (y_i - f_i)^2}

    Args:
        y: Class codes, or values, shape ``(N,)``.
        output: Probabilities ``(N, classes)``, or values ``(N,)``.
        classes: Number of classes; 0 for regression.

    Example:
        >>> measure(np.array([2.0, 4.0]), np.array([0.0, 2.0]), 0)["RMSE"]
        2.0
    """
    figures = _of_classes(y, output) if classes else _of_values(y, output)
    return {MEASURES[name].label: value for name, value in figures.items()}


def _of_classes(y: np.ndarray, output: np.ndarray) -> dict[str, float]:
    p = np.clip(output[np.arange(len(y)), y], FLOOR, 1.0)
    figures = {"log_loss": float(-np.log(p).mean())}
    figures["accuracy"] = float((output.argmax(1) == y).mean())
    if output.shape[1] == 2 and 0 < y.sum() < len(y):
        figures["auc"] = float(roc_auc_score(y, output[:, 1]))
    return figures


def _of_values(y: np.ndarray, output: np.ndarray) -> dict[str, float]:
    largest = float(np.abs(y).max()) or 1.0  # squares of huge numbers would overflow
    gap, spread = (y - output) / largest, (y - y.mean()) / largest
    figures = {"rmse": float(np.sqrt((gap**2).mean()) * largest)}
    figures["mae"] = float(np.abs(gap).mean() * largest)
    total = float((spread**2).sum())
    figures["r2"] = 1.0 - float((gap**2).sum()) / total if total else float("nan")
    return figures


def score(y: np.ndarray, output: np.ndarray, classes: int) -> float:
    """The deciding figure of :func:`measure`."""
    return next(iter(measure(y, output, classes).values()))
