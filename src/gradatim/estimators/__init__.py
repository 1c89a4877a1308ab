"""Networks with scikit-learn's face: ``fit``, ``predict``, ``score``, pipelines, grids."""

from gradatim.estimators.classifier import NeuralClassifier
from gradatim.estimators.regressor import NeuralRegressor

__all__ = ["NeuralClassifier", "NeuralRegressor"]
