"""Nucleus sampling: leave out the unlikely tail."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays


@takes_arrays
def keep_top_p(logits: Tensor, p: float) -> Tensor:
    r"""Leave the smallest set of likeliest tokens that together have probability ``p`` or more.

    .. math:: V_p = \{1,\dots,m\}, \quad m = \min\Big\{m : \sum_{i\le m} p_{(i)} \ge p\Big\}

    Args:
        logits: Shape ``(..., V)``.
        p: Probability of the set, in (0, 1].

    Returns:
        The logits, :math:`-\infty` where a token may not be drawn.

    Example:
        >>> keep_top_p(torch.tensor([0.1, 0.6, 0.3]).log(), 0.7).exp()
        tensor([0.0000, 0.6000, 0.3000])

    Reference:
        Holtzman et al., The Curious Case of Neural Text Degeneration, 2020, eq. 3.
    """
    ordered, order = logits.sort(descending=True, stable=True)
    odds = ordered.softmax(-1)
    before = odds.cumsum(-1) - odds  # what the likelier tokens already cover
    is_kept = (before < p).index_fill(-1, order.new_zeros(1), True)  # however small p is
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, is_kept)
    return logits.masked_fill(~keep, -torch.inf)
