r"""What a Gaussian process of a table says of new rows, from arrays alone.

.. math::
    k(x, x') = a\,x^\top x' + c + v\,(1+\sqrt3r)e^{-\sqrt3r}, \qquad r^2=\sum_d(x_d-x'_d)^2/\ell_d^2

A value is :math:`f(x)=\sum_ik(x, x_i)\alpha_i`. The probability of a class is the logistic function of such a value, the mode of the
process; more than two are told one against the rest. Averages over the process, whose Gaussian is too wide where classes lie
apart, were worse. All classes get a share of one row more, so that none is impossible.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradatim.errors import require

Arrays = Mapping[str, np.ndarray]


def covariances(parameters: np.ndarray, x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
    """The kernel between all pairs of rows.

    Args:
        parameters: :math:`a`, :math:`c`, one :math:`\\ell` or one for each feature, and :math:`v`, in this order.
        x1: Rows, shape ``(N, D)``.
        x2: Rows, shape ``(M, D)``.

    Returns:
        Shape ``(N, M)``.

    Example:
        >>> covariances(np.array([1.0, 0.5, 1.0, 2.0]), np.array([[3.0]]), np.array([[3.0]])).tolist()
        [[11.5]]
    """
    slope, constant, variance = parameters[0], parameters[1], parameters[-1]
    a, b = x1 / parameters[2:-1], x2 / parameters[2:-1]
    squared = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2.0 * (a @ b.T)
    r = np.sqrt(3.0 * np.maximum(squared, 0.0))
    return slope * (x1 @ x2.T) + constant + variance * (1.0 + r) * np.exp(-r)


def process_values(arrays: Arrays, settings: Mapping[str, Any], X: np.ndarray) -> np.ndarray:
    """Values of rows, shape ``(N, 1)``, held to the range that the settings give.

    Args:
        arrays: ``rows`` that were learned from and their ``alpha``.
        settings: ``parameters`` of the kernel, ``center`` and ``scale`` of the targets, ``low`` and ``high``.
        X: Features, shape ``(N, D)``.
    """
    between = covariances(np.array(settings["parameters"][0][:-1]), arrays["rows"], X)
    values = (
        settings["center"] + settings["scale"] * _weighted(between, arrays["alpha"][0])[:, None]
    )
    return np.clip(values, settings.get("low", -np.inf), settings.get("high", np.inf))


def process_probabilities(
    arrays: Arrays, settings: Mapping[str, Any], X: np.ndarray, classes: int
) -> np.ndarray:
    """Probabilities of classes, shape ``(N, classes)``.

    Args:
        arrays: ``rows`` that were learned from and an ``alpha`` for each of the logits; codes of the classes ``present`` and shares
            of all in ``prior``.
        settings: ``parameters`` of each kernel.
        X: Features, shape ``(N, D)``.
        classes: How many there are.
    """
    kernels, rows = [np.array(own) for own in settings["parameters"]], arrays["rows"]
    logits = [_weighted(covariances(own, rows, X), alpha) for own, alpha in zip(kernels, arrays["alpha"], strict=True)]  # fmt: skip
    told = 0.5 + 0.5 * np.tanh(np.stack(logits, axis=1) / 2.0)
    if told.shape[1] == 1:
        told = np.concatenate([1.0 - told, told], axis=1)
    told += 1e-12  # where all say no
    whole = np.zeros((len(X), classes))
    whole[:, arrays["present"]] = told / told.sum(1, keepdims=True)
    return (len(rows) * whole + arrays["prior"]) / (len(rows) + 1.0)


def _weighted(between: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Sums over the rows that were learned. New rows are columns here, and no product with a vector is taken: otherwise the last
    bits depend on where in a block a row stands."""
    return (between * alpha[:, None]).sum(0)


def check_process(arrays: Arrays, settings: Mapping[str, Any], classes: int) -> None:
    """Refuse arrays and parameters that do not belong to each other."""
    rows, alpha = arrays["rows"], arrays["alpha"]
    is_shaped = rows.ndim == 2 and alpha.ndim == 2 and alpha.shape[1:] == rows.shape[:1]
    if is_shaped and classes:
        present = arrays["present"]
        outputs = 1 if present.shape == (2,) else present.size
        is_shaped = (
            len(alpha) == outputs > 0
            and arrays["prior"].shape == (classes,)
            and present.dtype.kind == "i"
            and bool(((present >= 0) & (present < classes)).all())
        )
    require(is_shaped and (classes or len(alpha) == 1), "load_model: arrays of a process must fit each other", "others")  # fmt: skip
    counts = {4 + (not classes), rows.shape[1] + 3 + (not classes)}
    given = settings["parameters"]
    is_good = isinstance(given, list) and len(given) == len(alpha) and all(
        isinstance(own, list) and len(own) in counts and all(_is_positive(value) for value in own) for own in given
    )  # fmt: skip
    require(is_good, "load_model: parameters of a process must be positive numbers, one list for each output", "others")  # fmt: skip


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < np.inf
