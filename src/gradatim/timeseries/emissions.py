r"""What a hidden state emits: a symbol, or a vector of numbers.

An emission offers the same few operations to the recursions, whatever it emits: check a batch, log-density
under every state, the likelihoods of a step relative to its best state, samples, and the estimate that
maximizes the expected log-likelihood :math:`\sum_n\sum_k\gamma_{nk}\log b_k(y_n)`.
"""

import math
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries.inputs import Array
from gradatim.timeseries.log_recursions import safe_log

Floats = NDArray[np.float64]


class Emission(Protocol):
    """What the recursions ask of an emission of :math:`K` states."""

    def as_batch(self, owner: str, y: Array) -> Tensor:
        """``y`` as ``(B, T)`` or ``(B, T, D)``, its type checked; values are checked by :meth:`check`."""
        ...

    def check(self, owner: str, values: Tensor) -> None:
        """Refuse observations that no state can emit for want of sense."""
        ...

    def log_prob(self, y: Tensor) -> Tensor:
        """Log-density of observations ``(...)`` or ``(..., D)`` under each state, shape ``(..., K)``."""
        ...

    def relative(self, y: Tensor) -> tuple[Floats, Floats]:
        """Likelihoods divided by those of the best state, ``(..., K)``, and the logarithm of the latter."""
        ...

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        """One observation per state."""
        ...

    def maximize(self, y: Tensor, weights: Floats) -> "Emission":
        """The estimate from ``N`` observations with weights ``(N, K)``."""
        ...


class CategoricalEmission:
    r"""State :math:`k` emits symbol :math:`v` with probability :math:`b_k(v)`.

    Args:
        table: :math:`b`, shape ``(K, V)``, rows summing to one.
    """

    def __init__(self, table: Tensor) -> None:
        self.table = table

    def as_batch(self, owner: str, y: Array) -> Tensor:
        symbols = torch.as_tensor(y)
        if symbols.is_floating_point() or symbols.dtype == torch.bool:
            raise InvalidType(
                f"{owner}: y must hold integer symbols, got {symbols.dtype}. Try y.long()."
            )
        symbols = symbols[None] if symbols.ndim == 1 else symbols
        if symbols.ndim != 2 or not symbols.numel():
            raise InvalidValue(
                f"{owner}: y must be (T,) or (B, T) and not empty, got shape {tuple(torch.as_tensor(y).shape)}."
            )
        return symbols.long()

    def check(self, owner: str, values: Tensor) -> None:
        low, high = int(values.min()), int(values.max())
        if low < 0 or high >= self.table.shape[1]:
            raise InvalidValue(
                f"{owner}: y must hold symbols from 0 to {self.table.shape[1] - 1}, "
                f"got {low if low < 0 else high}."
            )

    def log_prob(self, y: Tensor) -> Tensor:
        return safe_log(self.table).T[y]

    def relative(self, y: Tensor) -> tuple[Floats, Floats]:
        table, symbols = self.table.detach().numpy().T, y.numpy()  # (V, K)
        best = table.max(1)
        shares = np.ascontiguousarray(table / np.where(best == 0, 1.0, best)[:, None])
        with np.errstate(divide="ignore"):
            return shares[symbols], np.log(best)[symbols]

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        return torch.multinomial(self.table[states], 1, generator=generator)[:, 0]

    def maximize(self, y: Tensor, weights: Floats) -> "CategoricalEmission":
        size = len(y)
        pointers = np.arange(size + 1, dtype=np.int64)
        shown = csr_matrix((np.ones(size), y.numpy(), pointers), (size, self.table.shape[1]))
        counts = torch.from_numpy(np.ascontiguousarray((shown.T @ weights).T))  # (K, V)
        totals = counts.sum(1, keepdim=True)
        # a state that is never visited keeps what it emits
        return CategoricalEmission(torch.where(totals > 0, counts / totals, self.table))


class GaussianEmission:
    r"""State :math:`k` emits :math:`y\sim N(\mu_k,\Sigma_k)`.

    Args:
        means: :math:`\mu`, shape ``(K, D)``.
        covariances: :math:`\Sigma`, shape ``(K, D, D)``, or ``(K, D)`` for diagonal ones.
        floor: Least variance in any direction that learning may reach.
    """

    def __init__(self, means: Tensor, covariances: Tensor, floor: float) -> None:
        self.means, self.covariances, self.floor = means, covariances, floor

    def as_batch(self, owner: str, y: Array) -> Tensor:
        values, dim = torch.as_tensor(y), self.means.shape[1]
        values = values[None] if values.ndim == 2 else values
        if values.ndim != 3 or values.shape[2] != dim or not values.numel():
            raise InvalidValue(
                f"{owner}: y must be (T, {dim}) or (B, T, {dim}) and not empty, "
                f"got shape {tuple(torch.as_tensor(y).shape)}."
            )
        return values.double()

    def check(self, owner: str, values: Tensor) -> None:
        if not torch.isfinite(values).all():
            raise InvalidValue(
                f"{owner}: y must be finite, got NaN or infinity. Drop or interpolate missing values."
            )

    def log_prob(self, y: Tensor) -> Tensor:
        away = y[..., None, :] - self.means  # (..., K, D)
        if self.covariances.ndim == 2:
            squares = (away.square() / self.covariances).sum(-1)
            volume = self.covariances.log().sum(-1)
        else:
            factor = torch.linalg.cholesky(self.covariances)
            eye = torch.eye(self.means.shape[1], dtype=factor.dtype)
            white = torch.linalg.solve_triangular(factor, eye, upper=False)
            squares = torch.einsum("kij,...kj->...ki", white, away).square().sum(-1)
            volume = 2 * factor.diagonal(dim1=1, dim2=2).log().sum(-1)
        return -0.5 * (squares + volume + self.means.shape[1] * math.log(2 * math.pi))

    def relative(self, y: Tensor) -> tuple[Floats, Floats]:
        log_prob = self.log_prob(y).detach().numpy()
        best = log_prob.max(-1)
        return np.exp(log_prob - best[..., None]), best

    def sample(self, states: Tensor, generator: torch.Generator | None) -> Tensor:
        noise = torch.randn(*states.shape, self.means.shape[1], generator=generator).double()
        if self.covariances.ndim == 2:
            return self.means[states] + noise * self.covariances[states].sqrt()
        factor = torch.linalg.cholesky(self.covariances)
        return self.means[states] + (factor[states] @ noise[..., None])[..., 0]

    def maximize(self, y: Tensor, weights: Floats) -> "GaussianEmission":
        w = torch.from_numpy(weights)
        totals = w.sum(0)[:, None]  # (K, 1)
        seen = totals > 0
        shares = w / torch.where(seen, totals, 1.0).T  # columns sum to one
        means = torch.where(seen, shares.T @ y, self.means)
        away = y[:, None] - means  # (N, K, D)
        if self.covariances.ndim == 2:
            spread = torch.einsum("nk,nki->ki", shares, away.square()).clamp(min=self.floor)
            return GaussianEmission(means, torch.where(seen, spread, self.covariances), self.floor)
        spread = torch.einsum("nk,nki,nkj->kij", shares, away, away)
        values, vectors = torch.linalg.eigh(spread)
        raised = (vectors * values.clamp(min=self.floor)[:, None]) @ vectors.mT
        return GaussianEmission(
            means, torch.where(seen[..., None], raised, self.covariances), self.floor
        )
