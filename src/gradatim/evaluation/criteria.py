"""What decides between models: a figure by name, which way of it is good, and how it becomes a loss.

Everything that compares (:mod:`~gradatim.evaluation.racing`, :mod:`~gradatim.evaluation.occam`) takes losses, of which less is
better, and people read figures in their own direction. :func:`turn` is the one place that goes from one to the other, both ways:

.. math:: \\ell = s \\quad\\text{(an error)}, \\qquad \\ell = 1 - s \\quad\\text{(accuracy, AUC, } R^2\\text{: what is missing)},
    \\qquad \\ell = -s \\quad\\text{(scikit-learn's negated errors)}
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn import metrics as sklearn_metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from gradatim.errors import InvalidValue, nearest_first, require
from gradatim.evaluation.intervals import Interval
from gradatim.evaluation.judged import FIGURES, Judged
from gradatim.training.metrics import MEASURES

QUANTILE, PINBALL, COST = "quantile:", "pinball ", "cost"
COST_LABEL = "cost per row"
OVERLAPS = ("mean IoU", "mean Dice", "pixel accuracy")  # of masks
# what is reported of a task, the usual criterion first
REPORTED = {
    "classification": ("log_loss", "accuracy", "balanced_accuracy", "macro_f1", "auc", "average_precision"),
    "regression": ("rmse", "mae", "mape", "r2"),
}  # fmt: skip
# scikit-learn's names of what has a name here
_SAME = {
    "roc_auc": "auc",
    "roc_auc_ovr": "auc",
    "f1_macro": "macro_f1",
    "neg_log_loss": "log_loss",
    "neg_mean_squared_error": "mse",
    "neg_root_mean_squared_error": "rmse",
    "neg_mean_absolute_error": "mae",
    "neg_mean_absolute_percentage_error": "mape",
}


@cache
def _labels() -> dict[str, bool]:
    """Every label of a figure of merit, and whether more of it is better."""
    ours = {m.label: m.higher_is_better for m in MEASURES.values()}
    ours |= dict.fromkeys(OVERLAPS, True)
    return dict.fromkeys(sklearn_metrics.get_scorer_names(), True) | ours


def is_larger_better(label: str) -> bool:
    """Whether more of the figure with this label is better; one that is not known is an error.

    Example:
        >>> is_larger_better("AUC"), is_larger_better("RMSE"), is_larger_better("MASE")
        (True, False, False)
    """
    return _labels().get(label, False)


def turn(label: str, value: float) -> float:
    """Make a loss of a figure, and a figure of a loss: each is the other, turned.

    Args:
        label: What reports call the figure.
        value: The figure, or the loss.

    Example:
        >>> turn("AUC", 0.75), turn("AUC", 0.25), turn("RMSE", 2.0), turn("neg_brier_score", -0.5)
        (0.25, 0.75, 2.0, 0.5)
    """
    if not is_larger_better(label):
        return value
    return -value if label.startswith("neg_") else 1.0 - value


def turn_interval(label: str, interval: Interval) -> Interval:
    """The interval of a figure from that of its loss, or the other way round.

    Example:
        >>> turn_interval("AUC", Interval(0.25, 0.0625, 0.125, 0.5))
        Interval(mean=0.75, error=0.0625, low=0.5, high=0.875)
    """
    ends = sorted((turn(label, interval.low), turn(label, interval.high)))
    return Interval(turn(label, interval.mean), interval.error, *ends)


def turn_difference(label: str, interval: Interval) -> Interval:
    """The interval of a difference of figures from that of their losses, or the other way round.

    Example:
        >>> turn_difference("AUC", Interval(-0.25, 0.0625, -0.5, -0.125))
        Interval(mean=0.25, error=0.0625, low=0.125, high=0.5)
    """
    if not is_larger_better(label):
        return interval
    return Interval(0.0 - interval.mean, interval.error, 0.0 - interval.high, 0.0 - interval.low)


@dataclass(frozen=True)
class Criterion:
    """What decides.

    Args:
        name: One of :data:`FIGURES`, ``"quantile:0.9"``, or a name of scikit-learn's ``scoring``.
        label: What reports call it.
    """

    name: str
    label: str

    @property
    def level(self) -> float | None:
        """The quantile that is wanted, if one is."""
        return float(self.name.removeprefix(QUANTILE)) if self.name.startswith(QUANTILE) else None

    @property
    def typed(self) -> str:
        """As people type it."""
        return self.name.replace("_", "-") if self.name in FIGURES else self.name

    def figure(self, judged: Judged) -> float:
        """The figure, in its own direction."""
        if self.level is not None:
            return judged.pinball(self.level)
        return FIGURES[self.name](judged) if self.name in FIGURES else _by_scorer(self.name, judged)

    def loss(self, judged: Judged) -> float:
        """The figure as a loss."""
        return turn(self.label, self.figure(judged))


def usual_criterion(classes: int) -> Criterion:
    """What decides where nothing was asked for: the log loss of classes, the root mean square of values.

    Example:
        >>> usual_criterion(2).name, usual_criterion(0).label
        ('log_loss', 'RMSE')
    """
    return named_criterion(REPORTED[_task(classes)][0])


def _task(classes: int) -> str:
    return "classification" if classes else "regression"


def named_criterion(name: str) -> Criterion:
    """The criterion of a figure of :data:`FIGURES`.

    Example:
        >>> named_criterion("auc")
        Criterion(name='auc', label='AUC')
    """
    return Criterion(name, COST_LABEL if name == COST else MEASURES[name].label)


def find_criterion(owner: str, score: str | None, classes: int) -> Criterion:
    """The criterion that is asked for by name, or the usual one; a wrong one gets a sentence with the nearest.

    Args:
        owner: Who asks, for the message.
        score: A name such as ``"balanced-accuracy"`` or ``"quantile:0.9"``, or one of scikit-learn's ``scoring``.
        classes: Number of classes; 0 for regression.

    Example:
        >>> find_criterion("fit", "balanced-accuracy", 2)
        Criterion(name='balanced_accuracy', label='balanced accuracy')
        >>> find_criterion("fit", "auc", 0)
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: fit: score must suit a regression (rmse, mae, mape, r2, quantile:0.9, …), got 'auc', \
which is for classes. Try 'r2'.
    """
    if score is None:
        return usual_criterion(classes)
    asked = score.strip().lower().replace("-", "_")
    name = _SAME.get(asked, asked)
    if name.startswith(QUANTILE.rstrip(":")):
        return _quantile(owner, name, score, classes)
    if name in MEASURES:
        _check_task(
            owner, score, MEASURES[name].task, classes, larger=MEASURES[name].higher_is_better
        )
        return named_criterion(name)
    known = sklearn_metrics.get_scorer_names()
    if name not in known:
        names = [n.replace("_", "-") for n in REPORTED[_task(classes)]]
        near = nearest_first(score, [*names, *known])
        raise InvalidValue(
            f"{owner}: score must be one of {', '.join(names)}"
            f"{'' if classes else ', quantile:0.9'} or a name of scikit-learn's scoring, got {score!r}. Try {near[0]!r}."
        )
    return Criterion(name, name)


def _quantile(owner: str, name: str, score: str, classes: int) -> Criterion:
    _check_task(owner, score, "regression", classes, larger=False)
    try:
        level = float(name.removeprefix(QUANTILE))
    except ValueError:
        level = float("nan")
    rule = f"{owner}: score must name a quantile between 0 and 1, as in quantile:0.9"
    require(0.0 < level < 1.0, rule, repr(score), "Try 'quantile:0.9'.")
    return Criterion(f"{QUANTILE}{level:g}", f"{PINBALL}{level:g}")


def _check_task(owner: str, score: str, task: str, classes: int, *, larger: bool) -> None:
    own = _task(classes)
    if task == own:
        return
    names = [n.replace("_", "-") for n in REPORTED[own]] + ([] if classes else ["quantile:0.9"])
    near = ("accuracy" if larger else "log-loss") if classes else ("r2" if larger else "rmse")
    raise InvalidValue(
        f"{owner}: score must suit {'classes' if classes else 'a regression'} ({', '.join(names)}, …), got {score!r}, which is "
        f"for {'values' if classes else 'classes'}. Try {near!r}."
    )


class _Said(BaseEstimator):
    """Predictions in the clothes of an estimator, for scikit-learn's scorers."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self.classes_ = np.arange(judged.classes)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.judged.said if self.judged.classes else self.judged.output

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.judged.output


