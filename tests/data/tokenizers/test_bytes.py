"""Bytes: UTF-8 and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import ByteTokenizer, rebuild_tokenizer


@given(st.text(st.characters(codec="utf-8")))
def test_encoding_is_utf8_and_decoding_undoes_it(text):
    tokenizer = rebuild_tokenizer(ByteTokenizer().describe())
    assert tokenizer.encode(text) == list(text.encode("utf-8"))
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_halves_of_characters_do_not_stop_decoding():
    assert ByteTokenizer().decode([104, 195]) == "h�"


def test_refuses_what_is_no_text_and_no_byte():
    with pytest.raises(
        ValueError, match="text must be Unicode, got half a surrogate pair at place 1"
    ):
        ByteTokenizer().encode("a\ud83d")
    with pytest.raises(ValueError, match="ids must be from 0 to 255, got -1"):
        ByteTokenizer().decode([-1])
