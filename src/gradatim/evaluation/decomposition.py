r"""Where the error of a model comes from.

.. math:: \mathbb E[(y - \hat f(x))^2] = \underbrace{(\mathbb E\hat f(x) - f(x))^2}_{\text{bias}^2}
    + \underbrace{\operatorname{Var}\hat f(x)}_{\text{variance}} + \underbrace{\sigma^2}_{\text{noise}}
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradatim.errors import InvalidValue
from gradatim.evaluation.fold_fitting import fit_all

Sample = Callable[[np.random.Generator], tuple[Any, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance:
    """The parts of the expected squared error at test points, averaged over them where one number is asked.

    Args:
        bias2: Squared bias at every test point.
        variance: Variance of the prediction at every test point.
        noise: Variance of the noise.
        error: Expected squared error at every test point, from the predictions directly.
        measured: Squared error against fresh noisy targets, averaged over everything.
        predictions: Of every fit, shape ``(repeats, points)``.
    """

    bias2: NDArray[np.float64]
    variance: NDArray[np.float64]
    noise: float
    error: NDArray[np.float64]
    measured: float
    predictions: NDArray[np.float64]

    @property
    def means(self) -> dict[str, float]:
        """Bias², variance, noise and error, averaged over the test points."""
        return {
            "bias²": float(self.bias2.mean()),
            "variance": float(self.variance.mean()),
            "noise": self.noise,
            "error": float(self.error.mean()),
        }

    def __repr__(self) -> str:
        m = self.means
        return (
            f"BiasVariance(bias² {m['bias²']:.3g} + variance {m['variance']:.3g} + noise {m['noise']:.3g} "
            f"= error {m['error']:.3g}, measured {self.measured:.3g})"
        )


def bias_variance(
    model: Any,
    sample: Sample,
    X: Any,
    truth: Any,
    *,
    noise: float,
    repeats: int = 100,
    seed: int = 0,
) -> BiasVariance:
    """Refit on ``repeats`` training sets and take the error apart.

    Args:
        model: A scikit-learn regressor; networks train as one computation.
        sample: Draws a training set ``(X, y)`` from a generator.
        X: Test points.
        truth: The noiseless function at the test points.
        noise: Variance of the noise on ``y``.
        repeats: Training sets.
        seed: Fixes all of them.

    Example:
        >>> from sklearn.dummy import DummyRegressor
        >>> draw = lambda rng: (np.zeros((4, 1)), rng.normal(size=4))
        >>> result = bias_variance(DummyRegressor(), draw, np.zeros((1, 1)), [2.0], noise=1.0, repeats=2000)
        >>> abs(result.means["variance"] - 1 / 4) < 0.02, abs(result.means["bias²"] - 4) < 0.1
        (True, True)
    """
    if repeats < 2:
        raise InvalidValue(f"bias_variance: repeats must be at least 2, got {repeats}. Try 100.")
    if noise < 0:
        raise InvalidValue(f"bias_variance: noise must be a variance, at least 0, got {noise}.")
    rng = np.random.default_rng(seed)
    parts = [sample(rng) for _ in range(repeats)]
    truth = np.asarray(truth, dtype=float)
    models = fit_all([model] * repeats, parts)
    predictions = np.stack([np.asarray(m.predict(X), dtype=float) for m in models])
    fresh = truth + np.sqrt(noise) * rng.normal(size=predictions.shape)
    return BiasVariance(
        bias2=(predictions.mean(0) - truth) ** 2,
        variance=predictions.var(0),
        noise=float(noise),
        error=((predictions - truth) ** 2).mean(0) + noise,
        measured=float(((predictions - fresh) ** 2).mean()),
        predictions=predictions,
    )
