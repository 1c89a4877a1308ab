"""One row per set, from one row per element."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose

POOLINGS = ("sum", "mean", "max", "min")


@takes_arrays
def pool_sets(x: Tensor, is_real: Tensor | None = None, *, pooling: str = "sum") -> Tensor:
    """Add up, average or take the largest or smallest of the elements of every set; their order plays no part.

    Args:
        x: Elements, shape ``(B, M, F)``.
        is_real: False at padding, shape ``(B, M)``; ``None`` where there is none.
        pooling: ``"sum"``, ``"mean"``, ``"max"`` or ``"min"``.

    Returns:
        Shape ``(B, F)``; zeros for an empty set.

    Example:
        >>> pool_sets(torch.tensor([[[1.0], [4.0], [9.0]]]), torch.tensor([[True, True, False]]), pooling="mean")
        tensor([[2.5000]])
    """
    choose("pool_sets", "pooling", pooling, POOLINGS)
    if is_real is None:
        is_real = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
    if pooling in ("max", "min"):
        end = float("-inf") if pooling == "max" else float("inf")
        if x.shape[1] == 0:
            return x.new_zeros(x.shape[0], x.shape[2])
        filled = x.masked_fill(~is_real[..., None], end)
        found = filled.amax(1) if pooling == "max" else filled.amin(1)
        return torch.where(is_real.any(1, keepdim=True), found, 0.0)
    total = x.masked_fill(~is_real[..., None], 0.0).sum(1)
    return total if pooling == "sum" else total / is_real.sum(1, keepdim=True).clamp(min=1)
