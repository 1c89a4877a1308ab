"""Characters: order, round trip, strangers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import CharacterTokenizer, rebuild_tokenizer


@given(st.text(min_size=1))
def test_decoding_undoes_encoding(text):
    text = text.encode(errors="ignore").decode() or "x"
    tokenizer = CharacterTokenizer.train(text)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.vocab_size == len(set(text))
    again = rebuild_tokenizer(json.loads(json.dumps(tokenizer.describe())))
    assert again.encode(text) == tokenizer.encode(text)


def test_several_texts_are_one():
    assert CharacterTokenizer.train(iter(["ba", "cab"])).characters == "abc"


def test_strangers_are_named():
    with pytest.raises(
        ValueError, match=r"must consist of its 2 characters, got 'x', 'ä'\. Leave them out"
    ):
        CharacterTokenizer("ab").encode("abäx")
    with pytest.raises(ValueError, match="ids must be from 0 to 1, got 2"):
        CharacterTokenizer("ab").decode([0, 2])
    with pytest.raises(ValueError, match="characters must be different and at least one, got 'aa'"):
        CharacterTokenizer("aa")
    with pytest.raises(ValueError, match="characters must be different and at least one, got ''"):
        CharacterTokenizer.train("")
    with pytest.raises(TypeError, match="text must be a string, got int"):
        CharacterTokenizer("ab").encode(3)
