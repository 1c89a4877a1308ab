"""What the binary linear classifiers of this package share: labels, activation, prediction."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gradatim.errors import require

Array = NDArray[np.float64]


class LinearThreshold(ClassifierMixin, BaseEstimator, ABC):
    r"""A binary classifier that predicts its second class where :math:`w^\top x + b > 0`."""

    fit_intercept: bool

    @abstractmethod
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from samples ``X`` of shape ``(n, d)`` and labels ``y`` of two values."""

    def decision_function(self, X: ArrayLike) -> Array:
        r"""The activation :math:`a = w^\top x + b`, shape ``(n,)``."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray((rows @ self.coef_.T + self.intercept_)[:, 0])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each sample; the first where the activation is exactly zero."""
        fires = self.decision_function(X) > 0
        return np.asarray(self.classes_[fires.astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _prepare(
        self, X: ArrayLike, y: ArrayLike, *, classes: ArrayLike | None = None, reset: bool = True
    ) -> tuple[Array, Array]:
        """Validated inputs, with a column of ones for the intercept, and targets ±1.

        With ``reset`` the classes are learned from ``classes``, or from ``y`` where that is not given.
        """
        rows, labels = validate_data(self, X, y, reset=reset, dtype=np.float64)
        check_classification_targets(labels)
        owner = type(self).__name__
        if reset:
            found = np.unique(labels if classes is None else np.asarray(classes))
            rule = f"{owner}: y must hold two classes"
            got = f"{len(found)} class{'es' * (len(found) != 1)}"
            require(len(found) == 2, rule, got, "Only binary classification is supported.")
            self.classes_ = found
        unknown = np.setdiff1d(labels, self.classes_)
        rule = f"{owner}: y must hold the classes {self.classes_.tolist()}"
        require(not len(unknown), rule, f"also {unknown.tolist()}")
        inputs = np.column_stack([rows, np.ones(len(rows))]) if self.fit_intercept else rows
        return inputs, np.where(labels == self.classes_[1], 1.0, -1.0)

    def _keep(self, weights: Array) -> None:
        """Store the learned weights under scikit-learn's names."""
        d = self.n_features_in_
        self.coef_ = weights[None, :d].copy()
        self.intercept_ = weights[d:].copy() if self.fit_intercept else np.zeros(1)

    def _check_step(self, lr: float, max_epochs: int) -> None:
        owner = type(self).__name__
        require(np.isfinite(lr) and lr > 0, f"{owner}: lr must be positive", lr, "Try lr=0.1.")
        require(max_epochs >= 1, f"{owner}: max_epochs must be at least 1", max_epochs)
