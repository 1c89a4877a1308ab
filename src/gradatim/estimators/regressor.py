"""Networks that predict numbers."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d, validate_data

from gradatim.estimators.neural import NeuralEstimator, plain, spread


class NeuralRegressor(RegressorMixin, NeuralEstimator):
    """A multi-layer perceptron for regression, as a scikit-learn estimator.

    The arguments are those of :class:`NeuralClassifier`. With ``standardize`` the target is scaled too, and
    predictions are scaled back.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> NeuralRegressor((16,), epochs=20, lr=0.01).fit(X, y).score(X, y) > 0.5
        True
    """

    _losses: ClassVar[tuple[str, ...]] = ("mse", "mae", "huber")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _validate(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, target = validate_data(
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
        )
        is_matrix = target.ndim == 2 and target.shape[1] > 1
        return rows, target if is_matrix else column_or_1d(target, warn=True)

    def _encode(
        self, y: NDArray[Any], weight: NDArray[Any] | None
    ) -> tuple[NDArray[Any], int, NDArray[Any] | None]:
        self.is_multi_output_ = y.ndim == 2
        y = y.reshape(len(y), -1).astype(np.float64)
        self.target_mean_, self.target_scale_ = spread(y, self.standardize, weight)
        scaled = (y - self.target_mean_) / self.target_scale_
        return scaled.astype(np.float32), y.shape[1], None

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return predictions, averaged over members, shape ``(N,)`` or ``(N, outputs)``."""
        scaled = self._outputs(X).mean(0).numpy()
        values = scaled * self.target_scale_ + self.target_mean_
        return values if self.is_multi_output_ else values[:, 0]

    def _description(self) -> dict[str, Any]:
        return {
            "target_mean": plain(self.target_mean_),
            "target_scale": plain(self.target_scale_),
            "is_multi_output": self.is_multi_output_,
        }
