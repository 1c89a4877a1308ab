"""Word pieces: another implementation, pairs, special tokens."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradatim.data import WordPieceTokenizer, rebuild_tokenizer
from gradatim.data.tokenizers.word_piece import SPECIALS

REFERENCES = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("references.py"))))
CORPUS = [
    "the unaffable cat sat on the mat; the hat of the cat, naïve café",
    "日本語の猫 漢字 οδος русский 3.14 don't __init__ [x] hello world emoji",
    *map(str, REFERENCES.HARD[:9]),
]
TOKENIZER = WordPieceTokenizer.train(CORPUS, vocab_size=400)


@pytest.mark.parametrize("text", REFERENCES.HARD, ids=ascii)
def test_equals_the_published_definition(text):
    assert TOKENIZER.pieces(text) == REFERENCES.bert_pieces(text, TOKENIZER.tokens)


def test_capitals_and_accents_stay_where_they_count():
    tokens = [*SPECIALS, "Café", "cafe"]
    assert WordPieceTokenizer(tokens, is_cased=True).pieces("Café cafe") == ["Café", "cafe"]
    assert WordPieceTokenizer(tokens).pieces("Café cafe") == ["cafe", "cafe"]


def test_pairs_are_framed_and_the_longer_one_is_cut():
    tokenizer = WordPieceTokenizer([*SPECIALS, *"abcde"])
    assert tokenizer.encode_pair("a b") == ([2, 5, 6, 3], [0, 0, 0, 0])
    assert tokenizer.encode_pair("a b c d", "e e", max_length=6) == (
        [2, 5, 6, 3, 9, 3],
        [0, 0, 0, 0, 1, 1],
    )
    assert tokenizer.encode_pair("a", "", max_length=4) == ([2, 5, 3, 3], [0, 0, 0, 1])
    with pytest.raises(ValueError, match="max_length must leave room for special tokens, got 1"):
        tokenizer.encode_pair("a", max_length=1)


def test_decoding_joins_pieces_and_leaves_special_tokens_out():
    ids = TOKENIZER.encode_pair("the unaffable cat").ids
    assert TOKENIZER.decode(ids) == "the unaffable cat"
    assert TOKENIZER.number("[MASK]") == 4
    assert TOKENIZER.number("never seen") == 1


def test_files_and_descriptions_bring_it_back(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(("\n".join(TOKENIZER.tokens) + "\n").encode())
    loaded = WordPieceTokenizer.load(tmp_path / "vocab.txt")
    rebuilt = rebuild_tokenizer(json.loads(json.dumps(TOKENIZER.describe())))
    assert loaded.tokens == rebuilt.tokens == TOKENIZER.tokens
    for text in REFERENCES.HARD:
        assert loaded.encode(text) == rebuilt.encode(text) == TOKENIZER.encode(text)


def test_refuses_by_message(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"tokens must hold .*, got none of \[UNK\], \[CLS\]"):
        WordPieceTokenizer(["[PAD]", "a"])
    with pytest.raises(
        ValueError, match="vocab_size must be more than 5, the special tokens, got 5"
    ):
        WordPieceTokenizer.train("x", vocab_size=5)
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OSError, match="cannot be read \\(it is no UTF-8 text\\)"):
        WordPieceTokenizer.load(tmp_path / "binary.txt")
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(OSError, match="Run 'gradatim data get bert-vocabulary' once"):
        WordPieceTokenizer.published()


def test_training_again_finds_the_same_pieces():
    """The engine's own trainer numbers ``##a`` in another order every time, and breaks ties by these numbers."""
    text = "gradient descent descends; gradients ascend, and ascents are steeper than descents"
    first, *others = (WordPieceTokenizer.train(text, vocab_size=60).tokens for _ in range(5))
    assert all(other == first for other in others)
