"""Momentum as the inertia of a heavy ball."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require


def heavy_ball_update(
    parameters: list[Tensor],
    gradients: list[Tensor],
    velocities: list[Tensor],
    *,
    lr: float,
    momentum: float,
) -> None:
    r"""Change velocities to :math:`\beta v-\eta g` and add them to the parameters, in place."""
    torch._foreach_mul_(velocities, momentum)
    torch._foreach_add_(velocities, gradients, alpha=-lr)
    torch._foreach_add_(parameters, velocities)


class HeavyBall(ForeachOptimizer):
    r"""Heavy-ball momentum: a part :math:`\beta` of the last move is repeated.

    .. math:: \theta_{t+1} = \theta_t - \eta\,g_t + \beta\,(\theta_t-\theta_{t-1})

    or, with the velocity :math:`v_{t+1}=\theta_{t+1}-\theta_t`, :math:`v_{t+1}=\beta v_t-\eta g_t`. Under a
    constant gradient the step grows to :math:`\eta/(1-\beta)`.

    At a constant rate this is ``torch.optim.SGD(momentum=β)``. Where a schedule changes the rate the two
    differ: here the velocity keeps the rate it was gained with, there it is rescaled at once.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        momentum: :math:`\beta` in [0, 1).
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_t`.

    Example:
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = HeavyBall([w], lr=0.1, momentum=0.5)
        >>> for _ in range(2):
        ...     w.grad = torch.ones(1)
        ...     optimizer.step()
        >>> w.detach()
        tensor([0.7500])

    Reference:
        Polyak, Some methods of speeding up the convergence of iteration methods, 1964.
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-2,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ) -> None:
        require("HeavyBall", "momentum", momentum, 0 <= momentum < 1, "in [0, 1)", 0.9)
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        velocities = self.buffers(parameters, "velocity")
        heavy_ball_update(
            parameters, gradients, velocities, lr=group["lr"], momentum=group["momentum"]
        )
