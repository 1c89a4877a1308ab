"""The two kernels of an infinitely wide network: of the process it starts as, and of the way it learns."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_whole
from gradatim.models.ntk_mlp import check_variances
from gradatim.nn.activations import ACTIVATIONS
from gradatim.theory.dual_activations import dual_activation


class Kernels(NamedTuple):
    """The kernels of a wide network, each of shape ``(N₁, N₂)``.

    Args:
        nngp: Covariance of the outputs over random networks.
        ntk: Tangent kernel, which training by small steps leaves as it is.
    """

    nngp: Tensor
    ntk: Tensor


@takes_arrays
def analytic_kernels(
    x1: Tensor,
    x2: Tensor | None = None,
    *,
    depth: int = 2,
    activation: str = "relu",
    weight_variance: float = 2.0,
    bias_variance: float = 0.0,
) -> Kernels:
    r"""The kernels of :class:`~gradatim.models.NTKMLP` in the limit of wide hidden layers.

    .. math::
        K^0 &= \Theta^0 = \sigma_w^2\,x^\top x'/d + \sigma_b^2 \\
        K^{\ell+1} &= \sigma_w^2\,E[\phi(u)\phi(v)] + \sigma_b^2, \qquad (u, v) \sim N(0, K^\ell) \\
        \Theta^{\ell+1} &= K^{\ell+1} + \sigma_w^2\,\Theta^\ell\,E[\phi'(u)\phi'(v)]

    The average is that of units of two inputs, :math:`E[\phi(z_i)\phi(z_j)]`; some lecture notes print :math:`z_i` twice. One layer
    alone has :math:`(\sigma_w^2/d)XX^\top`.

    Computed in double precision; the averages have a closed form for ReLU, erf and the identity, and are exact to 1e-6 for
    the other activations.

    Args:
        x1: Inputs, shape ``(N₁, d)``; other dimensions are flattened.
        x2: Inputs, shape ``(N₂, d)``; by default ``x1``.
        depth: Layers of weights, hidden ones and the last.
        activation: Name of :math:`\phi`.
        weight_variance: :math:`\sigma_w^2`.
        bias_variance: :math:`\sigma_b^2`.

    Example:
        >>> x = torch.eye(2)  # two inputs at a right angle
        >>> analytic_kernels(x).ntk.mul(torch.pi).round(decimals=4)
        tensor([[6.2832, 1.0000],
                [1.0000, 6.2832]])

    Reference:
        Jacot et al., Neural Tangent Kernel, 2018; Lee et al., Deep Neural Networks as Gaussian Processes, 2018.
    """
    owner = "analytic_kernels"
    require_whole(owner, depth=depth)
    choose(owner, "activation", activation, ACTIVATIONS)
    check_variances(owner, weight_variance, bias_variance)
    first = x1.flatten(1).double()
    second = first if x2 is None else x2.flatten(1).double()
    d = first.shape[1]
    rule = f"{owner}: x1 and x2 must be rows of one width, at least 1"
    require(d == second.shape[1] >= 1, rule, f"{d} and {second.shape[1]}")
    K = weight_variance * first @ second.T / d + bias_variance  # (N₁, N₂)
    # variances of every row of x1 and of x2, on which the covariances of the next layer depend
    a, b = (weight_variance * x.square().sum(1) / d + bias_variance for x in (first, second))
    theta = K.clone()
    for _ in range(depth - 1):
        duals = dual_activation(activation, a[:, None], b, K)
        K = weight_variance * duals.values + bias_variance
        theta = K + weight_variance * theta * duals.derivatives
        a, b = (_next_variance(v, activation, weight_variance, bias_variance) for v in (a, b))
    dtype = x1.dtype if x1.is_floating_point() else torch.get_default_dtype()
    return Kernels(K.to(dtype), theta.to(dtype))


def nngp_variances(
    x: Tensor, *, depth: int, activation: str, weight_variance: float, bias_variance: float
) -> Tensor:
    """The diagonal of the kernel of the process, shape ``(N,)``; arguments as in :func:`analytic_kernels`."""
    rows = x.flatten(1).double()
    variance = weight_variance * rows.square().sum(1) / rows.shape[1] + bias_variance
    for _ in range(depth - 1):
        variance = _next_variance(variance, activation, weight_variance, bias_variance)
    return variance.to(x.dtype)


def _next_variance(
    v: Tensor, activation: str, weight_variance: float, bias_variance: float
) -> Tensor:
    return weight_variance * dual_activation(activation, v, v, v).values + bias_variance


@takes_arrays
def ntk_kappa(u: Tensor) -> Tensor:
    r"""The tangent kernel of two layers with ReLU on the unit sphere, up to a factor.

    .. math:: \kappa(u) = \frac{2u}{\pi}(\pi-\arccos u) + \frac{\sqrt{1-u^2}}{\pi}, \qquad
        \Theta(x, x') = \frac{\sigma_w^4}{2d}\lVert x\rVert\lVert x'\rVert\,
        \kappa\Bigl(\frac{x^\top x'}{\lVert x\rVert\lVert x'\rVert}\Bigr)

    Args:
        u: Cosines of angles, in [-1, 1].

    Example:
        >>> ntk_kappa(torch.tensor([-1.0, 0.0, 1.0]))
        tensor([0.0000, 0.3183, 2.0000])

    Reference:
        Bietti and Mairal, On the Inductive Bias of Neural Tangent Kernels, 2019.
    """
    rule = "ntk_kappa: u must be cosines, in [-1, 1]"
    require(bool((u.abs() <= 1).all()), rule, f"values up to {u.abs().max().item():g}")
    return (2 * u * (math.pi - u.arccos()) + (1 - u.square()).sqrt()) / math.pi
