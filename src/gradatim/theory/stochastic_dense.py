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
    sums is drawing the weights. The prior is :math:`N(\mu_0, \lambda^2)`. What is learned is counted in its units,
    :math:`\mu=\mu_0+\lambda m` and :math:`\sigma=\lambda e^\rho`, so that one step suits every prior.

    Args:
        layer: Where the means start.
        prior_std: :math:`\lambda`.
        prior_mean: :math:`\mu_0` of all weights; by default the weights of the layer.
        start_std: Where the standard deviations start; by default at those of the prior.
    """

    prior_weight: Tensor

    def __init__(
        self,
        layer: nn.Linear,
        prior_std: float,
        *,
        prior_mean: float | None = None,
        start_std: float | None = None,
    ) -> None:
        super().__init__()
        self.prior_std = prior_std
        self.names = ("weight",) if layer.bias is None else ("weight", "bias")
        for name in self.names:
            start: Tensor = getattr(layer, name).detach().clone()
            center = start if prior_mean is None else torch.full_like(start, prior_mean)
            log_scale = torch.full_like(start, math.log((start_std or prior_std) / prior_std))
            self.register_buffer(f"prior_{name}", center)
            self.register_parameter(f"{name}_shift", nn.Parameter((start - center) / prior_std))
            self.register_parameter(f"{name}_log_scale", nn.Parameter(log_scale))

    def moments(self, name: str) -> tuple[Tensor, Tensor]:
        r"""Means :math:`\mu` and standard deviations :math:`\sigma` of ``"weight"`` or ``"bias"``."""
        shift, log_scale = getattr(self, f"{name}_shift"), getattr(self, f"{name}_log_scale")
        center: Tensor = getattr(self, f"prior_{name}")
        return center + self.prior_std * shift, self.prior_std * log_scale.exp()

    def forward(self, h: Tensor) -> Tensor:
        means, stds = zip(*map(self.moments, self.names), strict=True)
        mean = functional.linear(h, *means)
        variance = functional.linear(h.square(), *(std.square() for std in stds))
        return mean + variance.sqrt() * torch.randn_like(mean)

    def kl(self) -> Tensor:
        """Divergence of the weights' distribution from the prior."""
        zero, one = self.prior_weight.new_zeros(()), self.prior_weight.new_ones(())
        parts = [gaussian_kl(getattr(self, f"{n}_shift"), getattr(self, f"{n}_log_scale").exp(), zero, one) for n in self.names]  # fmt: skip
        return torch.stack(parts).sum()


def make_stochastic(
    model: nn.Module,
    prior_std: float,
    *,
    prior_mean: float | None = None,
    start_std: float | None = None,
    owner: str = "pac_bayes_certificate",
) -> nn.Module:
    """A copy of the network with all dense layers drawn anew for every row; everything else is frozen.

    Args:
        model: Network with one :class:`~torch.nn.Linear` at least.
        prior_std: Standard deviation of the prior.
        prior_mean: Its mean; by default the present weights.
        start_std: Standard deviation that the weights start with; by default that of the prior.
        owner: Whom errors name.
    """
    rule = f"{owner}: prior_std must be positive and finite"
    require(0 < prior_std < math.inf, rule, prior_std, "Try 0.5 for a random prior.")
    copy = deepcopy(model).requires_grad_(False)
    found = [(parent, name, child) for parent in copy.modules() for name, child in parent.named_children() if isinstance(child, nn.Linear)]  # fmt: skip
    if isinstance(copy, nn.Linear):
        return StochasticDense(copy, prior_std, prior_mean=prior_mean, start_std=start_std)
    rule = f"{owner}: model must have dense layers"
    require(found, rule, "none", "Put nn.Linear at its end.")
    for parent, name, child in found:
        layer = StochasticDense(child, prior_std, prior_mean=prior_mean, start_std=start_std)
        setattr(parent, name, layer)
    return copy


def total_kl(model: nn.Module) -> Tensor:
    """The divergence of all layers together."""
    layers: Iterable[StochasticDense] = (m for m in model.modules() if isinstance(m, StochasticDense))  # fmt: skip
    return torch.stack([layer.kl() for layer in layers]).sum()
