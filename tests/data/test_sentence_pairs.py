"""Pairs of sentences: half follow, half do not, and each is what it says."""

import pytest

from gradatim.data import WordPieceTokenizer, next_sentence_pairs, split_sentences
from gradatim.data.tokenizers.word_piece import SPECIALS

WORDS = [f"w{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
TOKENIZER = WordPieceTokenizer([*SPECIALS, *WORDS])
DOCUMENTS = [WORDS[:10], WORDS[10:11], WORDS[11:]] * 40


def read(pairs):
    """Words of every pair, by their numbers."""
    for ids, segments, length in zip(pairs.tokens, pairs.segments, pairs.lengths, strict=True):
        assert ids[:length].tolist()[0] == 2
        assert segments[length:].sum() == 0
        assert (ids[length:] == 0).all()
        halves = [ids[:length][segments[:length] == half].tolist() for half in (0, 1)]
        assert halves[0][-1] == halves[1][-1] == 3
        yield TOKENIZER.decode(halves[0]), TOKENIZER.decode(halves[1])


def test_pairs_are_what_they_say():
    pairs = next_sentence_pairs(DOCUMENTS, TOKENIZER, seed=3)
    order = [word for document in DOCUMENTS for word in document]
    firsts = [w for document in DOCUMENTS for w in document[:-1]]
    assert len(pairs.is_next) == len(firsts) == 40 * (9 + 0 + 14)
    for first, (a, b), follows in zip(firsts, read(pairs), pairs.is_next.tolist(), strict=True):
        assert a == first
        assert b in order
        if follows:
            assert WORDS.index(b) == WORDS.index(a) + 1
    n = len(firsts)
    assert pairs.is_next.sum().item() == pytest.approx(n / 2, abs=5 * (n / 4) ** 0.5)
    strangers = {
        b for (_, b), follows in zip(read(pairs), pairs.is_next, strict=True) if not follows
    }
    assert strangers == set(WORDS)


def test_a_stranger_is_never_the_next_sentence():
    for seed in range(30):
        pairs = next_sentence_pairs([WORDS[:4]], TOKENIZER, seed=seed)
        for (a, b), follows in zip(read(pairs), pairs.is_next.tolist(), strict=True):
            assert (WORDS.index(b) == WORDS.index(a) + 1) == bool(follows)
            assert a != b


def test_pairs_are_cut():
    pairs = next_sentence_pairs([["wa wb wc wd", "we wf", "wg"]], TOKENIZER, max_length=7)
    assert pairs.tokens.shape[1] <= 7
    assert pairs.lengths.max() <= 7


def test_sentences():
    text = 'He said: "No!" Then he left.  Why?\n\nA heading\n\n3.14 is pi…  Yes'
    assert split_sentences(text) == [
        'He said: "No!"', "Then he left.", "Why?", "A heading", "3.14 is pi…", "Yes"
    ]  # fmt: skip
    assert split_sentences(" \n ") == []


def test_refuses_by_message():
    with pytest.raises(
        ValueError, match="documents must hold three sentences or more, two of them"
    ):
        next_sentence_pairs([["wa"], ["wb"], ["wc"]], TOKENIZER)
    with pytest.raises(ValueError, match=r"got 2\. Use more text"):
        next_sentence_pairs([["wa", "wb"]], TOKENIZER)