class _SaidClasses(ClassifierMixin, _Said):
    pass


class _SaidValues(RegressorMixin, _Said):
    pass


def _by_scorer(name: str, judged: Judged) -> float:
    said = _SaidClasses(judged) if judged.classes else _SaidValues(judged)
    scorer = sklearn_metrics.get_scorer(name)
    given = {} if judged.weight is None else {"sample_weight": judged.weight}
    return float(scorer(said, judged.output, judged.y, **given))


def check_criterion(owner: str, criterion: Criterion, y: np.ndarray, classes: int) -> None:
    """Refuse a criterion that cannot be computed from these targets, in one sentence.

    Args:
        owner: Who asks, for the message.
        criterion: What is to decide.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
    """
    if criterion.name == "mape" and not y.all():
        raise InvalidValue(
            f"{owner}: score must not be 'mape' where the target is 0, as in {int((y == 0).sum()):,} rows. Try 'mae'."
        )
    if criterion.name in FIGURES or criterion.level is not None:
        return
    perfect = np.eye(classes)[y] if classes else y
    try:
        _by_scorer(criterion.name, Judged(y, perfect, classes))
    except (ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        names = [n for n in sklearn_metrics.get_scorer_names() if n != criterion.name]
        usual = [n.replace("_", "-") for n in REPORTED[_task(classes)]]
        near = next((n for n in names if n.startswith(f"{criterion.name}_")), usual[0])
        raise InvalidValue(
            f"{owner}: score must be one that these targets can be judged by, got {criterion.name!r} ({reason}). Try {near!r}."
        ) from None
