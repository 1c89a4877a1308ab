"""Who may look at whom: masks for attention, true where a query may see a key.

Masks broadcast to ``(B, num_heads, T, S)`` and combine with ``&``. A query that may see nothing gets a
zero output, never a NaN.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


def causal_mask(
    num_queries: int, num_keys: int | None = None, *, device: torch.device | str | None = None
) -> Tensor:
    r"""Let every position see itself and what came before.

    .. math:: M_{ts} = [\,s \le t + S - T\,]

    The last query sees the last key, so that :math:`T` new positions may follow :math:`S-T` old ones.

    Args:
        num_queries: :math:`T`.
        num_keys: :math:`S`, by default :math:`T`.
        device: Where the mask lives.

    Returns:
        Booleans of shape ``(T, S)``.

    Example:
        >>> causal_mask(2, 3).int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    num_keys = num_queries if num_keys is None else num_keys
    every = torch.ones(num_queries, num_keys, dtype=torch.bool, device=device)
    return every.tril(num_keys - num_queries)


@takes_arrays
def padding_mask(lengths: Tensor, length: int | None = None) -> Tensor:
    """Hide the padding behind sequences of different lengths.

    Args:
        lengths: How many keys of each sequence are real, shape ``(B,)``.
        length: Keys including padding, :math:`S`; by default the longest sequence.

    Returns:
        Booleans of shape ``(B, 1, 1, S)``, which broadcast over heads and queries.

    Example:
        >>> padding_mask(torch.tensor([2, 3])).flatten(1).int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    longest = int(lengths.max())
    length = longest if length is None else length
    if length < longest:
        raise InvalidValue(
            f"padding_mask: length must be at least the longest sequence, {longest}, got {length}."
        )
    real = torch.arange(length, device=lengths.device) < lengths.unsqueeze(1)  # (B, S)
    return real[:, None, None]
