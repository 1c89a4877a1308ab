r"""Proximal gradient descent: L1 with exact zeros.

.. math::
    w \leftarrow S_{\eta\lambda}(w-\eta\,\nabla E), \qquad
    S_a(v)=\operatorname{sign}(v)\max(|v|-a,0)=\arg\min_w \tfrac12(w-v)^2+a|w|
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def soft_threshold(v: Tensor, amount: float) -> Tensor:
    r"""Move every value towards zero by ``amount``, and no further.

    Args:
        v: Values.
        amount: :math:`a\ge0` of :math:`S_a`.

    Example:
        >>> soft_threshold(torch.tensor([-2.0, 0.3, 1.0]), 0.5)
        tensor([-1.5000,  0.0000,  0.5000])
    """
    return torch.nn.functional.softshrink(v, amount)


class ProximalGradient(Optimizer):
    r"""Gradient steps, each followed by soft thresholding of the weights.

    Converges to the lasso on least squares (the iterative shrinkage-thresholding algorithm). The
    thresholds follow the learning rate of their group. Biases and gains, the parameters with at most
    one axis, are not thresholded.

    Args:
        params: Parameters or parameter groups; a group may set its own ``l1``.
        lr: :math:`\eta`.
        l1: :math:`\lambda` of the penalty :math:`\lambda\lVert w\rVert_1`.

    Example:
        >>> w = torch.nn.Parameter(torch.tensor([[1.0, 0.05]]))
        >>> optimizer = ProximalGradient([w], lr=0.1, l1=1.0)
        >>> w.sum().mul(0.0).backward()
        >>> optimizer.step()
        >>> w.data
        tensor([[0.9000, 0.0000]])

    Reference:
        Daubechies, Defrise, De Mol, An Iterative Thresholding Algorithm, 2004.
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 1e-3,
        *,
        l1: float = 1e-4,
    ) -> None:
        for name, value in (("lr", lr), ("l1", l1)):
            if not value >= 0:
                raise InvalidValue(f"ProximalGradient: {name} must be at least 0, got {value}.")
        super().__init__(params, {"lr": lr, "l1": l1})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Take one step with the gradients of the last backward pass."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            moving = [p for p in group["params"] if p.grad is not None]
            if moving:
                torch._foreach_add_(moving, [p.grad for p in moving], alpha=-group["lr"])
            for weight in moving:
                if weight.ndim > 1:
                    weight.copy_(soft_threshold(weight, group["lr"] * group["l1"]))
        return loss
