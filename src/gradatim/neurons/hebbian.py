r"""Hebb's rule on a threshold neuron, pure and error-gated, for both label conventions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradatim.errors import require
from gradatim.linear.separability import require_paired
from gradatim.neurons.mistake_driven import correct_mistakes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HebbianRun:
    """What :func:`hebbian_learning` did.

    Args:
        weights: Final weights, shape ``(d,)``.
        bias: Final bias, zero without an intercept.
        errors: Samples misclassified by the weights at the end of each epoch.
        path: Weights and, last, bias at the start and after each epoch, shape ``(epochs + 1, d + 1)``.
        solved: Whether the final weights classify all samples correctly.
    """

    weights: Array
    bias: float
    errors: list[int]
    path: Array
    solved: bool


def hebbian_learning(
    X: ArrayLike,
    targets: ArrayLike,
    *,
    lr: float = 0.1,
    gated: bool = True,
    fit_intercept: bool = True,
    strict: bool = True,
    max_epochs: int = 100,
) -> HebbianRun:
    r"""Strengthen the weights of inputs that are active together with the target.

    .. math:: \Delta w_i = \eta\, x_i\, t, \qquad \Delta b = \eta\, t

    Pure, the rule acts on every sample and sums :math:`\sum_n t_n x_n`; gated, only on samples the neuron
    gets wrong, which with targets :math:`\pm 1` is the perceptron's rule. With targets 0 and 1 a sample of
    target 0 changes nothing, so a neuron that fires wrongly never learns not to.

    The neuron fires where :math:`a = w^\top x + b > 0`. Some books state :math:`a \ge 0` and then use
    :math:`a > 0`; ``strict=False`` gives the former.

    Args:
        X: Samples, shape ``(n, d)``, visited in order.
        targets: :math:`t`, either zeros and ones or ±1, shape ``(n,)``.
        lr: Step :math:`\eta`.
        gated: Whether only misclassified samples change the weights.
        fit_intercept: Whether the bias learns.
        strict: Whether the neuron needs a positive activation to fire; else zero is enough.
        max_epochs: Passes over the data; learning stops earlier when all samples are right.

    Returns:
        A :class:`HebbianRun`.

    Example:
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> hebbian_learning(corners, [0, 1, 1, 1], fit_intercept=False).weights  # OR
        array([0.1, 0.1])
        >>> hebbian_learning(corners, [0, 0, 0, 1]).errors[-1]  # AND, targets 0 and 1
        3
        >>> hebbian_learning(corners, [-1, -1, -1, 1]).errors[-1]  # AND, targets ±1
        0

    Reference:
        Hebb, The Organization of Behavior, 1949.
    """
    inputs, labels = np.asarray(X, dtype=float), np.asarray(targets, dtype=float)
    _check(inputs, labels, lr, max_epochs)
    inputs = np.column_stack([inputs, np.full(len(inputs), float(fit_intercept))])

    def misfires(activations: Array, goal: Array) -> NDArray[np.bool_]:
        fires = activations > 0 if strict else activations >= 0
        return np.asarray(fires != (goal > 0))

    weights = np.zeros(inputs.shape[1])
    path, errors = [weights.copy()], []
    for _ in range(max_epochs):
        if gated:
            for _ in correct_mistakes(weights, inputs, labels, lr=lr, is_mistake=misfires):
                pass
        else:
            weights += lr * (labels @ inputs)
        path.append(weights.copy())
        errors.append(int(misfires(inputs @ weights, labels).sum()))
        if errors[-1] == 0:
            break
    return HebbianRun(weights[:-1], float(weights[-1]), errors, np.array(path), errors[-1] == 0)


def _check(inputs: Array, labels: Array, lr: float, max_epochs: int) -> None:
    require_paired("hebbian_learning", inputs, labels, "targets")
    values = set(np.unique(labels).tolist())
    rule = "hebbian_learning: targets must be 0 and 1 or -1 and 1"
    require(values <= {0.0, 1.0} or values <= {-1.0, 1.0}, rule, sorted(values))
    is_moving, got = lr > 0 and max_epochs >= 1, f"{lr} and {max_epochs}"
    require(is_moving, "hebbian_learning: lr and max_epochs must be positive", got)
