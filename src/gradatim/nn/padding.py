"""Sequences of unequal length side by side: which steps are real, and how to turn only those round."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue
from gradatim.hidden_values import are_values_hidden


@takes_arrays
def real_steps(owner: str, x: Tensor, lengths: object | None) -> Tensor | None:
    """Return a mask ``(B, T)`` that is True at real steps and False at padding.

    Args:
        owner: Who asks, for the message.
        x: Padded batch, shape ``(B, T, ...)``.
        lengths: Real steps of each sequence, ``B`` whole numbers from 0 to ``T``; ``None`` for all.

    Returns:
        The mask, or ``None`` where nothing is padding.

    Example:
        >>> real_steps("Recurrent", torch.zeros(2, 3, 1), [3, 1])
        tensor([[ True,  True,  True],
                [ True, False, False]])
    """
    if lengths is None:
        return None
    B, T = x.shape[:2]
    count = as_count(owner, lengths).to(x.device)
    if count.shape != (B,):
        raise InvalidValue(
            f"{owner}: lengths must be one number per sequence, got shape {tuple(count.shape)} for a batch of {B}."
        )
    is_real = torch.arange(T, device=x.device) < count[:, None]  # (B, T)
    if are_values_hidden():
        return is_real
    if B and not 0 <= int(count.min()) <= int(count.max()) <= T:
        raise InvalidValue(
            f"{owner}: lengths must be from 0 to the padded length {T}, got {int(count.min())} to {int(count.max())}."
        )
    return None if bool(is_real.all()) else is_real


def as_count(owner: str, lengths: object) -> Tensor:
    """Return whole numbers as a tensor; a state, which PyTorch's layers take in this place, is told its own."""
    rule = f"{owner}: lengths must be whole numbers"
    try:
        count = torch.as_tensor(lengths)
    except (TypeError, ValueError, RuntimeError) as error:
        kind = type(lengths).__name__
        raise InvalidType(f"{rule}, got a {kind}. A state is given by name, state=.") from error
    if count.is_floating_point() or count.is_complex() or count.dtype == torch.bool:
        remedy = " A state is given by name, state=." if count.ndim > 1 else ""
        raise InvalidType(f"{rule}, got {count.dtype}.{remedy}")
    return count


@takes_arrays
def reverse_steps(x: Tensor, is_real: Tensor | None = None) -> Tensor:
    """Turn every sequence round, its padding left behind it; doing it twice changes nothing.

    Args:
        x: Padded batch, shape ``(B, T, D)``.
        is_real: Mask ``(B, T)`` of :func:`real_steps`, or ``None``.

    Returns:
        The reversed batch, shape of ``x``.

    Example:
        >>> x = torch.tensor([[1.0, 2.0, 0.0]]).unsqueeze(-1)
        >>> reverse_steps(x, torch.tensor([[True, True, False]])).flatten()
        tensor([2., 1., 0.])
    """
    if is_real is None:
        return x.flip(1)
    t = torch.arange(x.shape[1], device=x.device)
    index = torch.where(is_real, is_real.sum(1, keepdim=True) - 1 - t, t)  # (B, T)
    return x.gather(1, index[..., None].expand_as(x))
