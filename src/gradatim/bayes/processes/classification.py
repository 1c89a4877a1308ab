r"""Gaussian-process classification by Laplace's approximation.

A logistic function of a process says which class; the posterior of the process is taken for the Gaussian at its mode,
:math:`N(\hat f, (K^{-1}+W)^{-1})` with :math:`W=\pi(1-\pi)`. Several classes are told one against the rest.

Reference:
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, algorithms 3.1, 3.2 and 5.1.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor
from torch.nn.functional import logsigmoid

from gradatim.bayes.processes.evidence import maximize
from gradatim.bayes.processes.inputs import as_tensor
from gradatim.bayes.processes.kernel import Kernel
from gradatim.bayes.processes.regression import default_kernel
from gradatim.errors import require, require_seed, require_whole

Array = NDArray[np.float64]
MOST, ENOUGH, NODES = 100, 1e-10, 32  # Newton steps, their gain, nodes of the mean over the process


class Mode(NamedTuple):
    """The mode of a posterior: evidence, slope of the likelihood there, root of W, factor of :math:`I+W^{1/2}KW^{1/2}`."""

    evidence: Tensor
    slope: Tensor
    root: Tensor
    factor: Tensor
    K: Tensor
    probability: Tensor


def find_mode(K: Tensor, t: Tensor) -> Mode:
    """Newton's method for the mode of the posterior, from 0.

    Args:
        K: Covariance of the rows, shape ``(N, N)``.
        t: Classes, -1 and 1, shape ``(N,)``.
    """
    f, best = torch.zeros_like(t), torch.tensor(-torch.inf)
    eye = torch.eye(len(t)).to(K)
    for _ in range(MOST):
        probability = torch.sigmoid(f)
        root = (probability * (1 - probability)).sqrt()
        factor = torch.linalg.cholesky(eye + root[:, None] * K * root)
        slope = (t + 1) / 2 - probability
        b = root.square() * f + slope
        a = b - root * torch.cholesky_solve((root * (K @ b))[:, None], factor)[:, 0]
        f = K @ a
        value = logsigmoid(t * f).sum() - a @ f / 2
        if value - best < ENOUGH:
            break
        best = value
    evidence = value - factor.diagonal().log().sum()
    return Mode(evidence, a, root, factor, K, torch.sigmoid(f))


def mode_gradient(kernel: Kernel, X: Tensor, mode: Mode) -> Tensor:
    """The gradient of the evidence by the kernel's ``theta``, the mode's own movement included."""
    inner = torch.cholesky_inverse(mode.factor)
    R = mode.root[:, None] * inner * mode.root
    C = torch.linalg.solve_triangular(mode.factor, mode.root[:, None] * mode.K, upper=False)
    p = mode.probability
    third = p * (1 - p) * (2 * p - 1)  # of the log-likelihood
    by_mode = (mode.K.diagonal() - C.square().sum(0)) * third / 2
    moved = by_mode - R @ (mode.K @ by_mode)
    weights = (torch.outer(mode.slope, mode.slope) - R) / 2 + torch.outer(moved, mode.slope)
    return kernel.pullback(weights, X)


@dataclass(eq=False, repr=False)
class GaussianProcessClassifier(ClassifierMixin, BaseEstimator):
    """A Gaussian process that tells classes apart, as a scikit-learn estimator.

    Args:
        kernel: Covariance; by default an :class:`RBF` with one length for each column.
        optimize: Whether to learn the kernel's parameters.
        restarts: Further starts of the search, drawn around the first.
        max_steps: Most steps of the search from each start.
        seed: Of the starts.

    Attributes:
        classes_: The classes.
        kernels_: Covariance of each class against the rest; of the second one only where there are two.
        log_marginal_likelihood_: Sum of the logarithms of their evidence, as approximated.

    Example:
        >>> X = np.linspace(-3, 3, 30)[:, None]
        >>> process = GaussianProcessClassifier(restarts=0).fit(X, np.abs(X[:, 0]) < 1.5)
        >>> process.predict([[0.0], [2.5]])
        array([ True, False])
    """

    kernel: Kernel | None = None
    _: KW_ONLY
    optimize: bool = True
    restarts: int = 1
    max_steps: int = 200
    seed: int = 0

    def fit(self, X: ArrayLike, y: ArrayLike) -> "GaussianProcessClassifier":
        """Learn from rows ``X``, shape ``(N, d)``, and classes ``y``, shape ``(N,)``."""
        owner = type(self).__name__
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        require_seed(owner, self.seed)
        require_whole(owner, max_steps=self.max_steps)
        require(self.restarts >= 0, f"{owner}: restarts must be at least 0", self.restarts)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        rule, got = f"{owner}: y must have at least two classes", f"one class: {self.classes_[0]}"
        require(len(self.classes_) >= 2, rule, got, "There is nothing to tell apart.")
        self._X = as_tensor(rows)
        kernel = default_kernel(self._X) if self.kernel is None else self.kernel.for_columns(rows.shape[1])  # fmt: skip
        told = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = [torch.from_numpy(np.where(codes == k, 1.0, -1.0)) for k in told]
        self.kernels_ = [self._learn(kernel, t) if self.optimize else kernel for t in signs]
        self._modes = [find_mode(k(self._X), t) for k, t in zip(self.kernels_, signs, strict=True)]
        self.log_marginal_likelihood_ = sum(mode.evidence.item() for mode in self._modes)
        return self

    def _learn(self, kernel: Kernel, t: Tensor) -> Kernel:
        def objective(theta: Array) -> tuple[float, Array]:
            there = kernel.replace(torch.from_numpy(theta))
            mode = find_mode(there(self._X), t)
            return -mode.evidence.item(), -mode_gradient(there, self._X, mode).numpy()

        first = kernel.theta.numpy()
        drawn = np.random.default_rng(self.seed).normal(size=(self.restarts, len(first)))
        starts = [first, *(first + drawn)]
        return kernel.replace(torch.from_numpy(maximize(objective, starts, self.max_steps)))

    def predict_proba(self, X: ArrayLike) -> Array:
        """Probabilities of the classes, the logistic function averaged over the process, shape ``(M, C)``."""
        check_is_fitted(self)
        new = as_tensor(validate_data(self, X, dtype=np.float64, reset=False))
        told = torch.stack([self._probability(new, kernel, mode) for kernel, mode in zip(self.kernels_, self._modes, strict=True)], 1)  # fmt: skip
        if told.shape[1] == 1:
            return torch.cat([1 - told, told], 1).numpy()
        return (told / told.sum(1, keepdim=True)).numpy()

    def _probability(self, new: Tensor, kernel: Kernel, mode: Mode) -> Tensor:
        between = kernel(self._X, new)  # (N, M)
        solved = torch.linalg.solve_triangular(mode.factor, mode.root[:, None] * between, upper=False)  # fmt: skip
        std = (kernel.diagonal(new) - solved.square().sum(0)).clamp_min(0).sqrt()
        nodes, weights = map(torch.from_numpy, np.polynomial.hermite_e.hermegauss(NODES))
        values = torch.sigmoid((between.T @ mode.slope)[:, None] + std[:, None] * nodes)
        return values @ weights / weights.sum()

    def predict(self, X: ArrayLike) -> NDArray[np.generic]:
        """The likeliest class of every row of ``X``."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(1)]
