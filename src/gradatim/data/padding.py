"""Sequences of different lengths in one tensor, and back."""

from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


def pad_sequences(
    sequences: Sequence[ArrayLike | Tensor], *, padding: float = 0
) -> tuple[Tensor, Tensor]:
    """Put sequences of lengths :math:`T_n` side by side, filled up at the end to the longest.

    Args:
        sequences: Arrays or lists of shape ``(T_n, ...)``, each with one step or more.
        padding: Value of the steps that do not exist.

    Returns:
        The batch, shape ``(N, max T_n, ...)``, and the lengths :math:`T_n`, shape ``(N,)``.

    Example:
        >>> batch, lengths = pad_sequences([[5, 6, 7], [8]])
        >>> batch
        tensor([[5, 6, 7],
                [8, 0, 0]])
        >>> lengths
        tensor([3, 1])
    """
    tensors = [torch.as_tensor(sequence) for sequence in sequences]
    if not tensors:
        raise InvalidValue("pad_sequences: sequences must hold at least one, got none.")
    empty = next((n for n, tensor in enumerate(tensors) if not len(tensor)), None)
    if empty is not None:
        raise InvalidValue(
            f"pad_sequences: sequences must have one step or more each, got none in number {empty}. "
            "Leave empty sequences out."
        )
    if len({(tensor.shape[1:], tensor.dtype) for tensor in tensors}) > 1:
        kinds = sorted({f"{tuple(t.shape[1:])} of {t.dtype}" for t in tensors})
        raise InvalidValue(
            f"pad_sequences: sequences must have steps of one shape and type, got {' and '.join(kinds)}."
        )
    lengths = torch.tensor([len(tensor) for tensor in tensors])
    return pad_sequence(tensors, batch_first=True, padding_value=padding), lengths


@takes_arrays
def unpad_sequences(batch: Tensor, lengths: Tensor) -> list[Tensor]:
    """Cut each row of a padded batch to its own length.

    Args:
        batch: Shape ``(N, T, ...)``.
        lengths: Shape ``(N,)``.

    Example:
        >>> [row.tolist() for row in unpad_sequences(torch.tensor([[5, 6], [8, 0]]), torch.tensor([2, 1]))]
        [[5, 6], [8]]
    """
    return [row[:length] for row, length in zip(batch, lengths.tolist(), strict=True)]
