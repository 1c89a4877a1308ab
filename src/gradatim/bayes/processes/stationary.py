r"""Kernels of the distance between two inputs, :math:`k(x, x') = v\,f(r)` with :math:`r^2=\sum_d(x_d-x'_d)^2/\ell_d^2`.

Their derivative by the logarithm of a length is :math:`v\,g(r)\,(x_d-x'_d)^2/\ell_d^2` with :math:`g(r)=-f'(r)/r`, and its sum over
all pairs needs matrix products only:

.. math:: \sum_{ij}G_{ij}(x_{id}-x'_{jd})^2 = \sum_i x_{id}^2\sum_jG_{ij}+\sum_j x_{jd}'^2\sum_iG_{ij}-2\sum_ix_{id}(Gx')_{id}
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import torch
from torch import Tensor

from gradatim.bayes.processes.kernel import Pullback, Simple
from gradatim.errors import choose, require

Lengths = float | Sequence[float]
ROWS = 128  # of a product, so that it stays in the cache


class Stationary(Simple):
    """Base of kernels of a scaled distance."""

    length: Lengths
    variance: float

    @abstractmethod
    def _profile(self, squared: Tensor) -> tuple[Tensor, Tensor]:
        r""":math:`v\,f(r)` and :math:`v\,g(r)=-v\,f'(r)/r` at squared distances, which are used up."""

    def for_columns(self, count: int) -> Self:
        given = len(self.length) if isinstance(self.length, tuple) else count
        rule = (
            f"{type(self).__name__}: length must be one number or one for each of {count} columns"
        )
        require(given == count, rule, given)
        return self

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self._profile(self._squared(x1, x2))[0]

    def diagonal(self, x: Tensor) -> Tensor:
        return torch.full_like(x[:, 0], self.variance)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.with_pullback(x1, x2)[1](weights)

    def with_pullback(self, x1: Tensor, x2: Tensor | None = None) -> tuple[Tensor, Pullback]:
        both = self._scaled(x1, x2)
        value, slope = self._profile(self._squared(x1, x2))
        return value, lambda weights: self._slopes(weights, value, slope, both)

    def _slopes(
        self, weights: Tensor, value: Tensor, slope: Tensor, both: tuple[Tensor, Tensor]
    ) -> Tensor:
        """The gradient, from the two profiles, a few rows at a time, which stay in the processor's cache."""
        a, b = both
        right = torch.column_stack([b, torch.ones_like(b[:, 0])])
        by_rows, by_columns = [], torch.zeros_like(b[:, 0])
        for own, there in zip(weights.split(ROWS), slope.split(ROWS), strict=True):
            G = own * there
            by_rows.append(G @ right)  # (ROWS, d + 1)
            by_columns = by_columns + G.new_ones(len(G)) @ G
        between, sums = torch.cat(by_rows).split([b.shape[1], 1], 1)
        by_lengths = sums[:, 0] @ a**2 + by_columns @ b**2 - 2 * (a * between).sum(0)
        total = sums.sum() if slope is value else _dot(weights, value)
        if not isinstance(self.length, tuple):
            by_lengths = by_lengths.sum()[None]
        return torch.cat([by_lengths, total[None]])

    def _scaled(self, x1: Tensor, x2: Tensor | None) -> tuple[Tensor, Tensor]:
        """Inputs in units of the lengths, from their middle, since those far from the origin would lose digits."""
        lengths = torch.as_tensor(self.length, dtype=x1.dtype, device=x1.device)
        middle = x1.mean(0)
        a = (x1 - middle) / lengths
        return a, a if x2 is None else (x2 - middle) / lengths

    def _squared(self, x1: Tensor, x2: Tensor | None) -> Tensor:
        r""":math:`|a|^2+|b|^2-2ab^\top` as one product of matrices, two columns wider than the inputs."""
        a, b = self._scaled(x1, x2)
        left = torch.column_stack([a, a.square().sum(1), torch.ones_like(a[:, 0])])
        right = torch.column_stack([-2 * b, torch.ones_like(b[:, 0]), b.square().sum(1)])
        squared = (left @ right.T).clamp_(min=0)
        return squared.fill_diagonal_(0) if x2 is None else squared


