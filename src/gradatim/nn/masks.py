"""Who may look at whom: masks for attention, true where a query may see a key.

Masks broadcast to ``(B, num_heads, T, S)`` and combine with ``&``. A query that may see nothing gets a
zero output, never a NaN.

**True is "may see"**, as in PyTorch's ``scaled_dot_product_attention``. The masks of ``nn.MultiheadAttention``
and ``nn.Transformer`` say the opposite; :func:`mask_from_pytorch` turns them round.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue, require


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


@takes_arrays
def mask_from_pytorch(
    attn_mask: Tensor | None = None, key_padding_mask: Tensor | None = None
) -> Tensor:
    """Turn masks of ``nn.MultiheadAttention``, which are True where nobody may look, into ours.

    Args:
        attn_mask: True, or minus infinity, where a query may *not* see a key; False, or 0, where it may. Shape
            ``(T, S)``, or ``(B, num_heads, T, S)``.
        key_padding_mask: True, or minus infinity, where a key is padding, shape ``(B, S)``.

    Returns:
        Booleans, True where a query may see a key, which broadcast to ``(B, num_heads, T, S)``.

    Example:
        >>> mask_from_pytorch(key_padding_mask=torch.tensor([[False, False, True]])).flatten().int()
        tensor([1, 1, 0], dtype=torch.int32)
    """
    owner = "mask_from_pytorch"
    given = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
    found = [_is_seen(owner, name, mask) for name, mask in given.items() if mask is not None]
    require(found, f"{owner}: one mask or both must be given", "none")
    if key_padding_mask is not None:
        shape = tuple(key_padding_mask.shape)
        require(len(shape) == 2, f"{owner}: key_padding_mask must have shape (B, S)", shape)
        found[-1] = found[-1][:, None, None]  # (B, 1, 1, S)
    return found[0] & found[1] if len(found) > 1 else found[0]


def _is_seen(owner: str, name: str, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return ~mask
    is_plain = ((mask == 0) | (mask == -torch.inf)).all()
    rule = f"{owner}: {name} must be booleans, or floats that are 0 and minus infinity"
    require(
        mask.is_floating_point() and is_plain, rule, f"other values of {mask.dtype}",
        "Add a bias to the scores yourself: softmax(scores + bias).",
    )  # fmt: skip
    return mask == 0


def check_mask(owner: str, mask: Tensor, queries: Tensor, keys: Tensor) -> None:
    """Raise unless a mask holds booleans that broadcast to every query and key.

    Args:
        owner: Who asks, for the message.
        mask: True where a query may see a key.
        queries: Shape ``(..., T, d)``.
        keys: Shape ``(..., S, d)``.
    """
    if mask.dtype != torch.bool:
        raise InvalidType(
            f"{owner}: mask must be booleans, True where a query may see a key, got {mask.dtype}. "
            "Try mask.bool(), or mask_from_pytorch for a mask of PyTorch's, which says the opposite."
        )
    wanted = (*queries.shape[:-1], keys.shape[-2])
    short = mask.shape[::-1]
    fits = mask.ndim <= len(wanted) and all(
        size in (1, want) for size, want in zip(short, wanted[::-1], strict=False)
    )
    remedy = "A mask of keys (B, S) is mask[:, None, None] for heads and queries."
    require(fits, f"{owner}: mask must broadcast to {wanted}", f"shape {tuple(mask.shape)}", remedy)
