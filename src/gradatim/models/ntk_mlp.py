"""The multi-layer perceptron whose tangent kernel has a limit."""

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.errors import require
from gradatim.models.chains import RowChain
from gradatim.models.sizes import check_sizes
from gradatim.nn import activation as build_activation


class NTKLinear(nn.Module):
    r"""A dense layer of standard normal parameters, scaled where they are used.

    .. math:: z = \sigma_w W h/\sqrt{m} + \sigma_b b, \qquad W_{ij}, b_i \sim N(0, 1)

    Args:
        input_dim: :math:`m`.
        output_dim: Width of :math:`z`.
        weight_variance: :math:`\sigma_w^2`.
        bias_variance: :math:`\sigma_b^2`; 0 means no bias.
    """

    def __init__(
        self, input_dim: int, output_dim: int, *, weight_variance: float, bias_variance: float
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim = input_dim, output_dim
        self.weight_variance, self.bias_variance = weight_variance, bias_variance
        self.weight_scale = math.sqrt(weight_variance / input_dim)
        self.bias_scale = math.sqrt(bias_variance)
        self.weight = nn.Parameter(torch.randn(output_dim, input_dim))
        self.bias = nn.Parameter(torch.randn(output_dim)) if bias_variance else None

    def forward(self, h: Tensor) -> Tensor:
        bias = None if self.bias is None else self.bias_scale * self.bias
        # the product is scaled, not the weights: it is the smaller of the two
        return functional.linear(self.weight_scale * h, self.weight, bias)


class NTKMLP(RowChain):
    r"""A chain of dense layers in the parametrization of the neural tangent kernel.

    .. math::
        z_1 = \frac{\sigma_w}{\sqrt d}W_1x + \sigma_b b_1, \qquad
        z_{\ell+1} = \frac{\sigma_w}{\sqrt{m_\ell}}W_{\ell+1}\phi(z_\ell) + \sigma_b b_{\ell+1}, \qquad f(x) = z_L

    All parameters start as standard normal, so that one learning rate suits every width. What stands before them is a
    standard deviation: a weight has :math:`\sigma_w/\sqrt m`, of which some lecture notes make the variance, and a bias
    :math:`\sigma_b`, which does not shrink with the width. In the limit of wide layers
    :math:`f` is a Gaussian process at the start and learns as a kernel machine, with the two kernels of
    :func:`gradatim.theory.analytic_kernels`.

    Args:
        sizes: Widths from input to output, such as ``(784, 1024, 10)``.
        activation: Name of :math:`\phi`.
        weight_variance: :math:`\sigma_w^2`; 2 keeps the size of signals under ReLU.
        bias_variance: :math:`\sigma_b^2`; 0 means no bias.

    Example:
        >>> model = NTKMLP((4, 8, 1))
        >>> [tuple(p.shape) for p in model.parameters()]
        [(8, 4), (1, 8)]

    Reference:
        Jacot et al., Neural Tangent Kernel: Convergence and Generalization in Neural Networks, 2018.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: str = "relu",
        weight_variance: float = 2.0,
        bias_variance: float = 0.0,
    ) -> None:
        sizes = check_sizes("NTKMLP", sizes)
        check_variances("NTKMLP", weight_variance, bias_variance)
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(sizes):
            layers += [build_activation(activation)] if layers else []
            layers.append(NTKLinear(n_in, n_out, weight_variance=weight_variance, bias_variance=bias_variance))  # fmt: skip
        super().__init__(*layers)
        self.sizes, self.activation = sizes, activation
        self.weight_variance, self.bias_variance = weight_variance, bias_variance


def check_variances(owner: str, weight_variance: float, bias_variance: float) -> None:
    """Refuse variances that no initialization has."""
    rule = f"{owner}: weight_variance must be positive and finite"
    require(0 < weight_variance < math.inf, rule, weight_variance, "Try 2.0.")
    rule = f"{owner}: bias_variance must be at least 0 and finite"
    require(0 <= bias_variance < math.inf, rule, bias_variance, "Try 0.0.")
