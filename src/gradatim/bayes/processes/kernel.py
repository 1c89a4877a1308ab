"""Covariances of Gaussian processes: positive functions of two inputs with parameters that can be learned."""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Self

import numpy as np
import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

Pullback = Callable[[Tensor], Tensor]


class Kernel(ABC):
    r"""A covariance :math:`k(x, x')`.

    Kernels are plain data that never change: their parameters are positive numbers, of which ``theta`` holds the logarithms,
    and :meth:`replace` makes another kernel. ``kernel + other`` and ``kernel * other`` are kernels again.
    """

    @takes_arrays
    def __call__(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        """The covariances of all pairs.

        Args:
            x1: Inputs, shape ``(N, d)``.
            x2: Inputs, shape ``(M, d)``; by default ``x1`` itself, the same observations.

        Returns:
            Covariances, shape ``(N, M)``.
        """
        return self._covariances(x1, x2)

    @abstractmethod
    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        """The formula behind a call."""

    @abstractmethod
    def diagonal(self, x: Tensor) -> Tensor:
        """Variances :math:`k(x_i, x_i)`, shape ``(N,)``."""

    @abstractmethod
    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        r"""The gradient of :math:`\sum_{ij}W_{ij}k(x_i, x'_j)` by ``theta``.

        Args:
            weights: :math:`W`, shape ``(N, M)``.
            x1: Inputs, shape ``(N, d)``.
            x2: Inputs, shape ``(M, d)``; by default ``x1`` itself.
        """

    def with_pullback(self, x1: Tensor, x2: Tensor | None = None) -> tuple[Tensor, Pullback]:
        """The covariances of all pairs, and :meth:`pullback` there, which keeps them: they must not be changed before.

        Args:
            x1: Inputs, shape ``(N, d)``.
            x2: Inputs, shape ``(M, d)``; by default ``x1`` itself.
        """
        return self(x1, x2), lambda weights: self.pullback(weights, x1, x2)

    @abstractmethod
    def pullback_diagonal(self, weights: Tensor, x: Tensor) -> Tensor:
        r"""The gradient of :math:`\sum_iw_ik(x_i, x_i)` by ``theta``.

        Args:
            weights: :math:`w`, shape ``(N,)``.
            x: Inputs, shape ``(N, d)``.
        """

    @property
    @abstractmethod
    def theta(self) -> Tensor:
        """Logarithms of all parameters, shape ``(p,)``, in double precision."""

    @abstractmethod
    def replace(self, theta: Tensor) -> Self:
        """The same kernel with other parameters."""

    def for_columns(self, count: int) -> Self:
        """The same kernel with one length for each of ``count`` columns where it is to have that; checks the number."""
        return self

    def __add__(self, other: "Kernel") -> "Sum":
        return Sum(self, other)

    def __mul__(self, other: "Kernel") -> "Product":
        return Product(self, other)


class Simple(Kernel):
    """Base of kernels that are a data class of positive numbers, or of tuples of them."""

    def __post_init__(self) -> None:
        for field in self._free():
            value = getattr(self, field.name)
            if isinstance(value, list | np.ndarray | Tensor):
                object.__setattr__(self, field.name, tuple(float(one) for one in value))
        for name, value in self._numbers():
            is_good = isinstance(value, int | float) and 0 < value < math.inf
            rule = f"{type(self).__name__}: {name} must be positive and finite"
            require(is_good, rule, value, f"Try {name}=1.0.")

    def pullback_diagonal(self, weights: Tensor, x: Tensor) -> Tensor:
        """Of the usual kernel, whose variance at a point is its parameter ``variance``, the last one, times something."""
        gradient = weights.new_zeros(len(self.theta))
        gradient[-1] = weights @ self.diagonal(x)
        return gradient

    def _free(self) -> list[dataclasses.Field[float]]:
        return [f for f in dataclasses.fields(self) if f.metadata.get("is_free", True)]  # type: ignore[arg-type]

    def _numbers(self) -> Iterator[tuple[str, float]]:
        for field in self._free():
            value = getattr(self, field.name)
            yield from ((field.name, one) for one in (value if isinstance(value, tuple) else (value,)))  # fmt: skip

    @property
    def theta(self) -> Tensor:
        return torch.tensor([value for _, value in self._numbers()], dtype=torch.float64).log()

    def replace(self, theta: Tensor) -> Self:
        rest, new = theta.exp().tolist(), {}
        for field in self._free():
            value = getattr(self, field.name)
            count = len(value) if isinstance(value, tuple) else 1
            taken, rest = rest[:count], rest[count:]
            new[field.name] = tuple(taken) if isinstance(value, tuple) else taken[0]
        return dataclasses.replace(self, **new)  # type: ignore[type-var]


@dataclasses.dataclass(frozen=True)
class Pair(Kernel):
    """Base of kernels made of two."""

    first: Kernel
    second: Kernel

    @property
    def theta(self) -> Tensor:
        return torch.cat([self.first.theta, self.second.theta])

    def replace(self, theta: Tensor) -> Self:
        count = len(self.first.theta)
        return type(self)(self.first.replace(theta[:count]), self.second.replace(theta[count:]))

    def for_columns(self, count: int) -> Self:
        return type(self)(self.first.for_columns(count), self.second.for_columns(count))


class Sum(Pair):
    r"""Two independent processes added: :math:`k = k_1 + k_2`.

    Args:
        first: :math:`k_1`.
        second: :math:`k_2`.
    """

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.first(x1, x2) + self.second(x1, x2)

    def with_pullback(self, x1: Tensor, x2: Tensor | None = None) -> tuple[Tensor, Pullback]:
        (K, first), (other, second) = (part.with_pullback(x1, x2) for part in (self.first, self.second))  # fmt: skip
        return K + other, lambda weights: torch.cat([first(weights), second(weights)])

    def diagonal(self, x: Tensor) -> Tensor:
        return self.first.diagonal(x) + self.second.diagonal(x)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return torch.cat([part.pullback(weights, x1, x2) for part in (self.first, self.second)])

    def pullback_diagonal(self, weights: Tensor, x: Tensor) -> Tensor:
        return torch.cat([part.pullback_diagonal(weights, x) for part in (self.first, self.second)])


class Product(Pair):
    r"""Covariances multiplied: :math:`k = k_1\,k_2`.

    Args:
        first: :math:`k_1`.
        second: :math:`k_2`.
    """

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.first(x1, x2) * self.second(x1, x2)

    def with_pullback(self, x1: Tensor, x2: Tensor | None = None) -> tuple[Tensor, Pullback]:
        (K1, first), (K2, second) = (part.with_pullback(x1, x2) for part in (self.first, self.second))  # fmt: skip
        return K1 * K2, lambda weights: torch.cat([first(weights * K2), second(weights * K1)])

    def diagonal(self, x: Tensor) -> Tensor:
        return self.first.diagonal(x) * self.second.diagonal(x)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        by_first = self.first.pullback(weights * self.second(x1, x2), x1, x2)
        return torch.cat([by_first, self.second.pullback(weights * self.first(x1, x2), x1, x2)])

    def pullback_diagonal(self, weights: Tensor, x: Tensor) -> Tensor:
        by_first = self.first.pullback_diagonal(weights * self.second.diagonal(x), x)
        by_second = self.second.pullback_diagonal(weights * self.first.diagonal(x), x)
        return torch.cat([by_first, by_second])
