import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data import Vocabulary, split_words
from gradatim.data.vocabulary import END, PAD, START, UNKNOWN
from gradatim.errors import InvalidValue


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1))
def test_decoding_inverts_encoding(texts):
    vocabulary = Vocabulary.build(texts)
    for text in texts:
        places = vocabulary.encode(text, end=True)
        assert "".join(vocabulary.decode([START, *places, PAD, PAD])) == text
        assert min(places[:-1]) > UNKNOWN
        assert places[-1] == END


def test_the_most_frequent_come_first_and_ties_in_order():
    vocabulary = Vocabulary.build([["b", "a", "c"], ["c"]])
    assert vocabulary.tokens[4:] == ("c", "a", "b")
    assert Vocabulary.build([["b", "a", "c"], ["c"]], max_size=6).tokens[4:] == ("c", "a")
    assert Vocabulary.build([["b", "a", "c"], ["c"]], min_count=2).tokens[4:] == ("c",)


def test_strangers_are_unknown():
    vocabulary = Vocabulary("ab")
    assert vocabulary.encode("axb") == [4, UNKNOWN, 5]
    assert vocabulary.decode([4, UNKNOWN, 5]) == ["a", "<unknown>", "b"]
    assert "a" in vocabulary
    assert "x" not in vocabulary
    assert len(vocabulary) == 6


def test_decoding_stops_at_the_first_end():
    assert Vocabulary("ab").decode([4, END, 5, END]) == ["a"]


def test_words_lose_case_marks_and_tags():
    assert split_words("Ça va?<br /><br />No_1’s “BEST”") == ["ça", "va", "no", "1’s", "best"]
    assert split_words("a < b > c") == ["a", "c"]
    assert split_words("") == []


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidValue, match="tokens must be distinct, got 'a' twice"):
        Vocabulary("aba")
    with pytest.raises(InvalidValue, match="'<pad>' twice"):
        Vocabulary(["<pad>"])
    with pytest.raises(
        InvalidValue, match="max_size must be more than 4, the special tokens, got 4"
    ):
        Vocabulary.build(["ab"], max_size=4)
