"""Attention to a neighbourhood: every query sees the keys near to it, and the cost grows with length, not its square."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole


@takes_arrays
def window_mask(
    num_queries: int,
    num_keys: int | None = None,
    *,
    window: int,
    is_causal: bool = False,
    device: torch.device | str | None = None,
) -> Tensor:
    r"""Let every position see the last few, itself included, and without ``is_causal`` the next as well.

    .. math:: M_{ts} = [\,|t + S - T - s| < w\,], \qquad \text{causal: } M_{ts} = [\,0 \le t + S - T - s < w\,]

    The last query sees the last key, as in :func:`~gradatim.nn.causal_mask`.

    Args:
        num_queries: :math:`T`.
        num_keys: :math:`S`, by default :math:`T`.
        window: :math:`w`, how many keys a causal query sees.
        is_causal: Whether what comes after is hidden.
        device: Where the mask lives.

    Returns:
        Booleans of shape ``(T, S)``.

    Example:
        >>> window_mask(3, window=2, is_causal=True).int()
        tensor([[1, 0, 0],
                [1, 1, 0],
                [0, 1, 1]], dtype=torch.int32)
    """
    require_whole("window_mask", window=window)
    num_keys = num_queries if num_keys is None else num_keys
    queries = torch.arange(num_queries, device=device)[:, None] + num_keys - num_queries
    back = queries - torch.arange(num_keys, device=device)  # (T, S)
    return (back < window) & (back > (-1 if is_causal else -window))


def attend_in_blocks(
    attend: Callable[..., Tensor],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    window: int,
    is_causal: bool,
    dropout: float,
) -> Tensor:
    """Attend within a window by blocks of its size, each of which sees itself and its neighbours.

    Args:
        attend: Attention of a query ``(..., T, d)`` to keys, with a mask.
        query: Shape ``(..., T, d_k)``.
        key: Shape ``(..., T, d_k)``.
        value: Shape ``(..., T, d_v)``.
        window: Keys that a causal query sees.
        is_causal: Whether what comes after is hidden.
        dropout: Probability to drop a weight.

    Example:
        >>> from gradatim.nn import attend
        >>> x = torch.ones(1, 5, 2)
        >>> attend_in_blocks(attend, x, x, x, window=2, is_causal=True, dropout=0.0).shape
        torch.Size([1, 5, 2])
    """
    T = query.shape[-2]
    count = -(-T // window)
    after = 0 if is_causal else window
    query = F.pad(query, (0, 0, 0, count * window - T)).unflatten(-2, (count, window))
    pad = (0, 0, window, count * window - T + after)
    span = 2 * window + after
    key, value = (
        F.pad(part, pad).unfold(-2, span, window).transpose(-1, -2) for part in (key, value)
    )  # (..., count, span, d)
    place = torch.arange(-window, span - window, device=query.device)
    start = torch.arange(count, device=query.device)[:, None] * window
    is_key = (start + place >= 0) & (start + place < T)  # (count, span)
    back = torch.arange(window, device=query.device)[:, None] - place  # (window, span)
    is_near = (back < window) & (back > (-1 if is_causal else -window))
    mask = (is_near & is_key[:, None]).expand(*query.shape[:-1], span)
    heads = attend(query, key, value, mask=mask, dropout=dropout)
    return heads.flatten(-3, -2)[..., :T, :]
