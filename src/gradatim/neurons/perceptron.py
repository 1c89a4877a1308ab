r"""Rosenblatt's perceptron with its mistake log and Novikoff's bound."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradatim.errors import choose
from gradatim.linear.separability import halfspace, maximal_margin
from gradatim.neurons.linear_threshold import Array, LinearThreshold
from gradatim.neurons.mistake_driven import correct_mistakes


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(LinearThreshold):
    r"""The mistake-driven linear classifier, as a scikit-learn estimator for two classes.

    Labels become :math:`t_i = \pm 1`, and :math:`x_i` gets a constant 1 for the intercept. From
    :math:`w = 0`, while some :math:`t_i w^\top x_i \le 0`,

    .. math::
        \text{stochastic: } w \leftarrow w + \eta\, t_i x_i
        \qquad
        \text{batch: } w \leftarrow w + \eta \sum_{t_i w^\top x_i \le 0} t_i x_i

    On data with radius :math:`R = \max_i \|x_i\|` and maximal margin :math:`\gamma` (both with the constant
    1 included, since that is the space the rule moves in) the stochastic rule makes at most
    :math:`R^2/\gamma^2` mistakes (Novikoff), the batch rule at most :math:`n R^2/\gamma^2`. On data that no
    hyperplane separates it never ends, so ``max_epochs`` caps it. A point on the boundary counts as a
    mistake: with the strict condition :math:`t_i w^\top x_i < 0`, found in some books, zero weights
    would never change.

    Args:
        mode: ``"stochastic"`` (one sample at a time) or ``"batch"`` (all mistakes of a pass at once).
        lr: Step :math:`\eta`; from zero weights it only scales the result.
        max_epochs: Passes over the data after which learning stops.
        shuffle: Whether each stochastic pass visits the samples in a new random order.
        fit_intercept: Whether to learn an intercept.
        record: Whether ``fit`` keeps ``weights_path_`` and computes margin and bound, which costs a
            quadratic program; turn it off for large data.
        seed: Of the shuffling.

    Attributes:
        coef_: Weights, shape ``(1, d)``; ``intercept_`` has shape ``(1,)``, ``classes_`` shape ``(2,)``.
        mistakes_: Number of mistakes made.
        mistake_log_: Epoch and sample of each mistake, shape ``(mistakes_, 2)``.
        converged_: Whether a whole pass went without a mistake.
        n_iter_: Passes made.
        weights_path_: Weights (intercept last) at the start and after each update, if recorded.
        radius_: :math:`R`, if recorded.
        margin_: :math:`\gamma`, if recorded; zero where no hyperplane separates the classes.
        novikoff_bound_: Bound on the mistakes, if recorded; infinite where the margin is zero.

    Example:
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> model = Perceptron().fit(corners, ["no", "yes", "yes", "yes"])
        >>> model.predict(corners).tolist(), model.mistakes_ <= model.novikoff_bound_
        (['no', 'yes', 'yes', 'yes'], True)

    Reference:
        Rosenblatt, The perceptron, 1958; Novikoff, On convergence proofs on perceptrons, 1962.
    """

    mode: str = "stochastic"
    lr: float = 1.0
    max_epochs: int = 1000
    shuffle: bool = False
    fit_intercept: bool = True
    record: bool = True
    seed: int = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from zero weights until a pass makes no mistake or ``max_epochs`` passes are made."""
        choose("Perceptron", "mode", self.mode, ["stochastic", "batch"])
        self._check_step(self.lr, self.max_epochs)
        inputs, targets = self._prepare(X, y)
        weights = np.zeros(inputs.shape[1])
        path = [weights.copy()] if self.record else None
        log: list[tuple[int, int]] = []
        rng = np.random.default_rng(self.seed)
        self.converged_ = False
        for epoch in range(self.max_epochs):
            wrong = self._pass(weights, inputs, targets, path, rng)
            log += [(epoch, sample) for sample in wrong]
            self.converged_ = not wrong
            if self.converged_:
                break
        self.n_iter_ = epoch + 1
        self._keep_log(log)
        self._keep(weights)
        if path is not None:
            self._measure(inputs, targets, path)
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Make one more pass over these samples from the present weights.

        Args:
            X: Samples, shape ``(n, d)``.
            y: Labels.
            classes: Both labels; needed at the first call unless ``y`` holds both.
        """
        choose("Perceptron", "mode", self.mode, ["stochastic", "batch"])
        self._check_step(self.lr, self.max_epochs)
        first = not hasattr(self, "coef_")
        inputs, targets = self._prepare(X, y, classes=classes, reset=first)
        if first:
            self._keep(np.zeros(inputs.shape[1]))
            self._keep_log([])
            self.n_iter_ = 0
        weights = np.concatenate([self.coef_[0], self.intercept_[: int(self.fit_intercept)]])
        rng = np.random.default_rng([self.seed, self.n_iter_])
        wrong = self._pass(weights, inputs, targets, None, rng)
        log = [tuple(row) for row in self.mistake_log_.tolist()]
        self._keep_log(log + [(self.n_iter_, sample) for sample in wrong])
        self.converged_ = not wrong
        self.n_iter_ += 1
        self._keep(weights)
        return self

    def _pass(
        self,
        weights: Array,
        inputs: Array,
        targets: Array,
        path: list[Array] | None,
        rng: np.random.Generator,
    ) -> list[int]:
        """Make one pass, change the weights in place and return the samples misclassified on the way."""
        if self.mode == "batch":
            wrong = np.flatnonzero(_is_mistake(inputs @ weights, targets))
            weights += self.lr * (targets[wrong] @ inputs[wrong])
            if path is not None and len(wrong):
                path.append(weights.copy())
            return list(wrong.tolist())
        order = rng.permutation(len(inputs)) if self.shuffle else np.arange(len(inputs))
        mistakes = []
        for place in correct_mistakes(
            weights, inputs[order], targets[order], lr=self.lr, is_mistake=_is_mistake
        ):
            mistakes.append(int(order[place]))
            if path is not None:
                path.append(weights.copy())
        return mistakes

    def _keep_log(self, log: list[Any]) -> None:
        self.mistake_log_ = np.array(log, dtype=int).reshape(-1, 2)
        self.mistakes_ = len(log)

    def _measure(self, inputs: Array, targets: Array, path: list[Array]) -> None:
        rows = targets[:, None] * inputs
        separable = self.converged_ or halfspace(rows) is not None
        self.weights_path_ = np.array(path)
        self.radius_ = float(np.linalg.norm(inputs, axis=1).max())
        self.margin_ = maximal_margin(rows)[1] if separable else 0.0
        ratio = (self.radius_ / self.margin_) ** 2 if separable else float("inf")
        self.novikoff_bound_ = ratio * (len(inputs) if self.mode == "batch" else 1)


def _is_mistake(activations: Array, targets: Array) -> NDArray[np.bool_]:
    return np.asarray(targets * activations <= 0)
