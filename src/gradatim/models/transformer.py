"""The Transformer: stacks of blocks, and the encoder-decoder that maps one sequence to another."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.vocabulary import END, PAD, START
from gradatim.errors import choose
from gradatim.nn.key_value_cache import KeysValues, KeyValueCache
from gradatim.nn.positions import LearnedPositions, SinusoidalPositions, check_span
from gradatim.nn.stochastic_depth import linear_drop_rates
from gradatim.nn.transformer_blocks import DecoderBlock, EncoderBlock

POSITIONS: dict[str, type[SinusoidalPositions | LearnedPositions] | None] = {
    "sinusoidal": SinusoidalPositions,
    "learned": LearnedPositions,
    "rotary": None,  # attention itself turns queries and keys
}


class TransformerEncoder(nn.Module):
    """A stack of :class:`~gradatim.nn.EncoderBlock` on embedded positions.

    Args:
        dim: Width of a position.
        num_layers: Blocks.
        num_heads: Heads of each attention.
        hidden_dim: Width inside the feed-forward networks; by default four times ``dim``.
        activation: Name of their activation.
        norm: ``"pre"``, with one more norm after the last block, or ``"post"``.
        dropout: Probability to drop attention weights and entries of the branches.
        last_drop: Probability to leave out the last block's branches; earlier ones are left out less.
        is_causal: Whether a position sees only itself and what came before.
        is_rotary: Whether attention turns queries and keys by their positions.

    Example:
        >>> import torch
        >>> TransformerEncoder(8, 2, 2)(torch.randn(3, 5, 8)).shape
        torch.Size([3, 5, 8])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(
        self,
        dim: int,
        num_layers: int,
        num_heads: int,
        *,
        hidden_dim: int | None = None,
        activation: str = "gelu",
        norm: str = "pre",
        dropout: float = 0.0,
        last_drop: float = 0.0,
        is_causal: bool = False,
        is_rotary: bool = False,
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            EncoderBlock(
                dim,
                num_heads,
                hidden_dim=hidden_dim,
                activation=activation,
                norm=norm,
                dropout=dropout,
                drop=drop,
                is_causal=is_causal,
                is_rotary=is_rotary,
            )
            for drop in linear_drop_rates(num_layers, last_drop)
        )
        self.norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()

    @takes_arrays
    def forward(
        self,
        x: Tensor,
        *,
        mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        """Transform ``x``, shape ``(B, T, dim)``; ``caches`` holds one cache per block."""
        for index, block in enumerate(self.blocks):
            x = block(x, mask=mask, cache=None if caches is None else caches[index])
        return self.norm(x)  # (B, T, dim)


class TransformerDecoder(nn.Module):
    """A stack of :class:`~gradatim.nn.DecoderBlock` that reads a memory.

    Args:
        dim: Width of a position.
        num_layers: Blocks.
        num_heads: Heads of each attention.
        hidden_dim: Width inside the feed-forward networks; by default four times ``dim``.
        activation: Name of their activation.
        norm: ``"pre"``, with one more norm after the last block, or ``"post"``.
        dropout: Probability to drop attention weights and entries of the branches.
        last_drop: Probability to leave out the last block's branches; earlier ones are left out less.
        is_rotary: Whether self-attention turns queries and keys by their positions.

    Example:
        >>> import torch
        >>> TransformerDecoder(8, 2, 2)(torch.randn(3, 5, 8), torch.randn(3, 7, 8)).shape
        torch.Size([3, 5, 8])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(
        self,
        dim: int,
        num_layers: int,
        num_heads: int,
        *,
        hidden_dim: int | None = None,
        activation: str = "gelu",
        norm: str = "pre",
        dropout: float = 0.0,
        last_drop: float = 0.0,
        is_rotary: bool = False,
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            DecoderBlock(
                dim,
                num_heads,
                hidden_dim=hidden_dim,
                activation=activation,
                norm=norm,
                dropout=dropout,
                drop=drop,
                is_rotary=is_rotary,
            )
            for drop in linear_drop_rates(num_layers, last_drop)
        )
        self.norm = nn.LayerNorm(dim) if norm == "pre" else nn.Identity()

    @takes_arrays
    def forward(
        self,
        x: Tensor,
        memory: Tensor | Sequence[KeysValues],
        *,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        caches: Sequence[KeyValueCache] | None = None,
    ) -> Tensor:
        """Transform ``x``, shape ``(B, T, dim)``.

        ``memory`` has shape ``(B, S, dim)``, or is what :meth:`remember` made of it; ``caches`` holds one
        cache per block.
        """
        for index, block in enumerate(self.blocks):
            x = block(
                x,
                memory if isinstance(memory, Tensor) else memory[index],
                mask=mask,
                memory_mask=memory_mask,
                cache=None if caches is None else caches[index],
            )
        return self.norm(x)  # (B, T, dim)

    def remember(self, memory: Tensor) -> list[KeysValues]:
        """Project a memory once for every block."""
        blocks = cast(Iterable[DecoderBlock], self.blocks)
        return [block.cross_attention.remember(memory) for block in blocks]


def new_caches(blocks: nn.ModuleList, batch_size: int, capacity: int) -> list[KeyValueCache]:
    """Make an empty cache for the self-attention of every block.

    Args:
        blocks: Blocks of an encoder or decoder stack.
        batch_size: Sequences.
        capacity: Most positions.

    Example:
        >>> import torch
        >>> [cache.length for cache in new_caches(TransformerEncoder(8, 2, 2).blocks, 3, 16)]
        [0, 0]
    """
    return [
        KeyValueCache(
            batch_size,
            block.attention.num_heads,
            capacity,
            block.attention.dim // block.attention.num_heads,
            like=block.attention.merge.weight,
        )
        for block in cast(Iterable[EncoderBlock | DecoderBlock], blocks)
    ]


class DecodingState(NamedTuple):
    """What a :class:`Transformer` keeps between the tokens it writes.

    Args:
        caches: Keys and values of what was written, per block.
        memory: Keys and values of the source, per block.
        memory_mask: True at real source positions, shape ``(B, 1, 1, S)``.
    """

    caches: list[KeyValueCache]
    memory: list[KeysValues]
    memory_mask: Tensor

    def select(self, rows: Tensor) -> "DecodingState":
        """Let target ``b`` go on from what target ``rows[b]`` was; each stays with a source like its own."""
        for cache in self.caches:
            cache.select(rows)
        if len(rows) == len(self.memory_mask):
            return self  # a beam's rows change places only among those that read the same source
        memory = [KeysValues(each.key[rows], each.value[rows]) for each in self.memory]
        return DecodingState(self.caches, memory, self.memory_mask[rows])


class Transformer(nn.Module):
    r"""Read a sequence of tokens, write another.

    The encoder turns the source into a memory; the decoder predicts every target token from the memory
    and the target tokens before it. Embeddings are scaled by :math:`\sqrt d` and joined with their
    positions; the read-out shares the target embedding's weights. The same batches train it with
    :func:`~gradatim.losses.token_cross_entropy`, and :func:`~gradatim.decoding.translate` lets it write.

    Args:
        source_vocab_size: Source vocabulary.
        target_vocab_size: Target vocabulary.
        context: Most tokens of a source or target.
        dim: :math:`d`, even.
        num_layers: Blocks in the encoder, and in the decoder unless ``num_decoder_layers`` says otherwise.
        num_heads: Heads of each attention.
        num_decoder_layers: Blocks in the decoder.
        hidden_dim: Width inside the feed-forward networks; by default four times ``dim``.
        positions: ``"sinusoidal"`` as in the paper, ``"learned"`` or ``"rotary"``.
        activation: Name of the feed-forward networks' activation.
        norm: ``"pre"`` or ``"post"``.
        dropout: Probability to drop, in embeddings, attention weights and branches.
        pad: Token that fills short sources; nobody attends to it.
        start_token: Token before the first of a target, with which writing begins.
        end_token: Token that ends a target.

    Example:
        >>> import torch
        >>> model = Transformer(11, 7, 16, dim=8, num_layers=2, num_heads=2)
        >>> model(torch.ones(3, 5, dtype=torch.long), torch.ones(3, 4, dtype=torch.long)).shape
        torch.Size([3, 4, 7])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        context: int,
        *,
        dim: int = 128,
        num_layers: int = 2,
        num_heads: int = 4,
        num_decoder_layers: int | None = None,
        hidden_dim: int | None = None,
        positions: str = "sinusoidal",
        activation: str = "relu",
        norm: str = "pre",
        dropout: float = 0.0,
        pad: int = PAD,
        start_token: int = START,
        end_token: int = END,
    ) -> None:
        super().__init__()
        choose("Transformer", "positions", positions, tuple(POSITIONS))
        self.source_vocab_size, self.target_vocab_size = source_vocab_size, target_vocab_size
        self.context, self.dim, self.norm, self.num_heads = context, dim, norm, num_heads
        self.num_layers, self.num_decoder_layers, self.pad = num_layers, num_decoder_layers, pad
        self.activation, self.hidden_dim, self.dropout = activation, hidden_dim, dropout
        self.positions, self.start_token, self.end_token = positions, start_token, end_token
        self.source_embedding = nn.Embedding(source_vocab_size, dim)
        self.target_embedding = nn.Embedding(target_vocab_size, dim)
        kind = POSITIONS[positions]
        self.place = None if kind is None else kind(context, dim)
        self.drop = nn.Dropout(dropout)
        depth = num_layers if num_decoder_layers is None else num_decoder_layers
        shared: dict[str, Any] = {
            "hidden_dim": hidden_dim, "activation": activation, "norm": norm, "dropout": dropout,
            "is_rotary": kind is None,
        }  # fmt: skip
        self.encoder = TransformerEncoder(dim, num_layers, num_heads, **shared)
        self.decoder = TransformerDecoder(dim, depth, num_heads, **shared)
        self.readout = nn.Linear(dim, target_vocab_size)
        self._initialize()

    def _initialize(self) -> None:
        self.readout.weight = self.target_embedding.weight
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=self.dim**-0.5)
        nn.init.zeros_(self.readout.bias)

    @takes_arrays
    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits ``(B, T, target_vocab_size)`` of the token after each target token, ``(B, T)``."""
        memory, mask = self.encode(source)
        hidden = self.decoder(self._embed(self.target_embedding, target), memory, memory_mask=mask)
        return self.readout(hidden)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Memory ``(B, S, dim)`` of a source ``(B, S)``, and the mask of its real positions."""
        mask = (source != self.pad)[:, None, None]  # (B, 1, 1, S)
        return self.encoder(self._embed(self.source_embedding, source), mask=mask), mask

    def start(self, source: Tensor) -> DecodingState:
        """Read a source ``(B, S)`` before writing with :meth:`step`."""
        memory, mask = self.encode(source)
        caches = new_caches(self.decoder.blocks, len(source), self.context)
        return DecodingState(caches, self.decoder.remember(memory), mask)

    def step(self, state: DecodingState, last: Tensor) -> tuple[Tensor, DecodingState]:
        """Logits ``(B, target_vocab_size)`` of the token after ``last``, ``(B,)``, and ``state``, which goes on."""
        embedded = self._embed(self.target_embedding, last.unsqueeze(1), state.caches[0].length)
        hidden = self.decoder(
            embedded, state.memory, memory_mask=state.memory_mask, caches=state.caches
        )
        return self.readout(hidden[:, -1]), state

    def _embed(self, embedding: nn.Embedding, tokens: Tensor, start: int = 0) -> Tensor:
        check_span("Transformer", self.context, start, tokens.shape[1])
        embedded = embedding(tokens) * math.sqrt(self.dim)
        return self.drop(embedded if self.place is None else self.place(embedded, start))
