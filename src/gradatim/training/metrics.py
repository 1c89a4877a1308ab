"""Figures of merit: what each is, and the same accumulated over batches on the device, read once at the end.

``MEASURES`` is the one place that knows names, directions and tasks. Tensors are measured here, arrays by
:func:`gradatim.evaluation.metrics.measure`, scikit-learn's estimators by :data:`gradatim.evaluation.SCORES`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from gradatim.errors import InvalidType, choose
from gradatim.losses import align
from gradatim.training.class_metrics import (
    AUC,
    AveragePrecision,
    Hits,
    LogLoss,
    PerClass,
    RootMeanSquare,
    row_factors,
)
from gradatim.training.model_outputs import judge_rows, plain_output

MetricFunction = Callable[[Tensor, Tensor], Tensor]


class Measure(NamedTuple):
    """What a figure of merit is.

    Args:
        name: What options and histories call it.
        label: What reports call it.
        task: ``"classification"`` or ``"regression"``.
        higher_is_better: Which way is good.
        sklearn: Function of :mod:`sklearn.metrics` that computes it.
    """

    name: str
    label: str
    task: str
    higher_is_better: bool
    sklearn: str


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", "classification", True, "accuracy_score"),
        Measure("error", "error", "classification", False, "zero_one_loss"),
        Measure("log_loss", "log loss", "classification", False, "log_loss"),
        Measure("auc", "AUC", "classification", True, "roc_auc_score"),
        Measure("precision", "precision", "classification", True, "precision_score"),
        Measure("recall", "recall", "classification", True, "recall_score"),
        Measure("f1", "F1", "classification", True, "f1_score"),
        Measure("macro_f1", "macro F1", "classification", True, "f1_score"),
        Measure(
            "balanced_accuracy",
            "balanced accuracy",
            "classification",
            True,
            "balanced_accuracy_score",
        ),
        Measure(
            "average_precision",
            "average precision",
            "classification",
            True,
            "average_precision_score",
        ),
        Measure("mse", "MSE", "regression", False, "mean_squared_error"),
        Measure("rmse", "RMSE", "regression", False, "root_mean_squared_error"),
        Measure("mae", "MAE", "regression", False, "mean_absolute_error"),
        Measure("mape", "MAPE", "regression", False, "mean_absolute_percentage_error"),
        Measure("r2", "R²", "regression", True, "r2_score"),
    )
}


def is_higher_better(column: str) -> bool:
    """Whether a column of a history should grow; one that measures nothing known, such as a loss, should fall.

    Example:
        >>> is_higher_better("validation_accuracy"), is_higher_better("validation_loss")
        (True, False)
    """
    names = [name for name in MEASURES if column == name or column.endswith(f"_{name}")]
    return bool(names) and MEASURES[max(names, key=len)].higher_is_better


class Metric(Protocol):
    """Sums over batches and the number they give."""

    name: str

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        """Take in a batch, whose rows may weigh."""

    def compute(self) -> float: ...


class Mean:
    """Average over samples of a function of a batch that itself averages over the batch."""

    def __init__(self, name: str, function: MetricFunction) -> None:
        self.name, self.function = name, function
        self.total: Tensor | float = 0.0
        self.count: Tensor | float = 0

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        rows = len(target)
        judged = judge_rows(self.function, output, target, weight)
        self.total = self.total + judged.double() * rows
        self.count = self.count + (rows if weight is None else weight.double().sum())

    def compute(self) -> float:
        return float(self.total) / float(self.count) if self.count else float("nan")


class R2:
    r"""Coefficient of determination over all samples.

    .. math:: R^2 = 1 - \frac{\sum_i (y_i - f_i)^2}{\sum_i (y_i - \bar y)^2}

    The spread of ``y`` is merged batch by batch (Chan's update), so large means lose no digits.
    """

    name = "r2"

    def __init__(self) -> None:
        self.count: Tensor | float = 0
        self.mean: Tensor | float = 0.0
        self.spread: Tensor | float = 0.0
        self.residual: Tensor | float = 0.0

    def update(self, output: Tensor, target: Tensor, weight: Tensor | None = None) -> None:
        output = plain_output(output)
        y = align(output, target).double()
        w = torch.ones_like(y) if weight is None else row_factors(y, weight)
        n, mean = w.flatten(1).sum(0)[0] if w.ndim > 1 else w.sum(), (w * y).sum(0) / w.sum(0)
        self._join(n, mean, (w * (y - mean) ** 2).sum(0))
        self.residual = self.residual + (w * (y - output.double()) ** 2).sum(0)

    def merge(self, seen: Mapping[str, Any]) -> None:
        """Take in what another has seen."""
        if seen["count"]:
            self._join(seen["count"], seen["mean"], seen["spread"])
            self.residual = self.residual + seen["residual"]

    def _join(self, n: Tensor | float, mean: Tensor | float, spread: Tensor | float) -> None:
        gap = mean - self.mean
        total = self.count + n
        self.spread = self.spread + spread + gap**2 * (self.count * n / total)
        self.mean = self.mean + gap * (n / total)
        self.count = total

    def compute(self) -> float:
        return float((1.0 - torch.as_tensor(self.residual) / torch.as_tensor(self.spread)).mean())


def mean_squared_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of the squared difference."""
    return ((output - align(output, target)).double() ** 2).mean()


def mean_absolute_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of the absolute difference."""
    return (output - align(output, target)).double().abs().mean()


def mean_absolute_percentage_error(output: Tensor, target: Tensor) -> Tensor:
    """Mean of the absolute difference as a share of the target."""
    truth = align(output, target).double()
    return ((output - truth) / truth.abs().clamp(min=torch.finfo(torch.float64).eps)).abs().mean()


METRICS: dict[str, Callable[[], Metric]] = {
    "accuracy": lambda: Hits("accuracy"),
    "error": lambda: Hits("error"),
    "log_loss": LogLoss,
    "auc": AUC,
    "precision": lambda: PerClass("precision"),
    "recall": lambda: PerClass("recall"),
    "f1": lambda: PerClass("f1"),
    "macro_f1": lambda: PerClass("macro_f1"),
    "balanced_accuracy": lambda: PerClass("balanced_accuracy"),
    "average_precision": AveragePrecision,
    "r2": R2,
    "mse": lambda: Mean("mse", mean_squared_error),
    "rmse": RootMeanSquare,
    "mae": lambda: Mean("mae", mean_absolute_error),
    "mape": lambda: Mean("mape", mean_absolute_percentage_error),
}


def build_metric(metric: str | MetricFunction) -> Metric:
    """Start a metric by name, or from a function ``(output, target) -> batch mean``.

    Args:
        metric: One of ``METRICS``, or a function.

    Example:
        >>> metric = build_metric("accuracy")
        >>> metric.update(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([1, 1]))
        >>> metric.compute()
        0.5
    """
    if isinstance(metric, str):
        return METRICS[choose("build_metric", "metric", metric, METRICS)]()
    if not callable(metric):
        raise InvalidType(
            f"build_metric: metric must be a name or a function, got {metric!r}. Names: {', '.join(METRICS)}."
        )
    return Mean(getattr(metric, "__name__", type(metric).__name__), metric)


def check_metrics(metrics: Sequence[str | MetricFunction]) -> tuple[str | MetricFunction, ...]:
    """Return ``metrics``, each of which :func:`build_metric` can build.

    >>> check_metrics(["accuracy"])
    ('accuracy',)
    """
    known = tuple(metrics)
    for metric in known:
        build_metric(metric)
    return known
