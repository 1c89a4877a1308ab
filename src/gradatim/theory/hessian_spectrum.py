"""The spectrum of a Hessian that nobody can write down: its ends, its trace, its density."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_seed, require_whole
from gradatim.instruments import VectorObjective, hessian_product
from gradatim.instruments.lanczos import extreme_eigenpairs, tridiagonalize
from gradatim.theory.uniform_convergence import Estimate


@takes_arrays
def hessian_eigenvalues(
    function: VectorObjective,
    point: Tensor,
    *,
    count: int = 1,
    max_steps: int = 500,
    tol: float = 1e-4,
    seed: int = 0,
) -> Tensor:
    r"""The largest eigenvalues of :math:`\nabla^2h(\theta)`, by Lanczos' method.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        count: How many.
        max_steps: Most products with the Hessian.
        tol: Error at which to stop, relative to each eigenvalue.
        seed: Of the first direction.

    Returns:
        Eigenvalues, largest first, shape ``(count,)``.

    Example:
        >>> hessian_eigenvalues(lambda w: w[0] ** 2 + 3 * w[1] ** 2 - w[2] ** 2, torch.ones(3), count=2)
        tensor([6.0000, 2.0000])
    """
    owner = "hessian_eigenvalues"
    require_whole(owner, count=count, max_steps=max_steps)
    require(count <= len(point), f"{owner}: count must be at most the dimension, {len(point)}", count)  # fmt: skip
    found = extreme_eigenpairs(
        hessian_product(function, point),
        _draw(owner, point, seed),
        torch.clone,
        count=count,
        max_steps=max_steps,
        tol=tol,
    )
    return found.values.to(point)


@takes_arrays
def hessian_trace(
    function: VectorObjective, point: Tensor, *, samples: int = 100, seed: int = 0
) -> Estimate:
    r"""The trace of :math:`\nabla^2h(\theta)`, by Hutchinson's method.

    .. math:: \mathrm{tr}\,H = E[v^\top Hv], \qquad v_i=\pm1 \text{ fair coins}

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        samples: Draws of :math:`v`, a product each.
        seed: Of the draws.

    Returns:
        The estimate and its standard error, which is 0 for a diagonal Hessian.

    Example:
        >>> hessian_trace(lambda w: w[0] ** 2 + 3 * w[1] ** 2, torch.ones(2), samples=2)
        Estimate(value=8.0, error=0.0)
    """
    require_seed("hessian_trace", seed)
    require(samples >= 2, "hessian_trace: samples must be at least 2", samples, "Try 100.")
    product = hessian_product(function, point)
    generator = torch.Generator(point.device).manual_seed(seed)
    values = []
    for _ in range(samples):
        coins = torch.randint(2, point.shape, generator=generator, device=point.device)
        v = (2 * coins - 1).to(point.dtype)
        values.append(v @ product(v))
    drawn = torch.stack(values).double()
    return Estimate(drawn.mean().item(), (drawn.std() / math.sqrt(samples)).item())


class Spectrum(NamedTuple):
    """A measure on the line: where eigenvalues lie, and which share of them.

    Args:
        values: Nodes, ascending, shape ``(M,)``.
        weights: Their shares, which sum to 1.
    """

    values: Tensor
    weights: Tensor

    def density(self, grid: Tensor, width: float) -> Tensor:
        """The measure smoothed by a Gaussian.

        Args:
            grid: Where, shape ``(G,)``.
            width: Standard deviation of the Gaussian.
        """
        gaps = (grid[:, None] - self.values) / width
        return torch.exp(-(gaps**2) / 2) @ self.weights / (width * math.sqrt(2 * math.pi))


@takes_arrays
def spectral_density(
    function: VectorObjective,
    point: Tensor,
    *,
    max_steps: int = 80,
    samples: int = 10,
    seed: int = 0,
) -> Spectrum:
    r"""The density of the eigenvalues of :math:`\nabla^2h(\theta)`, by stochastic Lanczos quadrature.

    From a random direction Lanczos' method makes a small matrix :math:`T` with eigenvalues :math:`\theta_k` and eigenvectors
    :math:`u_k`. Gauss' quadrature with nodes :math:`\theta_k` and weights :math:`u_{k1}^2` agrees with the spectrum, as
    the direction sees it, on all polynomials of degree :math:`2m-1`; the mean over directions is the density.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        max_steps: :math:`m`, products for every direction.
        samples: Directions.
        seed: Of the directions.

    Example:
        >>> found = spectral_density(lambda w: (w**2).sum(), torch.ones(5), samples=1)
        >>> found.values, found.weights
        (tensor([2.]), tensor([1.]))

    Reference:
        Ghorbani et al., An Investigation into Neural Net Optimization via Hessian Eigenvalue Density, 2019.
    """
    owner = "spectral_density"
    require_whole(owner, max_steps=max_steps, samples=samples)
    product, parts = hessian_product(function, point), []
    for k in range(samples):
        T = tridiagonalize(product, _draw(owner, point, seed + k), max_steps)
        values, vectors = torch.linalg.eigh(T)
        parts.append(torch.stack([values, vectors[0] ** 2 / samples]))
    values, weights = torch.cat(parts, 1)
    order = values.argsort()
    return Spectrum(values[order].to(point), weights[order].to(point))


def _draw(owner: str, like: Tensor, seed: int) -> Tensor:
    require_seed(owner, seed)
    generator = torch.Generator(like.device).manual_seed(seed)
    return torch.randn(like.shape, generator=generator, dtype=like.dtype, device=like.device)
