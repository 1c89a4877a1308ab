"""Text of the data commands nothing and loses nothing that matters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.wording import escaped, shorten, visible

ANY = st.text(st.characters(exclude_categories=()))


@given(text=ANY)
def test_no_character_commands_anything(text):
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert not [c for c in shown if unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI", "PDF", "PDI")]  # fmt: skip
    shown.encode()
    assert visible(shown) == shown


@given(text=st.text(st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_usual_text_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("a\r\nb\tc", "a\\r\nb\tc"),
        ("\x9b31m", r"\x9b31m"),
        ("\udcff", r"\udcff"),
        ("\u202eexe", r"\u202eexe"),
        ("é 中 😀", "é 中 😀"),
        (5, "5"),
    ],
)
def test_characters_that_command_are_named(text, shown):
    assert visible(text) == shown


@given(text=ANY, most=st.integers(3, 40))
def test_a_short_text_stays_and_a_long_one_keeps_both_ends(text, most):
    short = shorten(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    elif text.strip() == text:
        assert (short[0] in (text[0], "…"), short[-1]) == (True, text[-1])


@pytest.mark.parametrize("character", ["\x00", "é", "中", "😀", "\udcff"])
def test_an_escape_is_pythons(character):
    assert escaped(character).encode().decode("unicode_escape") == character
