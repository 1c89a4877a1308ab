"""Blocks of a Transformer: attention and a small network per position, each with a shortcut."""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.attention import MultiHeadAttention
from gradatim.nn.initialization import initialize
from gradatim.nn.key_value_cache import KeysValues, KeyValueCache
from gradatim.nn.stochastic_depth import drop_branch

NORMS = ("pre", "post")


class FeedForward(nn.Module):
    r"""Two dense layers, applied to every position alike.

    .. math:: \operatorname{FFN}(x) = \phi(xW_1 + b_1)\,W_2 + b_2

    Args:
        dim: Width of a position.
        hidden_dim: Width between the layers.
        activation: Name of :math:`\phi`.

    Example:
        >>> FeedForward(4, 16)(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 3, 4])
    """

    def __init__(self, dim: int, hidden_dim: int, *, activation: str = "gelu") -> None:
        super().__init__()
        self.dim, self.hidden_dim, self.activation = dim, hidden_dim, activation
        self.widen, self.narrow = nn.Linear(dim, hidden_dim), nn.Linear(hidden_dim, dim)
        self.phi = build_activation(activation)
        initialize(self, "lecun")

    def forward(self, x: Tensor) -> Tensor:
        return self.narrow(self.phi(self.widen(x)))


class Shortcut(nn.Module):
    r"""The residual connection around a sublayer :math:`F`, with normalization before or after.

    .. math:: \text{pre: } x + F(\operatorname{LN}(x)), \qquad \text{post: } \operatorname{LN}(x + F(x))

    Pre-norm keeps the path from input to output clear of norms, so deep stacks train without warm-up;
    post-norm is the original.

    Args:
        dim: Width of a position.
        norm: ``"pre"`` or ``"post"``.
        dropout: Probability to drop an entry of the branch in training.
        drop: Probability to leave out the whole branch of a sample in training: stochastic depth.

    Example:
        >>> shortcut, x = Shortcut(4), torch.randn(1, 2, 4)
        >>> torch.equal(shortcut.leave(x, 3 * shortcut.enter(x)), x + 3 * shortcut.norm(x))
        True

    Reference:
        Xiong et al., On Layer Normalization in the Transformer Architecture, 2020.
    """

    def __init__(
        self, dim: int, *, norm: str = "pre", dropout: float = 0.0, drop: float = 0.0
    ) -> None:
        super().__init__()
        self.is_pre = choose("Shortcut", "norm", norm, NORMS) == "pre"
        if not 0.0 <= dropout < 1.0:
            raise InvalidValue(f"Shortcut: dropout must be in [0, 1), got {dropout}. Try 0.1.")
        drop_branch(torch.zeros(0), drop=drop)
        self.norm, self.drop = nn.LayerNorm(dim), drop
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()

    def enter(self, x: Tensor) -> Tensor:
        """What the sublayer is given."""
        return self.norm(x) if self.is_pre else x

    def leave(self, x: Tensor, branch: Tensor) -> Tensor:
        """Join the input of the block and the output of its sublayer."""
        if self.training:
            branch = drop_branch(self.dropout(branch), drop=self.drop)
        return x + branch if self.is_pre else self.norm(x + branch)


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network; with ``is_causal``, the block of a language model.

    Args:
        dim: Width of a position.
        num_heads: Heads of the attention.
        hidden_dim: Width inside the feed-forward network; by default four times ``dim``.
        activation: Name of its activation; ``"relu"`` in the original, ``"gelu"`` in GPT and BERT.
        norm: ``"pre"`` or ``"post"``; see :class:`Shortcut`.
        dropout: Probability to drop attention weights and entries of the branches.
        drop: Probability to leave a branch out: stochastic depth.
        is_causal: Whether a position sees only itself and what came before.
        is_rotary: Whether attention turns queries and keys by their positions.

    Example:
        >>> EncoderBlock(8, 2)(torch.randn(3, 5, 8)).shape
        torch.Size([3, 5, 8])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, section 3.1.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        hidden_dim: int | None = None,
        activation: str = "gelu",
        norm: str = "pre",
        dropout: float = 0.0,
        drop: float = 0.0,
        is_causal: bool = False,
        is_rotary: bool = False,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(
            dim, num_heads, dropout=dropout, is_causal=is_causal, is_rotary=is_rotary
        )
        self.feed_forward = FeedForward(dim, hidden_dim or 4 * dim, activation=activation)
        self.attention_shortcut = Shortcut(dim, norm=norm, dropout=dropout, drop=drop)
        self.feed_forward_shortcut = Shortcut(dim, norm=norm, dropout=dropout, drop=drop)

    def forward(
        self, x: Tensor, *, mask: Tensor | None = None, cache: KeyValueCache | None = None
    ) -> Tensor:
        """Transform ``x``, shape ``(B, T, dim)``; ``mask`` and ``cache`` as in attention."""
        around = self.attention_shortcut
        x = around.leave(x, self.attention(around.enter(x), mask=mask, cache=cache))
        around = self.feed_forward_shortcut
        return around.leave(x, self.feed_forward(around.enter(x)))


class DecoderBlock(nn.Module):
    """Causal self-attention, cross-attention to a memory, then a feed-forward network.

    Args:
        dim: Width of a position, in both sequences.
        num_heads: Heads of both attentions.
        hidden_dim: Width inside the feed-forward network; by default four times ``dim``.
        activation: Name of its activation.
        norm: ``"pre"`` or ``"post"``; see :class:`Shortcut`.
        dropout: Probability to drop attention weights and entries of the branches.
        drop: Probability to leave a branch out: stochastic depth.
        is_rotary: Whether self-attention turns queries and keys by their positions.

    Example:
        >>> DecoderBlock(8, 2)(torch.randn(3, 5, 8), torch.randn(3, 7, 8)).shape
        torch.Size([3, 5, 8])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, section 3.1.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        hidden_dim: int | None = None,
        activation: str = "gelu",
        norm: str = "pre",
        dropout: float = 0.0,
        drop: float = 0.0,
        is_rotary: bool = False,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(
            dim, num_heads, dropout=dropout, is_causal=True, is_rotary=is_rotary
        )
        self.cross_attention = MultiHeadAttention(dim, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(dim, hidden_dim or 4 * dim, activation=activation)
        self.attention_shortcut = Shortcut(dim, norm=norm, dropout=dropout, drop=drop)
        self.cross_shortcut = Shortcut(dim, norm=norm, dropout=dropout, drop=drop)
        self.feed_forward_shortcut = Shortcut(dim, norm=norm, dropout=dropout, drop=drop)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | KeysValues,
        *,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        """Transform ``x``, shape ``(B, T, dim)``, given ``memory``, shape ``(B, S, dim)`` or projected.

        ``mask`` hides positions of ``x``, ``memory_mask`` positions of ``memory``.
        """
        around = self.attention_shortcut
        x = around.leave(x, self.attention(around.enter(x), mask=mask, cache=cache))
        around = self.cross_shortcut
        x = around.leave(x, self.cross_attention(around.enter(x), memory, mask=memory_mask))
        around = self.feed_forward_shortcut
        return around.leave(x, self.feed_forward(around.enter(x)))
