"""GPT: a causal Transformer that predicts the next token."""

import math
from collections.abc import Iterable
from typing import cast

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose
from gradatim.models.sizes import check_counts
from gradatim.models.transformer import TransformerEncoder, new_caches
from gradatim.nn.key_value_cache import KeyValueCache
from gradatim.nn.positions import LearnedPositions, SinusoidalPositions, check_span
from gradatim.nn.transformer_blocks import EncoderBlock

POSITIONS = ("learned", "sinusoidal", "rotary", "none")


class GPT(nn.Module):
    r"""Predict each token from those before it.

    .. math::
        h_0 = E[x] + P, \qquad h_\ell = \operatorname{block}_\ell(h_{\ell-1}), \qquad
        p(x_{t+1}\mid x_{\le t}) = \operatorname{softmax}(\operatorname{LN}(h_{L,t})\,E^\top)

    Blocks are pre-norm with GELU and causal attention. The embedding :math:`E` is read-out as well: tied
    weights. Sinusoidal positions, which are large, meet embeddings scaled by :math:`\sqrt d`, as in the first
    Transformer. Weights start at standard deviation :math:`s = 0.02\sqrt{768/d}`, those that end a branch at
    :math:`s/\sqrt{2L}`, so that the variance of :math:`h_L` does not grow with depth.

    Args:
        vocab_size: Number of tokens.
        context: Most tokens it can look at.
        dim: Width of a position, :math:`d`.
        num_layers: :math:`L`.
        num_heads: Heads of each attention, which must divide ``dim``.
        dropout: Probability to drop, in embeddings, attention weights and branches.
        positions: ``"learned"`` as in GPT-2, ``"sinusoidal"``, ``"rotary"`` or ``"none"``.

    Example:
        >>> import torch
        >>> model = GPT(65, 32, 16, 2, 2)
        >>> model(torch.zeros(3, 5, dtype=torch.long)).shape
        torch.Size([3, 5, 65])

    Reference:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019. GELU is exact here,
        a tanh approximation there; :math:`s` is 0.02 at every width there, here at that of its smallest model.
    """

    def __init__(
        self,
        vocab_size: int,
        context: int,
        dim: int,
        num_layers: int,
        num_heads: int,
        dropout: float = 0.0,
        *,
        positions: str = "learned",
    ) -> None:
        super().__init__()
        check_counts("GPT", vocab_size=vocab_size, context=context, num_layers=num_layers)
        choose("GPT", "positions", positions, POSITIONS)
        self.vocab_size, self.context, self.dim = vocab_size, context, dim
        self.num_layers, self.num_heads = num_layers, num_heads
        self.dropout, self.positions = dropout, positions
        self.embedding = nn.Embedding(vocab_size, dim)
        self.place: nn.Module | None = None
        if positions in ("learned", "sinusoidal"):
            kind = LearnedPositions if positions == "learned" else SinusoidalPositions
            self.place = kind(context, dim)
        self.drop = nn.Dropout(dropout) if dropout else nn.Identity()
        self.blocks = TransformerEncoder(
            dim, num_layers, num_heads, dropout=dropout, is_causal=True, is_rotary=positions == "rotary"
        )  # fmt: skip
        self._initialize()

    def _initialize(self) -> None:
        std = 0.02 * math.sqrt(768 / self.dim)
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.normal_(parameter, std=std)
        for block in cast(Iterable[EncoderBlock], self.blocks.blocks):
            for last in (block.attention.merge, block.feed_forward.narrow):
                nn.init.normal_(last.weight, std=std / math.sqrt(2 * self.num_layers))

    def initialize_parameter(self, name: str, parameter: Tensor) -> None:
        """Draw one parameter as a new model does: where a model is made layer by layer.

        Args:
            name: Its name.
            parameter: Changed in place.
        """
        std = 0.02 * math.sqrt(768 / self.dim)
        is_last = name.endswith(("attention.merge.weight", "feed_forward.narrow.weight"))
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=std / math.sqrt(2 * self.num_layers) if is_last else std)

    @takes_arrays
    def forward(self, tokens: Tensor) -> Tensor:
        """Logits ``(B, T, vocab_size)`` of the token after each of ``tokens``, ``(B, T)``."""
        return self.read_out(self.features(tokens))

    def features(self, tokens: Tensor, *, caches: list[KeyValueCache] | None = None) -> Tensor:
        """Hidden vectors ``(B, T, dim)`` of ``tokens``, which go on from what ``caches`` hold."""
        start = caches[0].length if caches else 0
        return self.blocks(self.drop(self.embed(tokens, start)), caches=caches)

    def embed(self, tokens: Tensor, start: int = 0) -> Tensor:
        """Vectors ``(B, T, dim)`` of ``tokens``, the first of which stands at ``start``."""
        check_span("GPT", self.context, start, tokens.shape[1])
        x = self.embedding(tokens)
        if self.place is None:
            return x
        return self.place(x * math.sqrt(self.dim) if self.positions == "sinusoidal" else x, start)

    def read_out(self, hidden: Tensor) -> Tensor:
        """Logits ``(..., vocab_size)`` of hidden vectors ``(..., dim)``."""
        return nn.functional.linear(hidden, self.embedding.weight)

    def new_caches(self, batch_size: int) -> list[KeyValueCache]:
        """Empty caches for :meth:`features`, one per block, as long as the context."""
        return new_caches(self.blocks.blocks, batch_size, self.context)
