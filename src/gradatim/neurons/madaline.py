r"""MADALINE: many ADALINEs under a fixed vote, trained by MADALINE Rule I."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from gradatim.errors import choose, require
from gradatim.neurons.linear_threshold import Array, LinearThreshold

_QUORUM = {"or": lambda m: 1, "majority": lambda m: m // 2 + 1, "and": lambda m: m}


@dataclass(kw_only=True, eq=False, repr=False)
class Madaline(LinearThreshold):
    r"""A layer of ADALINEs whose outputs a fixed logic joins, as a scikit-learn estimator for two classes.

    Unit :math:`j` fires where :math:`a_j = w_j^\top x + b_j > 0`, and the net answers with the second class
    where at least :math:`q` units fire: one (or), more than half (majority) or all (and).

    MADALINE Rule I changes as little as will do. On a wrong answer it takes the units that would have
    to switch to make it right, nearest to zero first, as many as the vote lacks, and moves each
    towards the wanted side :math:`s = \pm 1` by the LMS rule

    .. math:: w_j \leftarrow w_j + \eta\, (s - a_j)\, x, \qquad b_j \leftarrow b_j + \eta\, (s - a_j)

    It may fail from unlucky initial weights, so it starts afresh up to ``restarts`` times.

    Args:
        num_units: ADALINEs in the layer.
        logic: ``"or"``, ``"majority"`` or ``"and"``.
        lr: Step :math:`\eta`, relative: it is divided by :math:`\max_i \|(x_i, 1)\|^2`.
        max_epochs: Passes over the data for each start.
        restarts: Starts from new random weights at most.
        seed: Of the initial weights, uniform in [-0.5, 0.5] over the input scale.

    Attributes:
        coef_: Weights, shape ``(num_units, d)``; ``intercept_`` has shape ``(num_units,)``.
        errors_: Mistakes in each pass of the best start.
        converged_: Whether a whole pass went without a mistake.
        n_iter_: Passes of the best start; ``n_starts_`` counts the starts.

    Example:
        >>> corners = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
        >>> Madaline(num_units=2).fit(corners, [0, 1, 1, 0]).predict(corners)  # XOR
        array([0, 1, 1, 0])

    Reference:
        Widrow and Lehr, 30 years of adaptive neural networks, 1990 (Rule I: Hoff 1962, Ridgway 1962).
    """

    num_units: int = 3
    logic: str = "or"
    lr: float = 0.5
    max_epochs: int = 100
    restarts: int = 5
    seed: int = 0

    fit_intercept = True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn until a pass makes no mistake; keep the start that made the fewest in its last pass."""
        choose("Madaline", "logic", self.logic, _QUORUM)
        self._check_step(self.lr, self.max_epochs)
        got = f"{self.num_units} and {self.restarts}"
        is_some = min(self.num_units, self.restarts) >= 1
        require(is_some, "Madaline: num_units and restarts must be at least 1", got)
        inputs, targets = self._prepare(X, y)
        scale = float((inputs**2).sum(axis=1).max())
        rng = np.random.default_rng(self.seed)
        self.errors_, weights, self.n_starts_ = [len(inputs) + 1], np.zeros(0), 0
        while self.errors_[-1] > 0 and self.n_starts_ < self.restarts:
            fresh = rng.uniform(-0.5, 0.5, (self.num_units, inputs.shape[1])) / np.sqrt(scale)
            errors = self._learn(fresh, inputs, targets, self.lr / scale)
            self.n_starts_ += 1
            if errors[-1] < self.errors_[-1]:
                self.errors_, weights = errors, fresh
        self.n_iter_ = len(self.errors_)
        self.converged_ = self.errors_[-1] == 0
        self.coef_, self.intercept_ = weights[:, :-1].copy(), weights[:, -1].copy()
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Activation of the unit that decides: the ``q``-th largest, positive where ``q`` units fire."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        activations = np.sort(rows @ self.coef_.T + self.intercept_, axis=1)  # (n, num_units)
        return np.asarray(activations[:, -_QUORUM[self.logic](self.num_units)])

    def _learn(self, weights: Array, inputs: Array, targets: Array, lr: float) -> list[int]:
        quorum, errors = _QUORUM[self.logic](self.num_units), []
        for _ in range(self.max_epochs):
            errors.append(rule_one_pass(weights, inputs, targets, lr=lr, quorum=quorum))
            if errors[-1] == 0:
                break
        return errors


def rule_one_pass(
    weights: Array, inputs: Array, targets: NDArray[Any], *, lr: float, quorum: int
) -> int:
    """One pass of MADALINE Rule I over the samples in order, and the number of mistakes it met.

    Args:
        weights: One row for each unit, changed in place, shape ``(m, d)``.
        inputs: Samples, shape ``(n, d)``; a last column of ones makes the last weight a bias.
        targets: ±1, shape ``(n,)``.
        lr: Step.
        quorum: Units that must fire for the answer +1.

    Example:
        >>> weights = np.array([[0.2, 0.2, 0.3], [0.1, 0.2, 0.15]])
        >>> rule_one_pass(weights, np.ones((1, 3)), np.array([-1]), lr=0.5, quorum=1)
        1
        >>> weights[1]  # 0.15 + 0.5 * (-1 - 0.45) for the bias
        array([-0.625, -0.525, -0.575])
    """
    mistakes = 0
    for x, target in zip(inputs, targets, strict=True):
        activations = weights @ x  # (m,)
        fires = activations > 0
        lacking = quorum - int(fires.sum()) if target > 0 else int(fires.sum()) - quorum + 1
        if lacking > 0:
            mistakes += 1
            able = np.flatnonzero(fires != (target > 0))
            nearest = able[np.abs(activations[able]).argsort(kind="stable")[:lacking]]
            weights[nearest] += lr * np.outer(target - activations[nearest], x)
    return mistakes