@dataclass(frozen=True, kw_only=True)
class RBF(Stationary):
    r"""The Gaussian kernel :math:`v\,e^{-r^2/2}`, whose functions are infinitely smooth.

    Args:
        length: :math:`\ell`, one number, or one for each column.
        variance: :math:`v`.

    Example:
        >>> RBF(length=2.0)(torch.tensor([[0.0], [2.0]]))
        tensor([[1.0000, 0.6065],
                [0.6065, 1.0000]])
    """

    length: Lengths = 1.0
    variance: float = 1.0

    def _profile(self, squared: Tensor) -> tuple[Tensor, Tensor]:
        value = squared.mul_(-0.5).exp_().mul_(self.variance)
        return value, value


@dataclass(frozen=True)
class Matern(Stationary):
    r"""Matérn's kernel, whose functions have :math:`\nu-\frac12` derivatives.

    .. math:: f_{1/2}=e^{-r}, \qquad f_{3/2}=(1+\sqrt3r)e^{-\sqrt3r}, \qquad f_{5/2}=(1+\sqrt5r+\tfrac53r^2)e^{-\sqrt5r}

    Args:
        nu: :math:`\nu`: 0.5, 1.5 or 2.5.
        length: :math:`\ell`, one number, or one for each column.
        variance: :math:`v`.

    Example:
        >>> Matern(0.5)(torch.tensor([[0.0]]), torch.tensor([[1.0]]))
        tensor([[0.3679]])
    """

    nu: float = field(default=2.5, metadata={"is_free": False})
    length: Lengths = field(default=1.0, kw_only=True)
    variance: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        choose("Matern", "nu", str(self.nu), ["0.5", "1.5", "2.5"])
        super().__post_init__()

    def _profile(self, squared: Tensor) -> tuple[Tensor, Tensor]:
        r = squared.sqrt().mul_(math.sqrt(2 * self.nu))
        decay = torch.exp(-r).mul_(self.variance)
        if self.nu == 0.5:
            return decay, torch.where(r > 0, decay / r.clamp_min(1e-300), 0.0)
        if self.nu == 1.5:
            return r.add_(1).mul_(decay), decay.mul_(3)
        slope = r.add_(1).mul_(decay).mul_(5 / 3)
        return torch.addcmul(0.6 * slope, squared, decay, value=5 / 3), slope


@dataclass(frozen=True, kw_only=True)
class Periodic(Simple):
    r"""Functions that repeat: :math:`v\exp\bigl(-2\sum_d\sin^2(\pi(x_d-x'_d)/p)/\ell^2\bigr)`.

    Args:
        period: :math:`p`.
        length: :math:`\ell`, in units of the period's circle.
        variance: :math:`v`.

    Example:
        >>> Periodic(period=3.0)(torch.tensor([[0.0]]), torch.tensor([[3.0]])).round(decimals=4)
        tensor([[1.]])
    """

    period: float = 1.0
    length: float = 1.0
    variance: float = 1.0

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        gaps = x1[:, None] - (x1 if x2 is None else x2)  # (N, M, d)
        waves = torch.sin(math.pi * gaps / self.period).square().sum(2)
        return self.variance * torch.exp(-2 * waves / self.length**2)

    def diagonal(self, x: Tensor) -> Tensor:
        return torch.full_like(x[:, 0], self.variance)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        gaps = x1[:, None] - (x1 if x2 is None else x2)
        waves = torch.sin(math.pi * gaps / self.period).square().sum(2)
        turning = (gaps * torch.sin(2 * math.pi * gaps / self.period)).sum(2)
        G = weights * self.variance * torch.exp(-2 * waves / self.length**2)
        by_period = 2 * math.pi / (self.period * self.length**2) * (G * turning).sum()
        return torch.stack([by_period, 4 / self.length**2 * (G * waves).sum(), G.sum()])


def _dot(a: Tensor, b: Tensor) -> Tensor:
    """The sum of the products of all entries, without a matrix of them."""
    return torch.dot(a.reshape(-1), b.reshape(-1))
