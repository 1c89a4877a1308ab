"""Published vocabularies: known encodings, and the definitions on hard texts. Needs a network once."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradatim.data import BytePairTokenizer, WordPieceTokenizer, get

REFERENCES = SimpleNamespace(
    **runpy.run_path(str(Path(__file__).parents[1] / "data" / "tokenizers" / "references.py"))
)


@pytest.fixture(scope="module")
def gpt2():
    get("gpt2-vocabulary")
    return BytePairTokenizer.published()


@pytest.fixture(scope="module")
def bert():
    get("bert-vocabulary")
    return WordPieceTokenizer.published()


def test_gpt2_as_published(gpt2):
    assert gpt2.vocab_size == 50_257
    # what the published encoder prints
    assert gpt2.encode("Hello world") == [15496, 995]
    assert gpt2.encode("Hello, y'all! How are you 😁 ?") == [
        15496, 11, 331, 6, 439, 0, 1374, 389, 345, 30325, 223, 5633
    ]  # fmt: skip
    assert gpt2.vocab["<|endoftext|>"] == 50_256


def test_bert_as_published(bert):
    assert bert.vocab_size == 30_522
    assert bert.encode_pair("hello world").ids == [101, 7592, 2088, 102]
    assert bert.pieces("unaffable") == ["una", "##ffa", "##ble"]  # the example of its authors


@pytest.mark.parametrize("text", REFERENCES.HARD, ids=ascii)
def test_both_equal_their_definitions_on_hard_texts(gpt2, bert, text):
    assert gpt2.pieces(text) == REFERENCES.gpt2_pieces(text, gpt2.merges)
    assert gpt2.decode(gpt2.encode(text)) == text
    assert bert.pieces(text) == REFERENCES.bert_pieces(text, bert.tokens)
