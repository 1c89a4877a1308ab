"""Nesterov's acceleration: look ahead, then descend from there."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import Closure, ForeachOptimizer, require


class NesterovExtrapolation(ForeachOptimizer):
    r"""Nesterov's acceleration in its own form: an extrapolation, then a gradient step from its end.

    .. math::
        \chi_{t+1} = \theta_t + \beta\,(\theta_t-\theta_{t-1}), \qquad
        \theta_{t+1} = \chi_{t+1} - \eta\,\nabla h(\chi_{t+1})

    The gradient is needed at :math:`\chi_{t+1}`, so ``step`` takes a closure, which it calls once; the
    parameters are :math:`\theta` again when it returns, and the loss is that of :math:`\chi_{t+1}`.
    ``torch.optim.SGD(momentum=β, nesterov=True)`` avoids the closure by keeping :math:`\chi` as the
    parameters; at a constant rate its iterates are the :math:`\chi` of this rule.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        momentum: :math:`\beta` in [0, 1).
        weight_decay: :math:`\gamma`; the gradient contains :math:`\gamma\chi_{t+1}`.

    Example:
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = NesterovExtrapolation([w], lr=0.25, momentum=0.5)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = w.square().sum()
        ...     loss.backward()
        ...     return loss
        >>> losses = [optimizer.step(closure).item() for _ in range(2)]
        >>> losses, w.detach()  # χ is 1, then 0.5 + 0.5 · (0.5 − 1) = 0.25
        ([1.0, 0.0625], tensor([0.1250]))

    Reference:
        Nesterov, A method for solving the convex programming problem with convergence rate O(1/k²), 1983.
    """

    needs_closure = True

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-2,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ) -> None:
        require("NesterovExtrapolation", "momentum", momentum, 0 <= momentum < 1, "in [0, 1)", 0.9)
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Tensor:  # type: ignore[override]
        """Extrapolate, evaluate ``closure`` there, descend."""
        for group in self.param_groups:
            parameters = [p for p in group["params"] if p.requires_grad]
            moves = self.buffers(parameters, "move")  # θ_t − θ_{t−1}
            torch._foreach_mul_(moves, group["momentum"])
            torch._foreach_add_(parameters, moves)
        loss = self.evaluate(closure)
        for group in self.param_groups:
            parameters, gradients = self.gradients(group)
            if parameters:
                # The whole move is that of the extrapolation and that of the gradient.
                torch._foreach_add_(self.buffers(parameters, "move"), gradients, alpha=-group["lr"])
                torch._foreach_add_(parameters, gradients, alpha=-group["lr"])
        return loss
