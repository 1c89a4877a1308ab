"""Pairs of sentences as tokens, in batches of like length."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from gradatim.data.pairs import Pair
from gradatim.data.tokenizers import Tokenizer
from gradatim.data.vocabulary import END, PAD, UNKNOWN
from gradatim.errors import require
from gradatim.models import shift_right

FIRST = UNKNOWN  # numbers below belong to padding, start and end


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """Token numbers of a sentence, beside those of padding, start and end."""
    return [token + FIRST for token in tokenizer.encode(text)]


def decode(tokenizer: Tokenizer, tokens: Sequence[int]) -> str:
    """The sentence of token numbers, up to its end."""
    numbers = [int(token) for token in tokens]
    stop = numbers.index(END) if END in numbers else len(numbers)
    return tokenizer.decode([n - FIRST for n in numbers[:stop] if n >= FIRST])


def pad_tokens(rows: Sequence[Sequence[int]], width: int | None = None) -> Tensor:
    """Sentences side by side, filled up at the end to ``width`` or the longest, shape ``(B, T)``."""
    out = np.full((len(rows), width or max(map(len, rows))), PAD, dtype=np.int64)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return torch.from_numpy(out)


class PairBatches:
    """Batches ``(source, decoder's input, target)`` of sentences of like length, so that little is padding.

    Args:
        pairs: Sentences and translations.
        tokenizer: Cuts both.
        context: Pairs with a side that is longer are left out.
        batch_size: Pairs of a batch.
        num_batches: Batches of an epoch, drawn anew for each; by default all pairs once, in a fixed order.
        seed: Fixes the draws.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        tokenizer: Tokenizer,
        context: int,
        *,
        batch_size: int,
        num_batches: int | None = None,
        seed: int = 0,
    ) -> None:
        tokens = [(encode(tokenizer, p.source), [*encode(tokenizer, p.target), END]) for p in pairs]
        kept = [both for both in tokens if max(map(len, both)) <= context]
        longest = f"fit: the pairs must have sentences of at most {context} tokens"
        require(kept, longest, f"{len(pairs):,} longer ones only", "Cut long texts into sentences.")
        self.left_out = len(pairs) - len(kept)
        self.source, self.target = (pad_tokens([both[k] for both in kept]) for k in (0, 1))
        self.lengths = np.array([[len(side) for side in both] for both in kept])
        self.batch_size, self.num_batches, self.seed, self.epoch = batch_size, num_batches, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch whose pairs come next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_batches or -(-len(self.lengths) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        draw = np.random.default_rng([self.seed, self.epoch])
        rows = np.arange(len(self.lengths))
        if self.num_batches is not None:
            rows = draw.integers(0, len(rows), self.num_batches * self.batch_size)
        rows = rows[np.argsort(self.lengths[rows].sum(1), kind="stable")]
        batches = np.array_split(rows, len(self))
        order = range(len(batches)) if self.num_batches is None else draw.permutation(len(batches))
        for k in order:
            width, height = self.lengths[batches[k]].max(0)
            target = self.target[batches[k], :height]
            yield self.source[batches[k], :width], shift_right(target), target
