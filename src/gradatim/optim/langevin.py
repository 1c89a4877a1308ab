"""Gradient descent with the noise that turns it into a sampler."""

import math

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require


class Langevin(ForeachOptimizer):
    r"""Stochastic gradient Langevin dynamics: descend, and be kicked.

    .. math:: \theta_{t+1} = \theta_t - \eta\,g_t + \sqrt{2\eta T}\,\xi_t, \qquad \xi_t\sim N(0, I)

    For small :math:`\eta` the iterates are draws from :math:`p(\theta)\propto e^{-h(\theta)/T}`. If
    :math:`h` is the mean negative log-likelihood of :math:`N` rows, :math:`T=1/N` gives the posterior, and
    ``weight_decay`` is :math:`1/(N\sigma^2)` for a prior :math:`N(0,\sigma^2)`. Welling and Teh write
    :math:`\epsilon/(2N)` for this :math:`\eta T`.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`; a schedule that falls like a power of time makes the draws exact in the limit.
        temperature: :math:`T`; 0 is gradient descent.
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_t`.
        generator: Source of the noise, kept in ``state_dict``; by default PyTorch's global one.

    Example:
        >>> w = torch.zeros(4000, requires_grad=True)  # as many independent chains
        >>> optimizer = Langevin([w], lr=0.1, temperature=0.25, generator=torch.Generator().manual_seed(0))
        >>> for _ in range(100):
        ...     w.grad = w.detach().clone()  # h = w²/2, whose density is N(0, T)
        ...     optimizer.step()
        >>> 0.22 < w.var().item() < 0.29
        True

    Reference:
        Welling and Teh, Bayesian Learning via Stochastic Gradient Langevin Dynamics, 2011.
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-2,
        temperature: float = 1e-4,
        weight_decay: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> None:
        require("Langevin", "temperature", temperature, temperature >= 0, "at least 0", 1e-4)
        settings = {"lr": lr, "temperature": temperature, "weight_decay": weight_decay}
        super().__init__(params, settings, generator)

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        torch._foreach_add_(parameters, gradients, alpha=-group["lr"])
        if group["temperature"]:
            self.add_noise(parameters, math.sqrt(2 * group["lr"] * group["temperature"]))
