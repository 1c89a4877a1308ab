"""PyTorch's fused kernels of SGD, Adam and AdamW, and how tensors lie in the vectors they move."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer

MOMENTS: dict[type[Optimizer], tuple[str, ...]] = {
    Adam: ("exp_avg", "exp_avg_sq"),
    AdamW: ("exp_avg", "exp_avg_sq"),
    SGD: ("momentum_buffer",),
}
# values, 64 bytes: matrix kernels are fastest there, and their results may depend on it
ALIGNMENT = 16
Rule = Callable[..., None]


def moments_of(kind: type[Optimizer], settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the moments that a rule keeps with these settings: SGD without momentum has none."""
    return MOMENTS.get(kind, ()) if settings.get("momentum", 1) else ()


def aligned_starts(sizes: Iterable[int]) -> tuple[list[int], int]:
    """Return where tensors of these sizes begin in one vector, and its length.

    >>> aligned_starts([6, 3, 20])
    ([0, 16, 32], 64)
    """
    starts, total = [], 0
    for size in sizes:
        starts.append(total)
        total += -(-size // ALIGNMENT) * ALIGNMENT
    return starts, total


def fused_rule(kind: type[Optimizer]) -> Rule:
    """Return the rule of an optimizer as a function of vectors.

    It is called as ``rule(tensors, steps, settings, lr=, weight_decay=, is_first=)`` with lists of values, gradients
    and moments in ``tensors``, and moves them in place.
    """
    adam: Callable[..., Any] = torch._fused_adamw_ if kind is AdamW else torch._fused_adam_

    def rule(
        tensors: Sequence[list[Tensor]],
        steps: list[Tensor],
        settings: Mapping[str, Any],
        *,
        lr: float,
        weight_decay: float,
        is_first: bool = False,
    ) -> None:
        if kind is SGD:
            # without dampening a velocity of zero takes the first step as PyTorch does: `is_first` may be left out
            torch._fused_sgd_(
                tensors[0],
                tensors[1],
                tensors[2] if len(tensors) > 2 else [],
                lr=lr,
                weight_decay=weight_decay,
                momentum=settings["momentum"],
                dampening=settings["dampening"],
                nesterov=settings["nesterov"],
                maximize=False,
                is_first_step=is_first,
            )
            return
        adam(
            *tensors,
            [],
            steps,
            lr=lr,
            beta1=settings["betas"][0],
            beta2=settings["betas"][1],
            weight_decay=weight_decay,
            eps=settings["eps"],
            amsgrad=False,
            maximize=False,
        )

    return rule
