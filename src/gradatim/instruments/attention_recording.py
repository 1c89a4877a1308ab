"""Look inside: the attention weights of every layer and head."""

from functools import partial

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType
from gradatim.models import Transformer, shift_right
from gradatim.nn.attention import MultiHeadAttention
from gradatim.nn.training_modes import evaluation_mode


@takes_arrays
@torch.inference_mode()
def attention_maps(model: nn.Module, *inputs: Tensor) -> dict[str, Tensor]:
    """Run a model once, in evaluation mode, and collect what its heads looked at.

    Args:
        model: A module with :class:`~gradatim.nn.MultiHeadAttention` somewhere inside.
        *inputs: What the model is called with.

    Returns:
        By name of the layer, in the order of the run, weights of shape ``(B, num_heads, T, S)``; a row
        is one query, and sums to one.

    Example:
        >>> maps = attention_maps(nn.Sequential(MultiHeadAttention(8, 2)), torch.randn(1, 3, 8))
        >>> {name: tuple(weights.shape) for name, weights in maps.items()}
        {'0': (1, 2, 3, 3)}
    """
    layers = {n: m for n, m in model.named_modules() if isinstance(m, MultiHeadAttention)}
    if not layers:
        raise InvalidType(
            "attention_maps: model must hold a MultiHeadAttention of gradatim.nn, "
            f"got {type(model).__name__} without one."
        )
    seen: dict[str, Tensor] = {}
    try:
        for name, layer in layers.items():
            layer.observer = partial(seen.__setitem__, name)
        with evaluation_mode(model):
            model(*inputs)
    finally:
        for layer in layers.values():
            layer.observer = None
    return seen


@takes_arrays
def cross_attention(model: Transformer, source: Tensor, target: Tensor) -> Tensor:
    """Where the decoder looked when it wrote each target token, averaged over layers and heads.

    Args:
        model: A :class:`Transformer`.
        source: Tokens, shape ``(B, S)``.
        target: Tokens with ``<end>``, then padding, shape ``(B, L)``.

    Returns:
        Weights of the source at each step, shape ``(B, L, S)``; rows sum to one.

    Example:
        >>> model = Transformer(11, 7, 16, dim=8, num_heads=2)
        >>> cross_attention(model, torch.ones(3, 5, dtype=torch.long), torch.ones(3, 4, dtype=torch.long)).shape
        torch.Size([3, 4, 5])
    """
    maps = attention_maps(model, source, shift_right(target, model.start_token))
    looked = [weights for name, weights in maps.items() if name.endswith("cross_attention")]
    return torch.stack(looked).mean((0, 2))  # over layers and heads
