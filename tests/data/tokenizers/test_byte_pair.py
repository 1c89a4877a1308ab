"""Byte pairs: another implementation, round trips, merges that were counted by hand."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import BytePairTokenizer, rebuild_tokenizer
from gradatim.data.tokenizers import engine

REFERENCES = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("references.py"))))
CORPUS = (
    "the cat sat on the mat; the hat of the cat. 日本語の猫 🙂🙂 naïve 42 1000\n\tdon't\r\n" * 3
)
TOKENIZER = BytePairTokenizer.train(CORPUS, vocab_size=330)


@pytest.mark.parametrize("text", REFERENCES.HARD, ids=ascii)
def test_equals_the_published_definition(text):
    assert TOKENIZER.pieces(text) == REFERENCES.gpt2_pieces(text, TOKENIZER.merges)
    assert [TOKENIZER.vocab[piece] for piece in TOKENIZER.pieces(text)] == TOKENIZER.encode(text)


@given(st.text(st.characters(codec="utf-8")))
def test_decoding_undoes_encoding_of_any_text(text):
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


def test_the_first_merge_is_the_most_frequent_pair():
    tokenizer = BytePairTokenizer.train("abab abab cd", vocab_size=259)
    assert tokenizer.merges[0] == ("a", "b")  # four times; " a" comes once, "ba" twice
    assert tokenizer.vocab_size == 259


def test_what_looks_special_is_text():
    assert len(TOKENIZER.encode("<|endoftext|>")) > 1


def test_files_and_descriptions_bring_it_back(tmp_path):
    (tmp_path / "vocab.json").write_text(json.dumps(TOKENIZER.vocab), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in TOKENIZER.merges)]
    (tmp_path / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    loaded = BytePairTokenizer.load(tmp_path / "vocab.json", tmp_path / "merges.txt")
    rebuilt = rebuild_tokenizer(json.loads(json.dumps(TOKENIZER.describe())))
    for text in REFERENCES.HARD:
        assert loaded.encode(text) == rebuilt.encode(text) == TOKENIZER.encode(text)


def test_refuses_by_message(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="vocab_size must be at least 256, one per byte, got 100"):
        BytePairTokenizer.train("x", vocab_size=100)
    with pytest.raises(
        ValueError, match=r"got 1 tokens without 255 of the bytes\. Is it a vocabulary"
    ):
        BytePairTokenizer({"a": 0}, [])
    with pytest.raises(ValueError, match="merges must join tokens of vocab"):
        BytePairTokenizer(BytePairTokenizer.train("x", vocab_size=256).vocab, [("a", "b")])
    with pytest.raises(OSError, match=r"load: '.*none.json' cannot be read \(No such file"):
        BytePairTokenizer.load(tmp_path / "none.json", tmp_path / "none.txt")
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(OSError, match="Run 'gradatim data get gpt2-vocabulary' once"):
        BytePairTokenizer.published()
    monkeypatch.setattr(engine, "import_module", lambda name: (_ for _ in ()).throw(ImportError))
    with pytest.raises(
        OSError, match=r"need the package tokenizers\. Try: pip install 'gradatim\[text\]'"
    ):
        BytePairTokenizer.train("x", vocab_size=300)
