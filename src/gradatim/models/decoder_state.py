"""States as plain numbers: where decoders start, and what attention is asked with."""

import torch
from torch import Tensor

from gradatim.nn import Recurrent
from gradatim.nn.cells.cell import State


def numbers_per_part(rnn: Recurrent) -> int:
    """Return how many real numbers one part of one layer's state holds.

    Args:
        rnn: Layers in one direction.

    Example:
        >>> numbers_per_part(Recurrent("gru", 3, 8)), numbers_per_part(Recurrent("lru", 3, 8))
        (8, 8)
    """
    return rnn.state_dim * (2 if rnn.is_complex else 1)


def state_from_numbers(rnn: Recurrent, numbers: Tensor) -> State:
    """Return the state that ``numbers`` describe; complex parts take two of them for each entry.

    Args:
        rnn: Layers in one direction.
        numbers: Shape ``(B, parts * layers * numbers_per_part)``.

    Returns:
        Parts of shape ``(num_layers, B, state_dim)``.

    Example:
        >>> rnn = Recurrent("lstm", 3, 4, num_layers=2)
        >>> [part.shape for part in state_from_numbers(rnn, torch.zeros(5, 16))]
        [torch.Size([2, 5, 4]), torch.Size([2, 5, 4])]
    """
    parts = numbers.view(len(numbers), rnn.num_states, rnn.num_layers, -1).permute(1, 2, 0, 3)
    if rnn.is_complex:
        parts = torch.view_as_complex(parts.unflatten(-1, (-1, 2)).contiguous())
    return tuple(parts)


def batch_first(state: State) -> State:
    """Exchange the first two axes of every part: layers first for the layers, batch first for decoding, and back.

    Args:
        state: Parts of shape ``(num_layers, B, state_dim)``, or ``(B, num_layers, state_dim)``.

    Example:
        >>> [part.shape for part in batch_first((torch.zeros(2, 5, 4),))]
        [torch.Size([5, 2, 4])]
    """
    return tuple(part.transpose(0, 1) for part in state)


def last_layer_numbers(state: State) -> Tensor:
    """Return the first part of the last layer's state as real numbers, shape ``(B, numbers_per_part)``.

    Args:
        state: Parts of shape ``(num_layers, B, state_dim)``.

    Example:
        >>> last_layer_numbers((torch.tensor([[[1 + 2j, 3 + 4j]]]),))
        tensor([[1., 2., 3., 4.]])
    """
    h = state[0][-1]
    return torch.view_as_real(h).flatten(1) if h.is_complex() else h
