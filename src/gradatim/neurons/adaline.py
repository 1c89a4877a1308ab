r"""ADALINE: a linear neuron that descends the squared error of its activation (least mean squares)."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular

from gradatim.errors import choose, require
from gradatim.neurons.linear_threshold import Array, LinearThreshold


@dataclass(kw_only=True, eq=False, repr=False)
class Adaline(LinearThreshold):
    r"""Widrow and Hoff's adaptive linear neuron, as a scikit-learn estimator for two classes.

    Labels become :math:`t_i = \pm 1`, and :math:`x_i` gets a constant 1 for the intercept. The error is
    taken before the threshold, so every sample teaches, right or wrong:

    .. math::
        \text{stochastic: } w \leftarrow w + \eta\, (t_i - w^\top x_i)\, x_i
        \qquad
        \text{batch: } w \leftarrow w + \frac{\eta}{n} \sum_i (t_i - w^\top x_i)\, x_i

    Batch steps reach the least-squares solution for :math:`\eta < 2/\lambda_{\max}(X^\top X / n)`. The
    stochastic rule settles at a distance of order :math:`\eta` from it.

    Args:
        mode: ``"batch"`` or ``"stochastic"`` (samples in order).
        lr: Step :math:`\eta`; ``None`` takes :math:`1/\lambda_{\max}` for batches and
            :math:`0.1/\max_i\|x_i\|^2` for single samples.
        max_epochs: Passes over the data after which learning stops.
        tol: Learning stops when a pass changes no weight by more than ``tol`` times the largest.
        fit_intercept: Whether to learn an intercept.

    Attributes:
        coef_: Weights, shape ``(1, d)``; ``intercept_`` has shape ``(1,)``, ``classes_`` shape ``(2,)``.
        losses_: Mean squared error at the start and after each pass.
        n_iter_: Passes made.

    Example:
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> model = Adaline().fit(corners, [0, 0, 0, 1])
        >>> model.coef_.round(3), model.intercept_.round(3)  # least squares on targets ±1
        (array([[1., 1.]]), array([-1.5]))

    Reference:
        Widrow and Hoff, Adaptive switching circuits, 1960.
    """

    mode: str = "batch"
    lr: float | None = None
    max_epochs: int = 10_000
    tol: float = 1e-9
    fit_intercept: bool = True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from zero weights until they settle or ``max_epochs`` passes are made."""
        choose("Adaline", "mode", self.mode, ["batch", "stochastic"])
        inputs, targets = self._prepare(X, y)
        lr = self._step(inputs)
        self._check_step(lr, self.max_epochs)
        weights = np.zeros(inputs.shape[1])
        self.losses_ = [float(np.mean(targets**2))]
        for _ in range(self.max_epochs):
            before = weights
            if self.mode == "batch":
                weights = weights + lr / len(inputs) * ((targets - inputs @ weights) @ inputs)
            else:
                weights = lms_pass(weights, inputs, targets, lr)
            self.losses_.append(float(np.mean((targets - inputs @ weights) ** 2)))
            if np.abs(weights - before).max() <= self.tol * np.abs(weights).max():
                break
        self.n_iter_ = len(self.losses_) - 1
        self._keep(weights)
        return self

    def _step(self, inputs: Array) -> float:
        """The step given, if learning is stable with it, or the default one."""
        if self.mode == "batch":
            scale = float(np.linalg.norm(inputs, ord=2) ** 2 / len(inputs))
            default, limit, name = 1.0 / scale, 2.0 / scale, "2/lambda_max"
        else:
            scale = float((inputs**2).sum(axis=1).max())
            default, limit, name = 0.1 / scale, 2.0 / scale, "2/max|x|^2"
        if self.lr is None:
            return default
        rule = f"Adaline: lr must be below {name} = {limit:.3g} to converge"
        require(self.lr < limit, rule, self.lr, "Try lr=None, or scale the inputs.")
        return self.lr


def lms_pass(
    weights: Array, inputs: Array, targets: Array, lr: float, *, block: int = 128
) -> Array:
    r"""One pass of the least-mean-squares rule, sample after sample, in blocks.

    Within a block the errors :math:`e_i = t_i - w_i^\top x_i` of the successive weights :math:`w_i` satisfy

    .. math:: e_i = t_i - w_0^\top x_i - \eta \sum_{j<i} (x_i^\top x_j)\, e_j

    which is a triangular system: solving it gives what a loop over the samples would, up to rounding.

    Args:
        weights: :math:`w_0`, shape ``(d,)``.
        inputs: Samples, shape ``(n, d)``.
        targets: Shape ``(n,)``.
        lr: Step :math:`\eta`.
        block: Samples for each triangular system.

    Returns:
        The weights after the last sample.

    Example:
        >>> lms_pass(np.zeros(1), np.array([[1.0], [2.0]]), np.array([1.0, 1.0]), lr=0.5)
        array([0.5])
    """
    for start in range(0, len(inputs), block):
        x = inputs[start : start + block]
        system = np.tril(lr * (x @ x.T), -1)
        rest = targets[start : start + block] - x @ weights
        errors = solve_triangular(system, rest, lower=True, unit_diagonal=True)
        weights = weights + lr * (errors @ x)
    return weights
