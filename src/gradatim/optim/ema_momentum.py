"""Momentum as an exponential moving average of gradients."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require


class EMAMomentum(ForeachOptimizer):
    r"""Descend along the moving average of the gradients.

    .. math:: v_{t+1} = \beta v_t + (1-\beta)\,g_t, \qquad \theta_{t+1} = \theta_t - \eta\,v_{t+1}

    The average has weights that sum to one in the long run, so :math:`\eta` means what it means without
    momentum; the heavy ball with rate :math:`(1-\beta)\eta` takes the same path. It starts at
    :math:`v_0=0`, hence with small steps; ``torch.optim.SGD(momentum=β, dampening=1-β)`` starts at
    :math:`v_1=g_0` instead.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        momentum: :math:`\beta` in [0, 1).
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_t`.

    Example:
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = EMAMomentum([w], lr=1.0, momentum=0.75)
        >>> w.grad = torch.ones(1)
        >>> optimizer.step()
        >>> w.detach()
        tensor([0.7500])
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-1,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ) -> None:
        require("EMAMomentum", "momentum", momentum, 0 <= momentum < 1, "in [0, 1)", 0.9)
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        averages = self.buffers(parameters, "average")
        torch._foreach_lerp_(averages, gradients, 1 - group["momentum"])
        torch._foreach_add_(parameters, averages, alpha=-group["lr"])
