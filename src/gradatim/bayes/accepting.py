"""The step of Metropolis and Hastings that makes a proposal exact: take it with the right probability."""

from typing import TypeVar

import torch
from torch import Tensor

S = TypeVar("S", bound=tuple[Tensor, ...])


def accept(
    log_ratio: Tensor, proposed: S, present: S, generator: torch.Generator | None
) -> tuple[S, Tensor, Tensor]:
    r"""Take each chain's proposal with probability :math:`\min(1, r)`; where :math:`r` is no number, never.

    Args:
        log_ratio: :math:`\log r`, shape ``(C,)``.
        proposed: Named tuple of tensors with a row per chain.
        present: The same where the chains stand.
        generator: Source of the decisions.

    Returns:
        The new state, the probabilities and which proposals were taken, shape ``(C,)`` each.
    """
    log_ratio = torch.nan_to_num(log_ratio, nan=-torch.inf, posinf=torch.inf, neginf=-torch.inf)
    uniform = torch.rand(
        log_ratio.shape, dtype=log_ratio.dtype, device=log_ratio.device, generator=generator
    )
    is_accepted = uniform.log() < log_ratio
    parts = (select(is_accepted, new, old) for new, old in zip(proposed, present, strict=True))
    taken = type(present)(*parts)
    return taken, log_ratio.clamp(max=0).exp(), is_accepted


def select(rows: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """The rows of ``new`` where ``rows`` says so, else those of ``old``."""
    return torch.where(rows.view(-1, *[1] * (new.ndim - 1)), new, old)
