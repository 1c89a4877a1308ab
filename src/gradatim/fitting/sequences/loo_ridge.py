r"""Ridge regression on many features of few series, whose penalty is chosen by leaving each series out once.

With centred features :math:`X` and targets :math:`Y`, :math:`G = (XX^\top + \alpha I)^{-1}` and :math:`c = GY`, the residual of
series :math:`i` under the model that was fitted to all others is

.. math:: e_i = \frac{\alpha\,c_i}{\alpha\,G_{ii} - 1/N}

so one eigendecomposition of :math:`XX^\top` judges every :math:`\alpha`. For classes the targets are :math:`\pm1`, one column
each, and :math:`\operatorname{softmax}(\tau\hat y)` makes probabilities of what is predicted, with the :math:`\tau` that suits the
predictions of series left out best. One imagined series that is missed by the usual margin keeps :math:`\tau` finite.
"""

from typing import NamedTuple

import numpy as np

from gradatim.fitting.tables.predictors import Fitted, hold, softmax

PENALTIES = np.logspace(-2, 6, 17)
SHARPNESS = np.logspace(-1, 1.7, 28)  # candidates of tau


class _Solution(NamedTuple):
    """A penalty, what it predicts of series left out, its dual coefficients, and its error."""

    penalty: float
    left_out: np.ndarray
    dual: np.ndarray
    error: float


def fit_loo_ridge(X: np.ndarray, y: np.ndarray, classes: int, penalty: float | None = None) -> Fitted:  # fmt: skip
    """Fit a linear model with the penalty, and for classes the sharpness, that is best for series left out.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        penalty: The penalty, once it was chosen.

    Example:
        >>> X = np.arange(20.0)[:, None]
        >>> line = fit_loo_ridge(X, 3 * X[:, 0] + 1, 0)
        >>> float((line.arrays["0.0.weight"] * line.settings["scale"]).round(2).item())
        3.0
    """
    return judge_loo_ridge(X, y, classes, penalty)[0]


def judge_loo_ridge(
    X: np.ndarray,
    y: np.ndarray,
    classes: int,
    penalty: float | None = None,
    *,
    is_scaled: bool = True,
) -> tuple[Fitted, float]:
    """Fit as :func:`fit_loo_ridge` does, and say how wrong the model is of rows left out.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        penalty: The penalty, once it was chosen.
        is_scaled: Whether features count in units of their deviation; as they are, dot products of rows are a kernel.

    Returns:
        The model, and its log loss or, in units of the variance, mean squared error of rows left out.
    """
    mean, spread = X.mean(0), X.std(0) if is_scaled else np.ones(X.shape[1])
    spread = np.where(spread > 1e-9, spread, 1.0)
    scaled = (X - mean) / spread
    center, scale = (0.0, 1.0) if classes else (float(y.mean()), float(y.std()) or 1.0)
    Y = np.where(y[:, None] == np.arange(classes), 1.0, -1.0) if classes else ((y - center) / scale)[:, None]  # fmt: skip
    offset = Y.mean(0)
    found = _solve(scaled, Y, offset, [penalty] if penalty is not None else PENALTIES, y, classes)
    weight = (scaled.T @ found.dual).T / spread  # (outputs, D)
    bias = offset - weight @ mean
    settings: dict[str, float] = {"penalty": found.penalty}
    if classes:
        sharpness = choose_sharpness(found.left_out, y)
        weight, bias = sharpness * weight, sharpness * bias
    else:
        settings |= {"center": center, "scale": scale, **hold(y)}
    # row by row, as it comes back from a folder: the last bits of a product depend on the order in memory
    arrays = {"0.0.weight": weight.astype(np.float32, order="C"), "0.0.bias": bias}
    return Fitted("chain", classes, arrays, settings), found.error


def _solve(
    X: np.ndarray,
    Y: np.ndarray,
    offset: np.ndarray,
    penalties: "np.ndarray | list[float]",
    y: np.ndarray,
    classes: int,
) -> _Solution:
    values, vectors = np.linalg.eigh(X @ X.T)
    turned = vectors.T @ (Y - offset)  # (N, outputs)
    best, lowest = None, np.inf
    for penalty in map(float, penalties):
        inverse = 1.0 / (np.maximum(values, 0.0) + penalty)
        dual = vectors @ (inverse[:, None] * turned)
        leverage = penalty * (vectors**2 @ inverse) - 1.0 / len(X)  # 1 minus that of the hat matrix
        left_out = Y - penalty * dual / np.maximum(leverage, 1e-9)[:, None]
        if classes:
            error = _log_loss(choose_sharpness(left_out, y) * left_out, y)
        else:
            error = float(((left_out - Y) ** 2).mean())
        if best is None or error < lowest:
            best, lowest = _Solution(penalty, left_out, dual, error), error
    assert best is not None
    return best


def choose_sharpness(values: np.ndarray, y: np.ndarray) -> float:
    r"""The factor :math:`\tau` with which the softmax of values suits the classes best.

    Args:
        values: What is predicted of series left out, shape ``(N, classes)``.
        y: Their classes.
    """
    order = np.sort(values, axis=1)
    margin = float(np.mean(order[:, -1] - order[:, -2]))
    losses = [
        _log_loss(t * values, y) * len(y) + float(np.log1p(np.exp(min(t * margin, 500.0))))
        for t in SHARPNESS
    ]
    return float(SHARPNESS[int(np.argmin(losses))])


def _log_loss(logits: np.ndarray, y: np.ndarray) -> float:
    p = softmax(logits)[np.arange(len(y)), y]
    return float(-np.log(np.maximum(p, 1e-12)).mean())
