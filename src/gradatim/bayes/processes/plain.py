"""Kernels that are no function of a distance: constants, lines, noise, and networks of infinite width."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor

from gradatim.bayes.processes.kernel import Simple
from gradatim.theory import analytic_kernels
from gradatim.theory.infinite_width import nngp_variances


@dataclass(frozen=True, kw_only=True)
class Constant(Simple):
    r"""An unknown offset: :math:`k(x, x')=v`.

    Args:
        variance: :math:`v`.

    Example:
        >>> Constant(variance=2.0)(torch.zeros(1, 3), torch.ones(2, 3))
        tensor([[2., 2.]])
    """

    variance: float = 1.0

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return x1.new_full((len(x1), len(x1 if x2 is None else x2)), self.variance)

    def diagonal(self, x: Tensor) -> Tensor:
        return torch.full_like(x[:, 0], self.variance)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.variance * weights.sum()[None]


@dataclass(frozen=True, kw_only=True)
class Linear(Simple):
    r"""Linear functions through the origin: :math:`k(x, x')=v\,x^\top x'`; add a :class:`Constant` for an intercept.

    Args:
        variance: :math:`v`, prior variance of every weight.

    Example:
        >>> Linear(variance=2.0)(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 1.0]]))
        tensor([[10.]])
    """

    variance: float = 1.0

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.variance * x1 @ (x1 if x2 is None else x2).T

    def diagonal(self, x: Tensor) -> Tensor:
        return self.variance * x.square().sum(1)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.variance * (x1 * (weights @ (x1 if x2 is None else x2))).sum()[None]


@dataclass(frozen=True, kw_only=True)
class White(Simple):
    r"""Noise of its own for every observation: :math:`v` where both are the same one, 0 elsewhere.

    Args:
        variance: :math:`v`.

    Example:
        >>> White(variance=0.5)(torch.zeros(2, 1))  # equal inputs, two observations
        tensor([[0.5000, 0.0000],
                [0.0000, 0.5000]])
    """

    variance: float = 1.0

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        if x2 is None:
            return self.variance * torch.eye(len(x1), dtype=x1.dtype, device=x1.device)
        return x1.new_zeros(len(x1), len(x2))

    def diagonal(self, x: Tensor) -> Tensor:
        return torch.full_like(x[:, 0], self.variance)

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self.variance * (weights.trace() if x2 is None else weights.new_zeros(()))[None]


@dataclass(frozen=True, kw_only=True)
class NetworkKernel(Simple):
    r"""Functions of a random network of infinite width; see :func:`gradatim.theory.analytic_kernels`.

    A network without biases has :math:`k(cx, x')=c\,k(x, x')` under ReLU, so inputs should be scaled.

    Args:
        depth: Layers of weights.
        activation: Name of the nonlinearity.
        weight_variance: :math:`\sigma_w^2`.
        bias_variance: :math:`\sigma_b^2`.

    Example:
        >>> NetworkKernel(bias_variance=1.0)(torch.zeros(1, 2))  # σ_w² E[relu(u)²] + σ_b², u ~ N(0, 1)
        tensor([[2.]])
    """

    depth: int = field(default=2, metadata={"is_free": False})
    activation: str = field(default="relu", metadata={"is_free": False})
    weight_variance: float = 2.0
    bias_variance: float = 0.1

    def _covariances(self, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return analytic_kernels(x1, x2, **asdict(self)).nngp

    def diagonal(self, x: Tensor) -> Tensor:
        return nngp_variances(x, **asdict(self))

    def pullback(self, weights: Tensor, x1: Tensor, x2: Tensor | None = None) -> Tensor:
        return self._slopes(lambda kernel: (weights * kernel(x1, x2)).sum())

    def pullback_diagonal(self, weights: Tensor, x: Tensor) -> Tensor:
        return self._slopes(lambda kernel: weights @ kernel.diagonal(x))

    def _slopes(self, total: Callable[["NetworkKernel"], Tensor]) -> Tensor:
        """Central differences, exact to eight digits; for two parameters they cost less than the chain rule through all layers."""
        step, theta = 1e-4, self.theta
        sides = [[total(self.replace(theta + sign * step * axis)) for sign in (1, -1)] for axis in torch.eye(2).double()]  # fmt: skip
        return torch.stack([(high - low) / (2 * step) for high, low in sides])
