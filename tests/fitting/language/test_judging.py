"""Bits per character against slow loops, and laws."""

import math

import numpy as np
import pytest
import torch

from gradatim.data.tokenizers import ByteTokenizer, CharacterTokenizer
from gradatim.fitting.language.judging import (
    BLOCKS,
    best_ngram,
    block_characters,
    block_scores,
    ngram_bits,
    token_bits,
)
from gradatim.models import GPT
from gradatim.timeseries import NGram


@pytest.mark.parametrize("context", [2, 8, 9])
def test_every_token_is_judged_once_with_half_a_context_or_more(context):
    torch.manual_seed(0)
    model = GPT(5, context, 8, 1, 2).double()
    tokens = np.random.default_rng(0).integers(0, 5, 37)
    bits = token_bits(model, tokens)
    half = context // 2
    for k, value in enumerate(bits):
        j = half + 1 + k
        start = (j - half - 1) // half * half
        seen = torch.tensor(tokens[start:j])
        assert half <= len(seen) <= context
        logits = model(seen[None])[0, -1]
        assert value == pytest.approx(-logits.log_softmax(-1)[tokens[j]].item() / math.log(2))
    assert len(bits) > 37 - 2 * half - 2


def test_an_untrained_reader_of_one_letter_needs_no_bits():
    assert token_bits(GPT(1, 8, 4, 1, 1), np.zeros(40, int)).max() == 0.0


def test_counting_is_judged_on_the_same_tokens():
    tokens = np.random.default_rng(1).integers(0, 4, 60)
    model = NGram(2, 4).fit([tokens])
    bits = ngram_bits(model, tokens, context=8, count=20)
    every = -model.log_probabilities(tokens).numpy() / math.log(2)
    np.testing.assert_allclose(bits, every[5:25])


def test_the_ngram_grows_while_that_helps():
    periodic = np.tile([0, 0, 1], 200)
    assert (
        best_ngram(periodic, periodic, 2).order >= 3
    )  # what follows 0 depends on the token before
    random = np.random.default_rng(0).integers(0, 3, 600)
    assert best_ngram(random, np.random.default_rng(1).integers(0, 3, 600), 3).order == 2
    assert best_ngram(random, random, 2**30).order <= 2  # longer ones could not be numbered


def test_bits_are_spread_over_characters_not_tokens():
    tokenizer = ByteTokenizer()
    tokens = np.array(tokenizer.encode("é" * 200))  # two bytes a character
    characters = block_characters(tokenizer, tokens, context=2, count=200)
    assert characters.shape == (BLOCKS,)
    assert characters.sum() == pytest.approx(100, abs=BLOCKS)  # a cut character may count twice
    letters = CharacterTokenizer("ab")
    assert (
        block_characters(letters, np.zeros(50, int), context=4, count=40).tolist() == [2] * BLOCKS
    )


def test_blocks_weigh_by_their_characters():
    scores = block_scores(np.ones(40), np.full(BLOCKS, 4))
    assert scores.tolist() == [0.5] * BLOCKS
