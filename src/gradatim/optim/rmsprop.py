"""RMSProp, with ε inside or outside the root."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require


def root_of(squares: list[Tensor], eps: float, *, eps_inside: bool) -> list[Tensor]:
    r"""Return :math:`\sqrt{s+\epsilon}` or :math:`\sqrt s+\epsilon` for every tensor."""
    if eps_inside:
        roots = torch._foreach_add(squares, eps)
        torch._foreach_sqrt_(roots)
    else:
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, eps)
    return list(roots)


class RMSProp(ForeachOptimizer):
    r"""Divide each gradient by the root of its mean square.

    .. math::
        s_{t+1} = \rho s_t + (1-\rho)\,g_t^2, \qquad
        \theta_{t+1} = \theta_t - \eta\,\frac{g_t}{\sqrt{s_{t+1}}+\epsilon}
        \quad\text{or}\quad \theta_t - \eta\,\frac{g_t}{\sqrt{s_{t+1}+\epsilon}}

    The first form is ``torch.optim.RMSprop(alpha=ρ)``. In the second the least denominator is
    :math:`\sqrt\epsilon`, so gradients below :math:`\sqrt\epsilon=10^{-4}` are hardly enlarged.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        rho: :math:`\rho` in [0, 1), memory of the mean square.
        eps: :math:`\epsilon`, more than 0.
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_t`.
        eps_inside: Put :math:`\epsilon` under the root.

    Example:
        >>> w = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = RMSProp([w], lr=0.1, rho=0.75)
        >>> w.grad = torch.full((1,), 8.0)
        >>> optimizer.step()
        >>> w.detach()  # √0.25 · 8 = 4 divides 8
        tensor([0.8000])

    Reference:
        Tieleman and Hinton, Lecture 6.5: RMSProp, 2012.
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-3,
        rho: float = 0.9,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        eps_inside: bool = False,
    ) -> None:
        require("RMSProp", "rho", rho, 0 <= rho < 1, "in [0, 1)", 0.9)
        require("RMSProp", "eps", eps, eps > 0, "more than 0", 1e-8)
        settings = {"lr": lr, "rho": rho, "eps": eps, "eps_inside": eps_inside}
        super().__init__(params, settings | {"weight_decay": weight_decay})

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        squares = self.buffers(parameters, "square")
        torch._foreach_mul_(squares, group["rho"])
        torch._foreach_addcmul_(squares, gradients, gradients, value=1 - group["rho"])
        roots = root_of(squares, group["eps"], eps_inside=group["eps_inside"])
        torch._foreach_addcdiv_(parameters, gradients, roots, value=-group["lr"])
