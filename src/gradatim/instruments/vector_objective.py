"""The training error of a network as a function of one vector, which instruments of convergence work on."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call

from gradatim.errors import InvalidValue

VectorObjective = Callable[[Tensor], Tensor]


def value_and_gradient(function: VectorObjective, point: Tensor) -> tuple[Tensor, Tensor]:
    r"""Return :math:`h(\theta)` and :math:`\nabla h(\theta)`, whatever the mode of autograd.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.

    Example:
        >>> value_and_gradient(lambda w: w.square().sum(), torch.tensor([1.0, 2.0]))
        (tensor(5.), tensor([2., 4.]))
    """
    theta = point.detach().requires_grad_()
    with torch.enable_grad():
        value = function(theta)
        (gradient,) = torch.autograd.grad(value, theta)
    return value.detach(), gradient


def network_objective(
    model: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], X: Tensor, y: Tensor
) -> tuple[VectorObjective, Tensor]:
    r"""Return :math:`h(\theta)=\ell(f_\theta(X), y)` and the present :math:`\theta` as a vector.

    The model is left alone: its weights are read once, and :math:`h` uses its own.

    Args:
        model: Network; used in the mode, training or evaluation, that it is in.
        loss: Function ``(output, target) -> scalar``.
        X: Inputs.
        y: Targets.

    Example:
        >>> from gradatim.losses import mse
        >>> model, X = nn.Linear(2, 1), torch.randn(5, 2)
        >>> h, theta = network_objective(model, mse, X, torch.zeros(5))
        >>> theta.shape, bool(h(theta) == mse(model(X), torch.zeros(5)))
        (torch.Size([3]), True)
    """
    named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    if not named:
        raise InvalidValue(
            "network_objective: model must have a trainable parameter, got none. Check requires_grad."
        )
    sizes = [p.numel() for p in named.values()]
    shapes = [p.shape for p in named.values()]

    def objective(theta: Tensor) -> Tensor:
        parts = theta.split(sizes)
        weights = {
            name: part.view(shape) for name, part, shape in zip(named, parts, shapes, strict=True)
        }
        return loss(functional_call(model, weights, (X,)), y)

    return objective, torch.cat([p.detach().flatten() for p in named.values()])
