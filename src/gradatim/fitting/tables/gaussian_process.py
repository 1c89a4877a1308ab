r"""A Gaussian process as a simple model of a table: a plane, and smooth deviations from it.

The kernel is :math:`a\,x^\top x' + c + v f_{3/2}(r)`, and noise; see :mod:`~gradatim.fitting.tables.process_values`. Its parameters
are those of the largest evidence on some of the rows; all rows are then learned with them. One length serves all features,
unless one for each explains a value so much better that Bayes's criterion pays for them twice:
:math:`\Delta\log p(y) > (D-1)\log n`. (Once is too little: evidence is also had by fitting lengths to what is no normal noise.)
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from gradatim.bayes import (
    Constant,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    Kernel,
    Linear,
    Matern,
    White,
)
from gradatim.bayes.processes.cholesky import inverse_triangle
from gradatim.bayes.processes.classification import find_mode
from gradatim.bayes.processes.evidence import log_evidence
from gradatim.fitting.goals import Goal
from gradatim.fitting.tables.predictors import Fitted, hold

PROCESS = "Gaussian process"
MOST_ROWS = 2_000  # to learn from
SEARCHING_ROWS = 300  # that parameters are learned from
SEARCHING_ROWS_OF_CLASSES = 200
STEPS, STEPS_OF_CLASSES = 25, 12  # of the search
MOST_LENGTHS = 100


def process_effort(rows: int, classes: int) -> float:
    """How the work of a fit grows with the rows, in any unit: a search on some of them, and a factor of all.

    Example:
        >>> process_effort(2000, 0) > 2 * process_effort(1000, 0)
        True
    """
    most, steps = (
        (SEARCHING_ROWS_OF_CLASSES, STEPS_OF_CLASSES) if classes else (SEARCHING_ROWS, 2 * STEPS)
    )
    return 2 * steps * _work(min(rows, most)) + _work(rows)


def _work(rows: int) -> float:
    """Of a Cholesky factor and what is done to every entry, which is 300 times as slow."""
    return rows**2 * (rows + 300.0)


def fit_process(
    X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any], goal: Goal
) -> Fitted:
    """Learn from rows.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes which rows parameters are learned from.
        chosen: Settings of the same model on fewer rows; they stay.
        goal: What it is trained for; of a quantile, the mean is moved by that of the errors that leaving one row out tells.

    Example:
        >>> X = np.linspace(0, 6, 50)[:, None]
        >>> fitted = fit_process(X, np.sin(X[:, 0]), 0, 0, {}, Goal())
        >>> from gradatim.fitting.tables.predictors import predict
        >>> bool(abs(predict(fitted, np.array([[1.5]]))[0] - np.sin(1.5)) < 0.01)
        True
    """
    draw = np.random.default_rng([seed, 6]).permutation(len(y))
    if classes:
        return _fit_classes(X, y, classes, draw, chosen)
    return _fit_values(X, y, draw, chosen, goal)


def _fit_values(X: np.ndarray, y: np.ndarray, draw: np.ndarray, chosen: Mapping[str, Any], goal: Goal) -> Fitted:  # fmt: skip
    center, scale = float(y.mean()), float(y.std()) or 1.0
    some = np.sort(draw[:SEARCHING_ROWS])
    start = _start(X.shape[1]) + White(variance=0.1)
    kernel = _known(start, X.shape[1], chosen) or _learn(start, X[some], y[some])
    rows, targets = torch.from_numpy(X), torch.from_numpy((y - center) / scale)
    found = log_evidence(kernel, 0.0, rows, targets, "fit")
    settings: dict[str, Any] = {"parameters": [kernel.theta.exp().tolist()], "center": center, "scale": scale, **hold(y)}  # fmt: skip
    if goal.quantile is not None:
        errors = found.alpha / inverse_triangle(found.factor).diagonal()
        settings["center"] += scale * goal.center(errors.numpy())
    return Fitted("process", 0, {"rows": X, "alpha": found.alpha.numpy()[None]}, settings)


def _start(width: int) -> Kernel:
    return Linear(variance=0.5 / width) + Constant() + Matern(1.5, length=math.sqrt(width))


def _known(start: Kernel, width: int, chosen: Mapping[str, Any]) -> Kernel | None:
    """The kernel with parameters that were chosen before; ``None`` where there are none, or they are of other features."""
    given = chosen["parameters"][0] if chosen else []
    fitting = [k for k in (start, _lengthened(start, width)) if len(k.theta) == len(given)]
    return fitting[0].replace(_theta(given)) if fitting else None


def _theta(parameters: list[float]) -> torch.Tensor:
    return torch.tensor(parameters, dtype=torch.float64).log()


def _lengthened(kernel: Kernel, count: int) -> Kernel:
    """A kernel of values with one length for each of so many features, all alike."""
    slope, constant, length, variance, noise = kernel.theta.exp().tolist()
    smooth = Matern(1.5, length=(length,) * count, variance=variance)
    return Linear(variance=slope) + Constant(variance=constant) + smooth + White(variance=noise)


def _learn(start: Kernel, X: np.ndarray, y: np.ndarray) -> Kernel:
    """The kernel of the largest evidence, with one length or with many."""

    def search(kernel: Kernel) -> GaussianProcessRegressor:
        process = GaussianProcessRegressor(kernel, noise=0.0, restarts=0, max_steps=STEPS, normalize_y=True)  # fmt: skip
        return process.fit(X, y)

    count, width = X.shape
    one = search(start)
    if not 1 < width <= MOST_LENGTHS:
        return one.kernel_
    many = search(_lengthened(one.kernel_, width))
    gain = many.log_marginal_likelihood_ - one.log_marginal_likelihood_
    return many.kernel_ if gain > (width - 1) * math.log(count) else one.kernel_


def _fit_classes(X: np.ndarray, y: np.ndarray, classes: int, draw: np.ndarray, chosen: Mapping[str, Any]) -> Fitted:  # fmt: skip
    present, first = np.unique(y[draw], return_index=True)
    some = np.union1d(draw[:SEARCHING_ROWS_OF_CLASSES], draw[first])  # some of every class
    start, rows = _start(X.shape[1]), torch.from_numpy(X)
    told = present[1:] if len(present) == 2 else present
    known = chosen["parameters"] if chosen and len(chosen["parameters"]) == len(told) else []
    parameters, alphas = [], []
    for k, code in enumerate(told):
        is_class = y == code
        kernel = start.replace(_theta(known[k])) if known else _learn_class(start, X[some], is_class[some])  # fmt: skip
        parameters.append(kernel.theta.exp().tolist())
        t = torch.from_numpy(np.where(is_class, 1.0, -1.0))
        alphas.append(find_mode(kernel(rows), t).slope.numpy())
    shares = np.bincount(y, minlength=classes) + 1.0 / classes
    arrays = {
        "rows": X, "alpha": np.stack(alphas), "present": present.astype(np.int64), "prior": shares / shares.sum(),
    }  # fmt: skip
    return Fitted("process", classes, arrays, {"parameters": parameters})


def _learn_class(start: Kernel, X: np.ndarray, y: np.ndarray) -> Kernel:
    process = GaussianProcessClassifier(start, restarts=0, max_steps=STEPS_OF_CLASSES).fit(X, y)
    return process.kernels_[0]
