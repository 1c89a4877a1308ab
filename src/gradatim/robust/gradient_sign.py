"""The fast gradient sign method."""

import math

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.robust.ascent import look
from gradatim.robust.balls import CubeBall
from gradatim.robust.victim import Bounds, check_eps, run_attack


@takes_arrays
def fgsm(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    targeted: bool = False,
    bounds: Bounds | None = None,
) -> Tensor:
    r"""Move every input by :math:`\epsilon` in the direction in which the loss of the sample grows.

    .. math:: x'=x+\epsilon\operatorname{sign}\nabla_x\ell(f(x),y)

    Targeted, it goes down the loss of the class that is wanted, :math:`x'=x-\epsilon\operatorname{sign}\nabla_x\ell`.

    It solves :math:`\max_{\lVert\eta\rVert_\infty\le\epsilon}\ell` for the loss made linear at :math:`x`.

    Args:
        model: A classifier that returns scores ``(B, K)``, or one logit per sample for two classes. It is
            left as it was: parameters, gradients, buffers and mode.
        x: :math:`x`, shape ``(B, ...)``.
        y: Classes, shape ``(B,)``: the true ones, or those wanted if ``targeted``.
        eps: :math:`\epsilon`, the largest change of an entry.
        targeted: Whether to go down the loss of ``y`` instead.
        bounds: Least and largest value of an entry, such as ``(0, 1)`` for images.

    Returns:
        :math:`x'`, shape of ``x``.

    Example:
        >>> model = nn.Linear(2, 2, bias=False)
        >>> model.weight.data = torch.tensor([[1.0, -2.0], [0.0, 0.0]])
        >>> fgsm(model, torch.tensor([[3.0, 1.0]]), torch.tensor([0]), eps=0.5)
        tensor([[2.5000, 1.5000]])

    Reference:
        Goodfellow, Shlens and Szegedy, Explaining and Harnessing Adversarial Examples, 2015.
    """
    eps = check_eps("fgsm", eps)

    def attack(x: Tensor, y: Tensor) -> Tensor:
        direction = look("fgsm", model, x, y, math.inf, targeted=targeted).direction
        return CubeBall(x, eps, bounds).project(torch.add(x, direction, alpha=eps))

    return run_attack("fgsm", model, attack, x, y, bounds)
