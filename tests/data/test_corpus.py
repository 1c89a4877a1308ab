"""Texts of any length become tokens in a file."""

import numpy as np
import pytest

from gradatim.data import corpus
from gradatim.data.corpus import map_tokens, read_text, split_tokens, train_tokenizer
from gradatim.data.tokenizers import CharacterTokenizer
from gradatim.errors import InvalidValue, Unavailable

VERSE = "so weit im leben ist zu nah am tod\nça va, naïve 🙂\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "verse.txt"
    path.write_text(VERSE * 40, encoding="utf-8")
    return path


def test_a_text_is_the_same_in_pieces_of_any_size(path, monkeypatch):
    whole = read_text(path, 10**9)
    for size in (1, 7, 50, 1000):
        monkeypatch.setattr(corpus, "CHUNK", size)
        pieces = read_text(path, 10**9)
        assert "".join(pieces.chunks()) == VERSE * 40
        assert pieces[2:] == whole[2:]
    assert whole.alphabet == "".join(sorted(set(VERSE)))
    assert (whole.name, whole.characters, whole.is_cut) == ("verse", 40 * len(VERSE), False)


def test_pieces_end_with_a_line_where_there_is_one(path, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK", 60)
    *pieces, _ = read_text(path, 10**9).chunks()
    assert all(piece.endswith("\n") for piece in pieces)


def test_only_what_the_budget_allows_is_read(path):
    cut = read_text(path, 100)
    assert "".join(cut.chunks()) == (VERSE * 40)[:100]
    assert cut.is_cut
    assert cut.digest != read_text(path, 101).digest


def test_line_ends_and_byte_order_marks_fall_away(tmp_path):
    (tmp_path / "w.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert "".join(read_text(tmp_path / "w.txt", 100).chunks()) == "one\ntwo\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "must hold a text to learn from, but it is empty"),
        (b" \n\t\n", "must hold a text to learn from, but it is empty"),
        ("Zürich".encode("latin-1"), "must be a text in UTF-8, and is not"),
        ("Zürich".encode("utf-16"), "must be a text in UTF-8, and is not"),
    ],
)
def test_files_that_hold_no_text_are_refused(tmp_path, content, sentence):
    (tmp_path / "t.txt").write_bytes(content)
    with pytest.raises(InvalidValue, match=sentence):
        read_text(tmp_path / "t.txt", 100)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(Unavailable, match="there is no such file"):
        read_text(tmp_path / "none.txt", 100)
    with pytest.raises(InvalidValue, match="is a folder"):
        read_text(tmp_path, 100)


def test_tokens_lie_in_a_file(path, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "CHUNK", 64)
    text = read_text(path, 10**9)
    tokenizer = train_tokenizer(text, None, 0.8)
    assert isinstance(tokenizer, CharacterTokenizer)
    tokens = map_tokens(tmp_path / "tokens.bin", text, tokenizer)
    assert isinstance(tokens, np.memmap)
    assert tokens.tolist() == tokenizer.encode(VERSE * 40)
    assert tokens.dtype == np.uint16
    again = map_tokens(tmp_path / "tokens.bin", text._replace(chunks=lambda: 1 / 0), tokenizer)
    assert np.array_equal(again, tokens)  # a resumed run does not encode again


def test_bytes_and_byte_pairs_give_the_text_back(path, tmp_path):
    text = read_text(path, 10**9)
    for name in ("byte", "byte-pair"):
        tokenizer = train_tokenizer(text, name, 0.8)
        tokens = map_tokens(tmp_path / f"{name}.bin", text, tokenizer)
        assert tokenizer.decode(tokens.tolist()) == VERSE * 40


def test_byte_pairs_are_learned_from_the_first_part_only(tmp_path):
    (tmp_path / "t.txt").write_text("ab " * 800 + "xy " * 200)
    tokenizer = train_tokenizer(read_text(tmp_path / "t.txt", 10**6), "byte-pair", 0.8)
    assert len(tokenizer.encode("ab")) == 1
    assert len(tokenizer.encode("xy")) == 2


def test_large_alphabets_are_cut_into_byte_pairs(tmp_path):
    (tmp_path / "t.txt").write_text("".join(map(chr, range(0x4E00, 0x4E00 + 500))))
    assert train_tokenizer(read_text(tmp_path / "t.txt", 10**6), None, 0.8).name == "byte_pair"


def test_the_last_part_is_held_out_in_order():
    parts = split_tokens("t", np.arange(1000), 0.2, 16)
    assert [len(part) for part in parts] == [800, 100, 100]
    assert np.array_equal(np.concatenate(parts), np.arange(1000))


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6, 0.9])
def test_a_text_too_short_for_the_context_is_refused(share):
    with pytest.raises(InvalidValue, match=r"t: must hold at least [\d,]+ tokens.*context of 16, got 90") as error:  # fmt: skip
        split_tokens("t", np.arange(90), share, 16)
    need = int(str(error.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    split_tokens("t", np.arange(need + 2), share, 16)  # what it asks for is enough
