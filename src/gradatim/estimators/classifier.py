"""Networks that tell classes apart."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from gradatim.errors import require
from gradatim.estimators.neural import NeuralEstimator, plain
from gradatim.training.row_weights import class_factors


@dataclass(eq=False, repr=False)
class NeuralClassifier(ClassifierMixin, NeuralEstimator):
    """A multi-layer perceptron for classification, as a scikit-learn estimator.

    Args:
        hidden: Widths of the hidden layers.
        activation: Name of the activation.
        dropout: Probability to drop a hidden unit.
        norm: Normalization of the hidden layers, as in :class:`~gradatim.models.MLP`.
        loss: Name, ``"cross_entropy"``, ``"smoothed_cross_entropy"`` or ``"focal"`` (for :class:`NeuralRegressor` ``"mse"``,
            ``"mae"`` or ``"huber"``), or a function ``(output, target) -> scalar``, such as
            ``partial(huber, delta=0.1)``, of outputs and class numbers or scaled targets.
        weight_decay: Penalty on weights.
        lr: Initial step size; by default the optimizer's own.
        clip_norm: Largest norm of the gradient.
        clip_value: Largest absolute value of an entry of the gradient; applied before ``clip_norm``.
        batch_size: Rows per step.
        epochs: Passes over the data, at most.
        optimizer: Name of the optimizer.
        schedule: Name of the learning-rate schedule.
        early_stopping: Hold out ``validation_fraction`` of the rows and keep the best epoch.
        patience: Epochs without improvement before stopping.
        validation_fraction: Share of rows held out for early stopping.
        standardize: Scale every feature to mean 0 and variance 1.
        members: Networks trained from different starts, whose predictions are averaged.
        seed: Fixes all randomness.
        random_state: scikit-learn's spelling of ``seed``; only one of the two is given.
        device: ``"auto"`` takes an accelerator when there is one.
        progress: Whether to show a bar on a terminal.
        class_weight: ``"balanced"`` gives every class the same total weight, a mapping gives each its factor; it multiplies
            the ``sample_weight`` of :meth:`fit`.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> NeuralClassifier((16,), epochs=30, lr=0.01).fit(X, y).score(X, y) > 0.95
        True
    """

    _: KW_ONLY
    class_weight: str | Mapping[Any, float] | None = None

    _losses: ClassVar[tuple[str, ...]] = ("cross_entropy", "smoothed_cross_entropy", "focal")

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        return rows, column_or_1d(labels, warn=True)

    def _weigh(self, target: NDArray[Any], weight: NDArray[Any] | None) -> NDArray[Any] | None:
        if self.class_weight is None:
            return weight
        names = self.classes_.tolist()
        factors = class_factors(self._name, self.class_weight, target, weight, names)[target]
        return factors if weight is None else factors * weight

    def _encode(
        self, y: NDArray[Any], weight: NDArray[Any] | None
    ) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        self.classes_, codes = np.unique(y, return_inverse=True)
        rule = f"{self._name}: y must have at least two classes"
        got = f"one class: {self.classes_[0]!r}"
        require(len(self.classes_) >= 2, rule, got, "There is nothing to tell apart.")
        return codes, len(self.classes_), codes

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities, averaged over members, shape ``(N, classes)``."""
        return self._outputs(X).softmax(-1).mean(0).numpy()

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of every row."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(1)]

    def _description(self) -> dict[str, Any]:
        return {"classes": plain(self.classes_), "classes_dtype": self.classes_.dtype.str}
