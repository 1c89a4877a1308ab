"""Two gradients a step, for games where one is not enough."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import Closure, ForeachOptimizer


class Extragradient(ForeachOptimizer):
    r"""Try a step, then redo it with the gradient found at its end.

    .. math::
        \theta_{t+1/2} = \theta_t - \eta\,g(\theta_t), \qquad \theta_{t+1} = \theta_t - \eta\,g(\theta_{t+1/2})

    For a zero-sum game :math:`\min_\theta\max_\varphi\ell(\theta,\varphi)` put the second player's
    parameters in a group with ``maximize=True``: they climb. All players move to the half step together,
    so each answers the other's next move. On :math:`\ell=\theta\varphi`, where descent and ascent spiral
    outwards by :math:`\sqrt{1+\eta^2}` a step, this spirals inwards by :math:`\sqrt{1-\eta^2+\eta^4}`. If a
    player looked ahead alone, as one sometimes reads, nothing would be gained there: the gradient of
    :math:`\theta\varphi` in :math:`\theta` does not depend on :math:`\theta`.

    ``step`` takes a closure, which it calls twice, and returns the loss of :math:`\theta_t`.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        weight_decay: :math:`\gamma`; :math:`g` contains :math:`\gamma\theta`, and shrinks climbers too.
        maximize: Climb instead of descend; usually set in a group.

    Example:
        >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = Extragradient([{"params": [x]}, {"params": [y], "maximize": True}], lr=0.5)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x * y).sum()
        ...     loss.backward()
        ...     return loss
        >>> for _ in range(60):
        ...     _ = optimizer.step(closure)
        >>> bool(x.abs() < 0.01), bool(y.abs() < 0.01)
        (True, True)

    Reference:
        Korpelevich, The extragradient method for finding saddle points, 1976.
    """

    needs_closure = True

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-2,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "maximize": maximize})

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Tensor:  # type: ignore[override]
        """Evaluate ``closure`` here and at the half step, then move."""
        loss = self.evaluate(closure)
        starts = {p: p.clone() for group in self.param_groups for p in group["params"]}
        self._move(starts)
        self.evaluate(closure)
        self._move(starts)
        return loss

    def _move(self, starts: dict[Tensor, Tensor]) -> None:
        """Go from the starts along the present gradients."""
        found = [self.gradients(group) for group in self.param_groups]
        torch._foreach_copy_(list(starts), list(starts.values()))
        for group, (parameters, gradients) in zip(self.param_groups, found, strict=True):
            if parameters:
                torch._foreach_add_(parameters, gradients, alpha=-group["lr"])
