"""Gaussian-process regression, exactly."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from gradatim.bayes.processes.cholesky import inverse_triangle, safe_cholesky, say_jitter
from gradatim.bayes.processes.evidence import evidence_gradient, log_evidence, maximize
from gradatim.bayes.processes.inputs import as_tensor
from gradatim.bayes.processes.kernel import Kernel
from gradatim.bayes.processes.stationary import RBF
from gradatim.errors import InvalidValue, require, require_seed, require_whole

Array = NDArray[np.float64]
NOISE = 0.1  # share of the targets' variance that noise has at the start


class LeaveOneOut(NamedTuple):
    """What each row would have been told by all others: means and variances, with the noise."""

    means: Array
    variances: Array


def default_kernel(X: Tensor) -> Kernel:
    """A Gaussian kernel with one length for each column, which begins at the spread of the column."""
    spread = X.std(0, correction=0) * math.sqrt(X.shape[1])
    return RBF(length=tuple(spread.where(spread > 0, torch.ones_like(spread)).tolist()))


@dataclass(eq=False, repr=False)
class GaussianProcessRegressor(RegressorMixin, BaseEstimator):
    r"""A Gaussian process that has seen data, as a scikit-learn estimator.

    .. math::
        f\mid y \sim N\bigl(k_*^\top(K+\sigma^2I)^{-1}y,\; k_{**}-k_*^\top(K+\sigma^2I)^{-1}k_*\bigr)

    Lengths, variances and noise are those of the largest evidence :math:`p(y)`, found by quasi-Newton steps whose gradient is
    had in closed form from the same Cholesky factor. Costs grow as :math:`N^3`; see
    :class:`SparseGaussianProcessRegressor` for more rows than some thousands.

    Args:
        kernel: Covariance; by default an :class:`RBF` with one length for each column.
        noise: Variance :math:`\sigma^2` of the noise, kept as it is; learned by default.
        optimize: Whether to learn the kernel's parameters.
        restarts: Further starts of the search, drawn around the first.
        max_steps: Most steps of the search from each start.
        normalize_y: Whether to scale targets to mean 0 and variance 1; otherwise the process has mean 0.
        seed: Of the starts.

    Attributes:
        kernel_: Covariance, learned.
        noise_: Variance of the noise, in units of the scaled targets.
        log_marginal_likelihood_: :math:`\log p(y)`.
        jitter_: What was added to the variances for the sake of rounding.

    Example:
        >>> X = np.linspace(0, 6, 12)[:, None]
        >>> process = GaussianProcessRegressor(seed=0).fit(X, np.sin(X[:, 0]))
        >>> mean, std = process.predict([[1.5], [30.0]], return_std=True)
        >>> bool(abs(mean[0] - np.sin(1.5)) < 0.01), bool(std[1] > 20 * std[0])
        (True, True)

    Reference:
        Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1.
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    noise: float | None = None
    optimize: bool = True
    restarts: int = 3
    max_steps: int = 200
    normalize_y: bool = False
    seed: int = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> "GaussianProcessRegressor":
        """Learn from rows ``X``, shape ``(N, d)``, and targets ``y``, shape ``(N,)``."""
        owner = type(self).__name__
        rows, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self._check(owner)
        self._X, given = as_tensor(rows), as_tensor(targets)
        if given.ndim != 1:
            raise InvalidValue(f"{owner}: y must have shape (N,), got {tuple(given.shape)}.")
        self._shift, self._scale = self._scaling(given)
        self._y = (given - self._shift) / self._scale
        kernel = default_kernel(self._X) if self.kernel is None else self.kernel.for_columns(rows.shape[1])  # fmt: skip
        variance = self._y.square().mean().item()
        noise = NOISE * variance if self.noise is None else self.noise / self._scale**2
        noise = noise if noise > 0 or self.noise is not None else NOISE
        self.kernel_, self.noise_ = self._learn(kernel, noise) if self.optimize else (kernel, noise)
        found = log_evidence(self.kernel_, self.noise_, self._X, self._y, owner)
        self._factor, self._alpha, self.jitter_ = found.factor, found.alpha, found.jitter
        self.log_marginal_likelihood_ = found.value.item() - len(self._y) * math.log(self._scale)
        say_jitter(owner, self.jitter_)
        return self

    def _check(self, owner: str) -> None:
        require_seed(owner, self.seed)
        require_whole(owner, max_steps=self.max_steps)
        is_noise = self.noise is None or 0 <= self.noise < math.inf
        require(is_noise, f"{owner}: noise must be a variance, at least 0", self.noise, "Try noise=0.01.")  # fmt: skip
        require(self.restarts >= 0, f"{owner}: restarts must be at least 0", self.restarts)
        is_kernel = self.kernel is None or isinstance(self.kernel, Kernel)
        require(is_kernel, f"{owner}: kernel must be a kernel such as RBF()", repr(self.kernel))

    def _scaling(self, y: Tensor) -> tuple[float, float]:
        if not self.normalize_y:
            return 0.0, 1.0
        return y.mean().item(), y.std(correction=0).item() or 1.0

    def _learn(self, kernel: Kernel, noise: float) -> tuple[Kernel, float]:
        """Kernel and noise of the largest evidence."""
        is_free = self.noise is None

        def objective(theta: Array) -> tuple[float, Array]:
            point = torch.from_numpy(theta)
            there = kernel.replace(point[: len(point) - is_free])
            level = point[-1].exp().item() if is_free else noise
            try:
                found = log_evidence(there, level, self._X, self._y, type(self).__name__)
            except InvalidValue:  # rounding has the word here: nothing good lies this way
                return 1e100, np.zeros_like(theta)
            gradient = evidence_gradient(level, found)
            return -found.value.item(), -gradient[: len(theta)].numpy()

        first = torch.cat([kernel.theta, torch.tensor([noise]).double().log()])[: None if is_free else -1].numpy()  # fmt: skip
        drawn = np.random.default_rng(self.seed).normal(size=(self.restarts, len(first)))
        best = torch.from_numpy(maximize(objective, [first, *(first + drawn)], self.max_steps))
        learned = kernel.replace(best[: len(best) - is_free])
        return learned, best[-1].exp().item() if is_free else noise

    def predict(self, X: ArrayLike, *, return_std: bool = False) -> Any:
        """Means of the function at rows ``X``, and with ``return_std`` its standard deviations, without the noise.

        Args:
            X: Rows, shape ``(M, d)``.
            return_std: Whether to return standard deviations too.
        """
        mean, between, new = self._predict(X)
        answer = (self._shift + self._scale * mean).numpy()
        if not return_std:
            return answer
        solved = torch.linalg.solve_triangular(self._factor, between.T, upper=False)
        variance = (self.kernel_.diagonal(new) - solved.square().sum(0)).clamp_min(0)
        return answer, self._scale * variance.sqrt().numpy()

    def sample_y(self, X: ArrayLike, num_samples: int = 1, *, seed: int = 0) -> Array:
        """Draw functions from the posterior.

        Args:
            X: Rows where, shape ``(M, d)``.
            num_samples: How many functions.
            seed: Of the draws.

        Returns:
            Values, shape ``(M, num_samples)``.
        """
        require_seed("sample_y", seed)
        mean, between, new = self._predict(X)
        solved = torch.linalg.solve_triangular(self._factor, between.T, upper=False)
        factor, _ = safe_cholesky("sample_y", self.kernel_(new) - solved.T @ solved)
        generator = torch.Generator().manual_seed(seed)
        noise = torch.randn(len(new), num_samples, generator=generator, dtype=torch.float64)
        return (self._shift + self._scale * (mean[:, None] + factor @ noise)).numpy()

    def leave_one_out(self) -> LeaveOneOut:
        r"""Predict every row from all others, without fitting again.

        .. math:: \mu_i = y_i-\alpha_i/[K^{-1}]_{ii}, \qquad \sigma_i^2 = 1/[K^{-1}]_{ii}

        with :math:`K` the covariance of the observations, noise included.
        """
        check_is_fitted(self)
        inverse = inverse_triangle(self._factor).diagonal()
        means = self._shift + self._scale * (self._y - self._alpha / inverse)
        return LeaveOneOut(means.numpy(), (self._scale**2 / inverse).numpy())

    def _predict(self, X: ArrayLike) -> tuple[Tensor, Tensor, Tensor]:
        check_is_fitted(self)
        new = as_tensor(validate_data(self, X, dtype=np.float64, reset=False))
        between = self.kernel_(new, self._X)  # (M, N)
        return between @ self._alpha, between, new
