"""How good predictions are, as arrays.

The first figure of a task decides: cross-entropy for classes and root mean square for numbers, unless something else is asked
for. Figures are called by the labels of :data:`gradatim.training.metrics.MEASURES`, and stand in their own direction;
:func:`gradatim.evaluation.criteria.turn` makes a loss of one."""

import numpy as np

from gradatim.evaluation.criteria import COST, REPORTED, Criterion, named_criterion, usual_criterion
from gradatim.evaluation.judged import Judged


def measure(
    y: np.ndarray,
    output: np.ndarray,
    classes: int,
    *,
    criterion: Criterion | None = None,
    weight: np.ndarray | None = None,
    decision: np.ndarray | None = None,
    costs: np.ndarray | None = None,
    said: np.ndarray | None = None,
) -> dict[str, float]:
    r"""Return all figures of a task, the deciding one first; others that these rows cannot tell are left out.

    .. math:: \text{log loss} = -\tfrac1N\sum_i \log p_{i,y_i}, \qquad \text{RMSE} = \sqrt{\tfrac1N\sum_i (y_i - f_i)^2}

    Args:
        y: Class codes, or values, shape ``(N,)``.
        output: Probabilities ``(N, classes)``, or values ``(N,)``.
        classes: Number of classes; 0 for regression.
        criterion: What decides; the usual one by default.
        weight: Of every row: a row of weight 2 counts as two equal rows would.
        decision: How a class is said, as in :func:`~gradatim.evaluation.judged.decide_classes`.
        costs: Costs of saying a class (columns) where another is true (rows).
        said: The class that is said of every row, where it is known.

    Example:
        >>> measure(np.array([2.0, 4.0]), np.array([0.0, 2.0]), 0)["RMSE"]
        2.0
    """
    judged = Judged(y, output, classes, weight=weight, decision=decision, costs=costs, said=said)
    first = usual_criterion(classes) if criterion is None else criterion
    usual = REPORTED["classification" if classes else "regression"]
    names = [*([] if costs is None else [COST]), *usual]
    others = {own.label: own.figure(judged) for own in map(named_criterion, names) if own != first}
    known = {label: value for label, value in others.items() if np.isfinite(value)}
    return {first.label: first.figure(judged), **known}


def score(y: np.ndarray, output: np.ndarray, classes: int, *, criterion: Criterion | None = None, weight: np.ndarray | None = None) -> float:  # fmt: skip
    """The deciding figure as a loss: less is better.

    Args:
        y: Class codes, or values.
        output: Probabilities, or values.
        classes: Number of classes; 0 for regression.
        criterion: What decides; the usual one by default.
        weight: Of every row.

    Example:
        >>> score(np.array([0, 1]), np.eye(2), 2)
        -0.0
    """
    first = usual_criterion(classes) if criterion is None else criterion
    return first.loss(Judged(y, output, classes, weight=weight))
