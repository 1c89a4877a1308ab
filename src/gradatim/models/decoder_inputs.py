"""What a decoder is given while it learns: the past of what it should write."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import START


@takes_arrays
def shift_right(target: Tensor, start: int = START) -> Tensor:
    """What a decoder is given when it should write ``target``: ``<start>``, then all tokens but the last.

    Args:
        target: Tokens, shape ``(B, L)``.
        start: The token ``<start>``; by default a Vocabulary's.

    Example:
        >>> shift_right(torch.tensor([[5, 6, 2]]))
        tensor([[1, 5, 6]])
    """
    return torch.cat([torch.full_like(target[:, :1], start), target[:, :-1]], 1)
