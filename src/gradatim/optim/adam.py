"""Adam, with ε inside or outside the root."""

import torch
from torch import Tensor
from torch.optim.optimizer import ParamsT

from gradatim.errors import InvalidValue
from gradatim.optim.foreach_optimizer import ForeachOptimizer, Group, require
from gradatim.optim.rmsprop import root_of


def adam_update(
    parameters: list[Tensor],
    gradients: list[Tensor],
    means: list[Tensor],
    squares: list[Tensor],
    steps: list[float],
    *,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    eps_inside: bool,
    bias_correction: bool = True,
) -> None:
    """Update both moments, then the parameters by their bias-corrected ratio, in place."""
    torch._foreach_lerp_(means, gradients, 1 - betas[0])
    torch._foreach_mul_(squares, betas[1])
    torch._foreach_addcmul_(squares, gradients, gradients, value=1 - betas[1])
    seen, seen_squares = (
        [1 - beta**t if bias_correction else 1.0 for t in steps] for beta in betas
    )
    corrected = list(torch._foreach_div(squares, seen_squares))
    roots = root_of(corrected, eps, eps_inside=eps_inside)
    torch._foreach_addcdiv_(parameters, means, roots, [-lr / share for share in seen])


def check_moments(owner: str, betas: tuple[float, float], eps: float) -> None:
    """Refuse memories outside [0, 1) and an ε that is not positive."""
    if len(betas) != 2 or not all(0 <= beta < 1 for beta in betas):
        raise InvalidValue(
            f"{owner}: betas must be two numbers in [0, 1), got {betas}. Try betas=(0.9, 0.999)."
        )
    require(owner, "eps", eps, eps > 0, "more than 0", 1e-8)


class Adam(ForeachOptimizer):
    r"""Adam: momentum in units of the gradient's own size.

    .. math::
        m_t = \beta_1 m_{t-1} + (1-\beta_1)\,g_t, \quad v_t = \beta_2 v_{t-1} + (1-\beta_2)\,g_t^2, \quad
        \hat m_t = \frac{m_t}{1-\beta_1^t}, \quad \hat v_t = \frac{v_t}{1-\beta_2^t}

    .. math::
        \theta_t = \theta_{t-1} - \eta\,\frac{\hat m_t}{\sqrt{\hat v_t}+\epsilon}
        \quad\text{or}\quad \theta_{t-1} - \eta\,\frac{\hat m_t}{\sqrt{\hat v_t+\epsilon}}

    for :math:`t=1,2,\dots` The first form is the paper's and ``torch.optim.Adam``, which is faster: use
    this class for the second. There a gradient of :math:`10^{-6}` moves a parameter by
    :math:`10^{-2}\eta`, not by nearly :math:`\eta`.

    Args:
        params: Parameters or parameter groups.
        lr: :math:`\eta`.
        betas: :math:`\beta_1, \beta_2` in [0, 1).
        eps: :math:`\epsilon`, more than 0.
        weight_decay: :math:`\gamma`; :math:`g_t` contains :math:`\gamma\theta_{t-1}`.
        eps_inside: Put :math:`\epsilon` under the root.
        bias_correction: Divide by :math:`1-\beta^t`. Without it, as some notes print the rule, the first step is
            :math:`(1-\beta_1)/\sqrt{1-\beta_2}=3.16` times as long.

    Example:
        >>> for eps_inside in (False, True):
        ...     w = torch.zeros(1, requires_grad=True)
        ...     optimizer = Adam([w], lr=1e-3, eps_inside=eps_inside)
        ...     w.grad = torch.full((1,), 1e-4)
        ...     optimizer.step()
        ...     print(f"{w.item():.4e}")
        -9.9990e-04
        -7.0711e-04

    Reference:
        Kingma and Ba, Adam: A Method for Stochastic Optimization, 2014.
    """

    def __init__(
        self,
        params: ParamsT,
        *,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        eps_inside: bool = False,
        bias_correction: bool = True,
    ) -> None:
        check_moments("Adam", betas, eps)
        settings = {"lr": lr, "betas": betas, "eps": eps, "eps_inside": eps_inside}
        settings |= {"bias_correction": bias_correction}
        super().__init__(params, settings | {"weight_decay": weight_decay})

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        adam_update(
            parameters,
            gradients,
            self.buffers(parameters, "mean"),
            self.buffers(parameters, "square"),
            self.count(parameters),
            lr=group["lr"],
            betas=group["betas"],
            eps=group["eps"],
            eps_inside=group["eps_inside"],
            bias_correction=group.get("bias_correction", True),
        )
