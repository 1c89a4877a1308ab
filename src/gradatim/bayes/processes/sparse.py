r"""Gaussian-process regression for many rows, through a few inducing points.

The rows are told apart from a process that knows only its values :math:`u` at :math:`m` points :math:`Z`, and what that loses is
subtracted (Titsias), so that the bound can only be too low:

.. math:: \log p(y) \ge \log N(y\mid 0,\,Q+\sigma^2I)-\frac{\mathrm{tr}(K-Q)}{2\sigma^2}, \qquad Q=K_{fu}K_{uu}^{-1}K_{uf}

All :math:`N` rows enter through :math:`S=K_{uf}K_{fu}`, :math:`b=K_{uf}y`, :math:`\mathrm{tr}K` and :math:`y^\top y` only. Autograd sees
these small matrices; the rest of the chain is :meth:`Kernel.pullback`, a chunk of rows at a time.

Reference:
    Titsias, Variational Learning of Inducing Variables in Sparse Gaussian Processes, 2009; Burt et al., Rates of Convergence
    for Sparse Variational Gaussian Process Regression, 2019 (the choice of points).
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from gradatim.bayes.processes.evidence import BOUND
from gradatim.bayes.processes.inputs import as_tensor
from gradatim.bayes.processes.kernel import Kernel
from gradatim.bayes.processes.regression import NOISE, default_kernel
from gradatim.errors import require, require_whole

CHUNK = 8192  # rows at a time
JITTER = 1e-8  # times the mean variance, on the covariance of the inducing points


class Sums(NamedTuple):
    """What a process with inducing points keeps of all rows."""

    products: Tensor
    targets: Tensor
    variances: Tensor
    squares: Tensor


@dataclass(eq=False, repr=False)
class SparseGaussianProcessRegressor(RegressorMixin, BaseEstimator):
    """A Gaussian process through inducing points, whose cost grows as the number of rows, as a scikit-learn estimator.

    Args:
        kernel: Covariance; by default an :class:`RBF` with one length for each column.
        num_inducing: Inducing points :math:`m`, rows chosen one after another where the others say least.
        noise: Variance of the noise, kept as it is; learned by default.
        optimize: Whether to learn the kernel's parameters.
        max_steps: Most steps of the search.
        normalize_y: Whether to scale targets to mean 0 and variance 1; otherwise the process has mean 0.

    Attributes:
        kernel_: Covariance, learned.
        noise_: Variance of the noise, in units of the scaled targets.
        inducing_: The inducing points, shape ``(m, d)``.
        bound_: Lower bound of the logarithm of the evidence.

    Example:
        >>> X = np.linspace(0, 6, 500)[:, None]
        >>> process = SparseGaussianProcessRegressor(num_inducing=20).fit(X, np.sin(X[:, 0]))
        >>> bool(abs(process.predict([[1.5]])[0] - np.sin(1.5)) < 0.01)
        True
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    num_inducing: int = 256
    noise: float | None = None
    optimize: bool = True
    max_steps: int = 50
    normalize_y: bool = False

    def fit(self, X: ArrayLike, y: ArrayLike) -> "SparseGaussianProcessRegressor":
        """Learn from rows ``X``, shape ``(N, d)``, and targets ``y``, shape ``(N,)``."""
        owner = type(self).__name__
        rows, given = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        require_whole(owner, num_inducing=self.num_inducing, max_steps=self.max_steps)
        is_noise = self.noise is None or 0 < self.noise < math.inf
        require(is_noise, f"{owner}: noise must be a positive variance", self.noise, "Try noise=0.01.")  # fmt: skip
        X_, y_ = as_tensor(rows), as_tensor(given)
        self._shift = y_.mean().item() if self.normalize_y else 0.0
        self._scale = (y_.std(correction=0).item() or 1.0) if self.normalize_y else 1.0
        y_ = (y_ - self._shift) / self._scale
        kernel = default_kernel(X_) if self.kernel is None else self.kernel.for_columns(rows.shape[1])  # fmt: skip
        noise = (NOISE * y_.square().mean().item() or NOISE) if self.noise is None else self.noise / self._scale**2  # fmt: skip
        self.inducing_ = choose_inducing(kernel, X_, self.num_inducing).numpy()
        self._Z = torch.from_numpy(self.inducing_)
        self.kernel_, self.noise_ = self._learn(kernel, noise, X_, y_) if self.optimize else (kernel, noise)  # fmt: skip
        self._condition(X_, y_)
        return self

    def _learn(self, kernel: Kernel, noise: float, X: Tensor, y: Tensor) -> tuple[Kernel, float]:
        is_free = self.noise is None

        def objective(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            point = torch.from_numpy(theta)
            level = point[-1].exp() if is_free else torch.tensor(noise).double()
            there = kernel.replace(point[: len(point) - is_free])
            value, gradient = bound_and_gradient(there, level, self._Z, X, y)
            if not math.isfinite(value):
                return 1e100, np.zeros_like(theta)
            return -value, -gradient[: len(theta)].numpy()

        first = torch.cat([kernel.theta, torch.tensor([noise]).double().log()])[: None if is_free else -1].numpy()  # fmt: skip
        bounds = [(value - BOUND, value + BOUND) for value in first]
        found = minimize(objective, first, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": self.max_steps})  # fmt: skip
        best = torch.from_numpy(found.x)
        return kernel.replace(best[: len(best) - is_free]), best[-1].exp().item() if is_free else noise  # fmt: skip

    def _condition(self, X: Tensor, y: Tensor) -> None:
        """Keep what predictions need: the factors of :math:`K_{uu}` and of :math:`K_{uu}+S/σ²`, and the mean at the points."""
        sums, noise = _sums(self.kernel_, self._Z, X, y), torch.tensor(self.noise_).double()
        Kuu = _inducing_covariance(self.kernel_, self._Z)
        self.bound_ = _bound(Kuu, sums, noise, len(y)).item() - len(y) * math.log(self._scale)
        self._factor = torch.linalg.cholesky(Kuu)
        self._posterior = torch.linalg.cholesky(Kuu + sums.products / noise)
        self._weights = torch.cholesky_solve(sums.targets[:, None], self._posterior)[:, 0] / noise

    def predict(self, X: ArrayLike, *, return_std: bool = False) -> Any:
        """Means of the function at rows ``X``, and with ``return_std`` its standard deviations, without the noise.

        Args:
            X: Rows, shape ``(M, d)``.
            return_std: Whether to return standard deviations too.
        """
        check_is_fitted(self)
        new = as_tensor(validate_data(self, X, dtype=np.float64, reset=False))
        parts = [self._predict(chunk) for chunk in new.split(CHUNK)]
        mean, std = (torch.cat(column).numpy() for column in zip(*parts, strict=True))
        return (mean, std) if return_std else mean

    def _predict(self, new: Tensor) -> tuple[Tensor, Tensor]:
        Kus = self.kernel_(self._Z, new)
        known, left = (torch.linalg.solve_triangular(f, Kus, upper=False).square().sum(0) for f in (self._factor, self._posterior))  # fmt: skip
        variance = (self.kernel_.diagonal(new) - known + left).clamp_min(0)
        return self._shift + self._scale * (Kus.T @ self._weights), self._scale * variance.sqrt()


def choose_inducing(kernel: Kernel, X: Tensor, count: int) -> Tensor:
    """Rows that say most: each the one of which those before it say least (pivoted Cholesky).

    Args:
        kernel: Covariance.
        X: Rows, shape ``(N, d)``.
        count: How many, at most; fewer where all others are known.

    Returns:
        Rows, shape ``(m, d)``.

    Example:
        >>> from gradatim.bayes import RBF
        >>> X = torch.tensor([[0.0], [0.1], [5.0]]).double()
        >>> choose_inducing(RBF(), X, 2).flatten()
        tensor([0., 5.], dtype=torch.float64)
    """
    left = kernel.diagonal(X).clone()
    least = JITTER * left.max().item()
    rows, chosen = X.new_empty(min(count, len(X)), len(X)), list[int]()
    for k in range(min(count, len(X))):
        at = int(left.argmax())
        if left[at] <= least and k:
            break
        row = kernel(X[at : at + 1], X)[0] - rows[:k, at] @ rows[:k]
        rows[k] = row / left[at].sqrt()
        left -= rows[k].square()
        left[at] = 0
        chosen.append(at)
    return X[chosen]


def _inducing_covariance(kernel: Kernel, Z: Tensor) -> Tensor:
    # between two sets: observations' own noise, which White() is, is no part of the function
    return kernel(Z, Z) + JITTER * kernel.diagonal(Z).mean() * torch.eye(len(Z)).to(Z)


def _sums(kernel: Kernel, Z: Tensor, X: Tensor, y: Tensor) -> Sums:
    products, targets = Z.new_zeros(len(Z), len(Z)), Z.new_zeros(len(Z))
    for rows, values in zip(X.split(CHUNK), y.split(CHUNK), strict=True):
        Kuf = kernel(Z, rows)
        products.addmm_(Kuf, Kuf.T)
        targets += Kuf @ values
    return Sums(products, targets, kernel.diagonal(X).sum(), y @ y)


def _bound(Kuu: Tensor, sums: Sums, noise: Tensor, count: int) -> Tensor:
    """Titsias' bound, from small matrices only."""
    L = torch.linalg.cholesky(Kuu)
    half = torch.linalg.solve_triangular(L, sums.products, upper=False)
    A = torch.linalg.solve_triangular(L, half.T, upper=False)  # L⁻¹ S L⁻ᵀ
    B = torch.eye(len(A)).to(A) + A / noise
    LB = torch.linalg.cholesky(B)
    white = torch.linalg.solve_triangular(L, sums.targets[:, None], upper=False)
    fitted = torch.linalg.solve_triangular(LB, white, upper=False).square().sum() / noise
    quadratic = (sums.squares - fitted) / noise
    lost = (sums.variances - A.trace()) / noise
    logs = 2 * LB.diagonal().log().sum() + count * torch.log(2 * math.pi * noise)
    return -(logs + quadratic + lost) / 2


def bound_and_gradient(
    kernel: Kernel, noise: Tensor, Z: Tensor, X: Tensor, y: Tensor
) -> tuple[float, Tensor]:
    """The bound and its gradient by the kernel's ``theta`` and, last, by the logarithm of the noise.

    Args:
        kernel: Covariance.
        noise: Variance of the noise.
        Z: Inducing points, shape ``(m, d)``.
        X: Inputs, shape ``(N, d)``.
        y: Targets, shape ``(N,)``.
    """
    sums, Kuu = _sums(kernel, Z, X, y), _inducing_covariance(kernel, Z)
    small = [tensor.detach().requires_grad_() for tensor in (Kuu, *sums[:3], noise.log())]
    try:
        with torch.enable_grad():
            value = _bound(
                small[0], Sums(small[1], small[2], small[3], sums.squares), small[4].exp(), len(y)
            )
            by_uu, by_products, by_targets, by_variances, by_noise = torch.autograd.grad(value, small)  # fmt: skip
    except torch.linalg.LinAlgError:  # rounding has the word here
        return -math.inf, torch.zeros(0)
    theta = kernel.pullback(by_uu, Z, Z)
    jitter = JITTER * by_uu.trace() / len(Z)
    theta = theta + kernel.pullback_diagonal(jitter.expand(len(Z)), Z)
    theta = theta + kernel.pullback_diagonal(by_variances.expand(len(X)), X)
    both = by_products + by_products.T
    for rows, values in zip(X.split(CHUNK), y.split(CHUNK), strict=True):
        Kuf, pullback = kernel.with_pullback(Z, rows)
        theta = theta + pullback(torch.addmm(by_targets[:, None] * values, both, Kuf))
    return value.item(), torch.cat([theta, by_noise[None]])
