"""A log-density of many chains at once: where they stand, and which way is up."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue

LogDensity = Callable[[Tensor], Tensor]


class State(NamedTuple):
    r"""Where chains stand that follow a gradient.

    Args:
        position: :math:`\theta`, a row per chain, shape ``(C, d)``.
        log_density: :math:`\log p(\theta)`, shape ``(C,)``.
        gradient: :math:`\nabla\log p(\theta)`, shape ``(C, d)``.
    """

    position: Tensor
    log_density: Tensor
    gradient: Tensor


@takes_arrays
def init(log_density: LogDensity, position: Tensor) -> State:
    r"""Place the chains and look at the density there.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``, each row by itself.
        position: Where the chains start, shape ``(C, d)``.

    Example:
        >>> state = init(lambda x: -x.square().sum(1) / 2, torch.tensor([[3.0, 4.0]]))
        >>> state.log_density, state.gradient
        (tensor([-12.5000]), tensor([[-3., -4.]]))
    """
    position = read_position(position)
    state = State(position, *evaluate(log_density, position))
    check_start(state.log_density)
    return state


def evaluate(log_density: LogDensity, position: Tensor) -> tuple[Tensor, Tensor]:
    r"""Return :math:`\log p` and its gradient, for all chains by one derivative of the sum.

    Where the gradient is not finite it counts as zero: the force is still a function of the position, so that leapfrog
    steps stay reversible, and no chain leaves the numbers.
    """
    point = position.detach().requires_grad_()
    with torch.enable_grad():
        value = log_density(point)
    if value.shape != position.shape[:1]:
        check_shape(value, position)
    if not value.requires_grad:
        raise InvalidType(
            "log_density: its value must depend on its argument by operations of PyTorch, got one without a gradient. "
            "Try sampler='metropolis', which needs none."
        )
    (gradient,) = torch.autograd.grad(value, point, torch.ones_like(value))
    return value.detach(), torch.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)


def read_position(position: Tensor) -> Tensor:
    """A copy of the starting points, of real numbers, a row per chain."""
    if position.ndim != 2 or not position.numel():
        raise InvalidValue(
            f"init: position must have a row per chain, shape (chains, d), got shape {tuple(position.shape)}. "
            "Try position[None] for one chain."
        )
    real = position if position.is_floating_point() else position.to(torch.get_default_dtype())
    return real.detach().clone()


def check_shape(value: Tensor, position: Tensor) -> None:
    """Raise unless there is one number per chain."""
    if value.shape != position.shape[:1]:
        raise InvalidValue(
            f"log_density: it must map {len(position)} rows to as many numbers, got shape {tuple(value.shape)}. "
            "Sum over the last dimension only, or say is_batched=False in sample."
        )


def check_start(value: Tensor) -> None:
    """Raise unless every chain starts where the density is positive and finite."""
    is_bad = ~torch.isfinite(value)
    if is_bad.any():
        chain = int(is_bad.nonzero()[0])
        raise InvalidValue(
            f"log_density: it must be finite where a chain starts, got {float(value[chain])} in chain {chain + 1} of "
            f"{len(value)}. Start inside the support, or name it with support= in sample."
        )
