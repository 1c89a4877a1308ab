"""One more position through a :class:`GPT`, its equations in a row.

A single position is little arithmetic: most of a step would pass in calling the forty modules of a small model
one inside the other. Here the same tensors meet without them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.models.gpt import GPT
from gradatim.models.transformer import TransformerEncoder
from gradatim.nn import EncoderBlock, FeedForward, MultiHeadAttention, Rotary
from gradatim.nn.key_value_cache import KeyValueCache
from gradatim.nn.positions import LearnedPositions, SinusoidalPositions
from gradatim.nn.transformer_blocks import Shortcut

_PLAIN = {
    GPT, TransformerEncoder, EncoderBlock, MultiHeadAttention, FeedForward, Shortcut, Rotary,
    LearnedPositions, SinusoidalPositions, nn.Embedding, nn.Linear, nn.LayerNorm, nn.GELU,
    nn.Dropout, nn.Identity, nn.ModuleList,
}  # fmt: skip


class _Weights(NamedTuple):
    """Tensors of a pre-norm block: :math:`W` and :math:`b` of each part, in the order of use."""

    attention_norm: tuple[Tensor, Tensor]
    project: tuple[Tensor, Tensor]
    merge: tuple[Tensor, Tensor]
    feed_forward_norm: tuple[Tensor, Tensor]
    widen: tuple[Tensor, Tensor]
    narrow: tuple[Tensor, Tensor]


class SinglePosition:
    """Hidden vectors of one more token per sequence, in evaluation mode.

    Equals ``model.features(tokens[:, None], caches=caches)[:, 0]``.

    Args:
        model: A GPT whose parts are as :class:`GPT` makes them; see :meth:`fits`.

    Example:
        >>> model, first = GPT(5, 8, 4, 1, 1).eval(), torch.tensor([[1, 2, 3]])
        >>> caches = model.new_caches(1)
        >>> before = model.features(first[:, :2], caches=caches)
        >>> with torch.inference_mode():
        ...     last = SinglePosition(model)(first[:, 2], caches)
        >>> torch.allclose(last, model.features(first)[:, 2], atol=1e-6)
        True
    """

    @staticmethod
    def fits(model: GPT) -> bool:
        """Whether nobody has exchanged a part of ``model`` or waits at one of them."""
        return all(
            type(module) in _PLAIN
            and not (module._forward_hooks or module._forward_pre_hooks)
            and getattr(module, "observer", None) is None
            for module in model.modules()
        )

    def __init__(self, model: GPT) -> None:
        self.model, self.num_heads = model, model.num_heads
        self.blocks = [_weights_of(b) for b in cast(Iterable[EncoderBlock], model.blocks.blocks)]
        self.norm = _pair(model.blocks.norm)
        first = cast(EncoderBlock, model.blocks.blocks[0])
        self.rotary, self.eps = first.attention.rotary, first.attention_shortcut.norm.eps

    def __call__(self, tokens: Tensor, caches: Sequence[KeyValueCache]) -> Tensor:
        """Vectors ``(B, dim)`` of ``tokens``, ``(B,)``, which ``caches`` take up."""
        x = self.model.embed(tokens.unsqueeze(1), caches[0].length).squeeze(1)  # (B, dim)
        for weights, cache in zip(self.blocks, caches, strict=True):
            heads = self._attend(self._normalize(x, weights.attention_norm), weights, cache)
            x = x + F.linear(heads, *weights.merge)
            wide = F.linear(self._normalize(x, weights.feed_forward_norm), *weights.widen)
            x = x + F.linear(F.gelu(wide), *weights.narrow)
        return self._normalize(x, self.norm)

    def _normalize(self, x: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        return torch.layer_norm(x, x.shape[1:], *norm, self.eps)

    def _attend(self, x: Tensor, weights: _Weights, cache: KeyValueCache) -> Tensor:
        B, dim = x.shape
        heads = F.linear(x, *weights.project).view(B, 3, self.num_heads, 1, dim // self.num_heads)
        query, key, value = heads.unbind(1)  # (B, num_heads, 1, head_dim) each
        if self.rotary is not None:
            query, key = self.rotary(query, cache.length), self.rotary(key, cache.length)
        keys, values = cache.extend(key, value)
        return F.scaled_dot_product_attention(query, keys, values).reshape(B, dim)


def _weights_of(block: EncoderBlock) -> _Weights:
    attention, feed_forward = block.attention, block.feed_forward
    return _Weights(
        _pair(block.attention_shortcut.norm),
        _pair(attention.project),
        _pair(attention.merge),
        _pair(block.feed_forward_shortcut.norm),
        _pair(feed_forward.widen),
        _pair(feed_forward.narrow),
    )


def _pair(module: nn.Module) -> tuple[Tensor, Tensor]:
    assert isinstance(module, nn.Linear | nn.LayerNorm)
    return module.weight, module.bias
