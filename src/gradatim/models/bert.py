"""BERT: a Transformer encoder that reads a text in both directions at once."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.models.sizes import check_counts
from gradatim.models.transformer import TransformerEncoder
from gradatim.nn.padding import real_steps
from gradatim.nn.positions import LearnedPositions, check_span


class BERT(nn.Module):
    r"""Give every token a vector that depends on the whole text.

    .. math::
        h_0 = \operatorname{LN}(E[x] + P + S[s]), \qquad h_\ell = \operatorname{block}_\ell(h_{\ell-1}), \qquad
        c = \tanh(W h_{L,1} + b)

    Blocks are post-norm with GELU, and every position sees every other. :math:`S` tells the first of two texts from the
    second. :math:`c`, made of the vector of ``[CLS]`` in front, stands for the whole; :meth:`pool` returns it.

    Args:
        vocab_size: Number of tokens, rows of :math:`E`.
        context: Most tokens it can look at, rows of :math:`P`.
        dim: Width of a position.
        num_layers: :math:`L`.
        num_heads: Heads of each attention, which must divide ``dim``.
        hidden_dim: Width inside the feed-forward networks; by default four times ``dim``.
        num_segments: Texts that can be told apart, rows of :math:`S`.
        dropout: Probability to drop, in embeddings, attention weights and branches.

    Example:
        >>> model = BERT(100, 32, 16, 2, 2)
        >>> model(torch.zeros(3, 5, dtype=torch.long)).shape
        torch.Size([3, 5, 16])

    Reference:
        Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2019.
    """

    def __init__(
        self,
        vocab_size: int,
        context: int,
        dim: int,
        num_layers: int,
        num_heads: int,
        *,
        hidden_dim: int | None = None,
        num_segments: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        check_counts(
            "BERT", vocab_size=vocab_size, context=context, num_layers=num_layers, num_segments=num_segments
        )  # fmt: skip
        self.vocab_size, self.context, self.dim = vocab_size, context, dim
        self.num_layers, self.num_heads, self.hidden_dim = num_layers, num_heads, hidden_dim
        self.num_segments, self.dropout = num_segments, dropout
        self.embedding = nn.Embedding(vocab_size, dim)
        self.place = LearnedPositions(context, dim)
        self.segment = nn.Embedding(num_segments, dim)
        self.norm, self.drop = nn.LayerNorm(dim), nn.Dropout(dropout)
        self.blocks = TransformerEncoder(
            dim, num_layers, num_heads, hidden_dim=hidden_dim, norm="post", dropout=dropout
        )
        self.pooler = nn.Linear(dim, dim)
        self._initialize()

    def _initialize(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.trunc_normal_(parameter, std=0.02, a=-0.04, b=0.04)
        for part in self.modules():
            if isinstance(part, nn.LayerNorm):
                part.eps = (
                    1e-12  # as published: embeddings are small, a larger one would change them
                )

    @takes_arrays
    def forward(
        self, tokens: Tensor, lengths: object | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """Hidden vectors of every position.

        Args:
            tokens: Shape ``(B, T)``, padded at the end.
            lengths: Real tokens of each text, from 1 to ``T``; all ``T`` by default.
            segments: Number of the text that each token belongs to, shape ``(B, T)``; 0 by default.

        Returns:
            Shape ``(B, T, dim)``; at padding they mean nothing.
        """
        check_span("BERT", self.context, 0, tokens.shape[1])
        kind = self.segment.weight[0] if segments is None else self.segment(segments)
        x = self.drop(self.norm(self.place(self.embedding(tokens) + kind)))  # (B, T, dim)
        is_real = real_steps("BERT", tokens, lengths)
        return self.blocks(x, mask=None if is_real is None else is_real[:, None, None])

    def pool(self, hidden: Tensor) -> Tensor:
        """The vector of the whole text, shape ``(B, dim)``, from hidden vectors ``(B, T, dim)``."""
        return torch.tanh(self.pooler(hidden[:, 0]))
