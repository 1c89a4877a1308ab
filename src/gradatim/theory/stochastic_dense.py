"""Networks whose dense layers draw their weights anew for every row."""

import math
from collections.abc import Iterable
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.errors import require
from gradatim.theory.pac_bayes import gaussian_kl


class StochasticDense(nn.Module):
    r"""A dense layer with Gaussian weights, of which every row of a batch gets its own draw.

    .. math:: W \sim N(\mu, \sigma^2) \quad\Rightarrow\quad z = Wh+b \sim N(\mu h+\mu_b,\; \sigma^2h^2+\sigma_b^2)

    (squares entry by entry): the units of a layer have weights of their own, so their sums are independent, and drawing the
    sums is drawing the weights. The prior is :math:`N(\mu_0, \lambda^2)` around the weights of the given layer. What is
    learned is counted in its units, :math:`\mu=\mu_0+\lambda m` and :math:`\sigma=\lambda e^\rho`, so that one step suits
    every prior; all start at 0, where the divergence is 0.

    Args:
        layer: Holds :math:`\mu_0`.
        prior_std: :math:`\lambda`.
    """

    def __init__(self, layer: nn.Linear, prior_std: float) -> None:
        super().__init__()
        self.prior_std = prior_std
        weight = layer.weight.detach().clone()
        bias = weight.new_zeros(len(weight)) if layer.bias is None else layer.bias.detach().clone()
        for name, value in (("weight", weight), ("bias", bias)):
            self.register_buffer(f"prior_{name}", value)
            self.register_parameter(f"{name}_shift", nn.Parameter(torch.zeros_like(value)))
            self.register_parameter(f"{name}_log_scale", nn.Parameter(torch.zeros_like(value)))

    def moments(self, name: str) -> tuple[Tensor, Tensor]:
        r"""Means :math:`\mu` and standard deviations :math:`\sigma` of ``"weight"`` or ``"bias"``."""
        shift, log_scale = getattr(self, f"{name}_shift"), getattr(self, f"{name}_log_scale")
        start: Tensor = getattr(self, f"prior_{name}")
        return start + self.prior_std * shift, self.prior_std * log_scale.exp()

    def forward(self, h: Tensor) -> Tensor:
        (weight, weight_std), (bias, bias_std) = self.moments("weight"), self.moments("bias")
        mean = functional.linear(h, weight, bias)
        variance = functional.linear(h.square(), weight_std.square(), bias_std.square())
        return mean + variance.sqrt() * torch.randn_like(mean)

    def kl(self) -> Tensor:
        """Divergence of the weights' distribution from the prior."""
        zero, one = self.prior_weight.new_zeros(()), self.prior_weight.new_ones(())
        parts = [gaussian_kl(getattr(self, f"{n}_shift"), getattr(self, f"{n}_log_scale").exp(), zero, one) for n in ("weight", "bias")]  # fmt: skip
        return parts[0] + parts[1]


def make_stochastic(model: nn.Module, prior_std: float) -> nn.Module:
    """A copy of the network with all dense layers drawn anew for every row; everything else is frozen.

    Args:
        model: Network with one :class:`~torch.nn.Linear` at least.
        prior_std: Standard deviation of the prior around the present weights.
    """
    rule = "pac_bayes_certificate: prior_std must be positive and finite"
    require(0 < prior_std < math.inf, rule, prior_std, "Try 0.5 for a random prior.")
    copy = deepcopy(model).requires_grad_(False)
    found = [(parent, name, child) for parent in copy.modules() for name, child in parent.named_children() if isinstance(child, nn.Linear)]  # fmt: skip
    rule = "pac_bayes_certificate: model must have dense layers"
    require(found, rule, "none", "Put nn.Linear at its end.")
    for parent, name, child in found:
        setattr(parent, name, StochasticDense(child, prior_std))
    return copy


def total_kl(model: nn.Module) -> Tensor:
    """The divergence of all layers together."""
    layers: Iterable[StochasticDense] = (m for m in model.modules() if isinstance(m, StochasticDense))  # fmt: skip
    return torch.stack([layer.kl() for layer in layers]).sum()
