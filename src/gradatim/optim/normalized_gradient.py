"""Steps of a given length along the gradient."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import Closure, ForeachOptimizer


class NormalizedGradient(ForeachOptimizer):
    r"""Move a distance :math:`\eta` along the gradient, however long it is.

    .. math:: \theta_{t+1} = \theta_t - \eta\,\frac{g_t}{\lVert g_t\rVert}

    The norm is that of the whole gradient, over all parameter groups. A zero gradient moves nothing. With
    a constant :math:`\eta` the iterates circle a minimum at distance about :math:`\eta/2`: use a schedule.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`, the length of a step.
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_t`.

    Example:
        >>> w = torch.zeros(2, requires_grad=True)
        >>> optimizer = NormalizedGradient([w], lr=0.5)
        >>> w.grad = torch.tensor([300.0, 400.0])
        >>> optimizer.step()
        >>> w.detach()
        tensor([-0.3000, -0.4000])
    """

    def __init__(self, params: ParamsT, *, lr: float = 1e-2, weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Tensor | None:  # type: ignore[override]
        """Move every parameter along its part of the unit gradient."""
        loss = None if closure is None else self.evaluate(closure)
        parts = [(group["lr"], *self.gradients(group)) for group in self.param_groups]
        gradients = [gradient for _, _, some in parts for gradient in some]
        if not gradients:
            return loss
        length = torch.nn.utils.get_total_norm(gradients, foreach=True)
        # Zero over one is zero: no move.
        length = torch.where(length > 0, length, torch.ones_like(length))
        for lr, parameters, some in parts:
            if parameters:
                unit = torch._foreach_div(some, length)
                torch._foreach_add_(parameters, unit, alpha=-lr)
        return loss
