"""The training error of a network as a function of one vector, which instruments of convergence work on."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.func import functional_call

from gradatim.errors import InvalidValue, require_whole
from gradatim.instruments.chunked_objective import sum_in_chunks

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
    model: nn.Module,
    loss: Callable[[Tensor, Tensor], Tensor],
    X: Tensor,
    y: Tensor,
    *,
    chunk_size: int | None = None,
) -> tuple[VectorObjective, Tensor]:
    r"""Return :math:`h(\theta)=\ell(f_\theta(X), y)` and the present :math:`\theta` as a vector.

    The model is left alone: its weights are read once, and :math:`h` uses its own. In chunks, the same function needs the
    memory of one chunk: values, gradients and products with the Hessian are added up over the rows,

    .. math:: h(\theta) = \sum_c \tfrac{n_c}{n}\,\ell(f_\theta(X_c), y_c)

    which asks for a loss that is a mean over rows, and a network whose rows do not see each other (evaluation mode).

    Args:
        model: Network; used in the mode, training or evaluation, that it is in.
        loss: Function ``(output, target) -> scalar``.
        X: Inputs.
        y: Targets.
        chunk_size: Rows that are computed at once; by default all.

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

    def objective(theta: Tensor, rows: slice = slice(None)) -> Tensor:
        parts = theta.split(sizes)
        weights = {
            name: part.view(shape) for name, part, shape in zip(named, parts, shapes, strict=True)
        }
        return loss(functional_call(model, weights, (X[rows],)), y[rows])

    theta = torch.cat([p.detach().flatten() for p in named.values()])
    if chunk_size is None:
        return objective, theta
    require_whole("network_objective", chunk_size=chunk_size)
    starts = range(0, len(X), chunk_size)
    chunks = [slice(start, min(start + chunk_size, len(X))) for start in starts]
    shares = [(rows.stop - rows.start) / len(X) for rows in chunks]
    parts = [partial(objective, rows=rows) for rows in chunks]
    return sum_in_chunks(parts, shares), theta
