"""Pairs of sentences, half of which follow each other: the second task that BERT learns from."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.data.padding import pad_sequences
from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.data.tokenizers.word_piece import PAD
from gradatim.errors import InvalidValue

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)])\s+|\n\s*\n")


class SentencePairs(NamedTuple):
    """Pairs as BERT reads them, ready for a trainer.

    Args:
        tokens: ``[CLS] first [SEP] second [SEP]``, padded at the end, shape ``(N, T)``.
        lengths: Real tokens of each pair, shape ``(N,)``.
        segments: 0 for the first sentence, 1 for the second, shape ``(N, T)``.
        is_next: 1 where the second sentence follows the first, 0 where it was drawn at random, shape ``(N,)``.
    """

    tokens: Tensor
    lengths: Tensor
    segments: Tensor
    is_next: Tensor


def split_sentences(text: str) -> list[str]:
    """Cut a text after full stops, question and exclamation marks, and at empty lines.

    Args:
        text: Any text.

    Example:
        >>> split_sentences("To be? Or not.  That is it")
        ['To be?', 'Or not.', 'That is it']
    """
    return [part for piece in _END.split(text) if (part := " ".join(piece.split()))]


def next_sentence_pairs(
    documents: Sequence[Sequence[str]],
    tokenizer: WordPieceTokenizer,
    *,
    max_length: int = 128,
    seed: int = 0,
) -> SentencePairs:
    """Pair every sentence with the next one, or, half of the time, with any other of the collection.

    Args:
        documents: Sentences of each document in their order; see :func:`split_sentences`.
        tokenizer: Cuts sentences into word pieces.
        max_length: Most tokens of a pair; the longer sentence is cut.
        seed: Fixes the draws.

    Example:
        >>> sentences = ["one two", "three", "four five", "six"]
        >>> tokenizer = WordPieceTokenizer.train(sentences, vocab_size=60)
        >>> pairs = next_sentence_pairs([sentences], tokenizer)
        >>> pairs.tokens.shape[0], sorted(set(pairs.segments.flatten().tolist()))
        (3, [0, 1])

    Reference:
        Devlin et al., BERT, 2019, appendix A.2, which packs several sentences into each half until it is full.
    """
    sentences = [sentence for document in documents for sentence in document]
    ends = np.cumsum([len(document) for document in documents])
    firsts = np.setdiff1d(np.arange(len(sentences)), ends - 1)  # a last sentence has no next one
    if len(sentences) < 3 or not len(firsts):
        raise InvalidValue(
            "next_sentence_pairs: documents must hold three sentences or more, two of them in a row, "
            f"got {len(sentences)}. Use more text."
        )
    rng = np.random.default_rng(seed)
    is_next = rng.random(len(firsts)) < 0.5
    strangers = (firsts + 2 + rng.integers(0, len(sentences) - 2, len(firsts))) % len(sentences)
    seconds = np.where(
        is_next, firsts + 1, strangers
    )  # a stranger is neither the next nor the first itself
    pairs = [
        tokenizer.encode_pair(sentences[a], sentences[b], max_length=max_length)
        for a, b in zip(firsts.tolist(), seconds.tolist(), strict=True)
    ]
    tokens, lengths = pad_sequences([p.ids for p in pairs], padding=tokenizer.number(PAD))
    segments, _ = pad_sequences([pair.segments for pair in pairs])
    return SentencePairs(tokens, lengths, segments, torch.from_numpy(is_next.astype(np.int64)))
