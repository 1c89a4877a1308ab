"""A text of any length as numbers in a memory-mapped file: what a language model learns from."""

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gradatim.data import load
from gradatim.data.tables.builtin import builtin_names
from gradatim.data.tokenizers import (
    BytePairTokenizer,
    ByteTokenizer,
    CharacterTokenizer,
    Tokenizer,
)
from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import check_regular

CHUNK = 1 << 20  # characters that are in memory at once
SMALL_ALPHABET = 200  # characters up to which each is a token of its own

Chunks = Callable[[], Iterator[str]]


class Text(NamedTuple):
    """A text that is read piece by piece, as often as need be.

    Args:
        name: A short name for titles.
        chunks: Yields its pieces, which end at a line break where there is one.
        characters: Its length, or as much of it as is read.
        alphabet: Its different characters, sorted.
        digest: A hash of all of it.
        is_cut: Whether the source goes on.
    """

    name: str
    chunks: Chunks
    characters: int
    alphabet: str
    digest: str
    is_cut: bool


class Tokens(NamedTuple):
    """Token numbers of the parts of a text, in its order: the last part is for the test.

    Args:
        train: To learn from.
        validation: To choose by.
        test: To judge once.
    """

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def read_text(source: "str | Path", most: int) -> Text:
    """Read through a text once: how long it is, which characters it has, whether it is UTF-8.

    Args:
        source: A UTF-8 file, or the name of a language set of the catalogue.
        most: Characters to read; the rest is left alone.
    """
    name, chunks = _open(source, most)
    alphabet: set[str] = set()
    digest, characters = hashlib.blake2b(digest_size=16), 0
    for chunk in chunks():
        alphabet.update(chunk)
        digest.update(chunk.encode())
        characters += len(chunk)
    if not alphabet - set(" \t\n"):
        raise InvalidValue(f"{source}: must hold a text to learn from, but it is empty.")
    if len(alphabet) < 2:
        raise InvalidValue(
            f"{source}: must hold at least two different characters, got only {alphabet.pop()!r}. There is nothing to learn."
        )
    letters = "".join(sorted(alphabet))
    return Text(name, chunks, characters, letters, digest.hexdigest(), characters >= most)


def _open(source: "str | Path", most: int) -> tuple[str, Chunks]:
    path = Path(source)
    if str(source) in builtin_names() and not path.is_file():
        text = load(str(source)).text[:most]
        return str(source), lambda: iter([text])
    check_regular(path)
    return path.name.split(".")[0] or "text", lambda: _file_chunks(path, most)


def _file_chunks(path: Path, most: int) -> Iterator[str]:
    rest = ""
    try:
        with open(path, encoding="utf-8-sig") as file:
            while most and (read := file.read(min(CHUNK, most))):
                most -= len(read)
                text = rest + read
                cut = text.rfind("\n") + 1 or len(text)  # no word is torn apart
                rest = text[cut:]
                yield text[:cut]
    except UnicodeDecodeError as error:
        raise InvalidValue(
            f"{path}: must be a text in UTF-8, and is not ({error.reason}). Save it as UTF-8."
        ) from None
    except OSError as error:
        raise Unavailable(f"{path}: cannot be read: {error.strerror or error}.") from error
    if rest:
        yield rest


def train_tokenizer(text: Text, name: str | None, share: float) -> Tokenizer:
    """Make the tokenizer that is asked for, or the one that suits the text.

    Args:
        text: The text.
        name: ``"character"``, ``"byte"`` or ``"byte-pair"``; by default characters where there are few, byte pairs elsewhere.
        share: Part of the text, from its beginning, that byte pairs are learned from.
    """
    if name is None:
        name = "character" if len(text.alphabet) <= SMALL_ALPHABET else "byte-pair"
    if name == "character":
        return CharacterTokenizer(text.alphabet)
    if name == "byte":
        return ByteTokenizer()
    pieces = max(int(text.characters * share) // CHUNK, 1)
    pairs = min(max(text.characters // 500, 256), 3840)
    whole = [chunk[: int(text.characters * share)] for chunk in islice(text.chunks(), min(pieces, 20))]  # fmt: skip
    return BytePairTokenizer.train(whole, vocab_size=256 + pairs)


def map_tokens(path: Path, text: Text, tokenizer: Tokenizer) -> np.ndarray:
    """Encode a text into the file ``path``, unless it is there already, and map it into memory."""
    kind = np.uint16 if tokenizer.vocab_size <= 1 << 16 else np.uint32
    if not path.is_file():
        beside = path.with_suffix(".part")
        with open(beside, "wb") as file:
            for chunk in text.chunks():
                np.asarray(tokenizer.encode(chunk), dtype=kind).tofile(file)
        os.replace(beside, path)
    return np.memmap(path, dtype=kind, mode="r")


def split_tokens(name: str, tokens: np.ndarray, share: float, context: int) -> Tokens:
    """Cut tokens into a part to learn from and, of the last ``share``, a half to choose by and a half to judge."""
    held = int(len(tokens) * share / 2)
    least = 4 * context
    if held < least or len(tokens) - 2 * held < least:
        need = int(2 * least / min(share, 2 * (1 - share))) + 1
        raise InvalidValue(
            f"{name}: must hold at least {need:,} tokens, so that each of its parts is longer than the "
            f"context of {context}, got {len(tokens):,}. Take a longer text."
        )
    first, second = len(tokens) - 2 * held, len(tokens) - held
    return Tokens(tokens[:first], tokens[first:second], tokens[second:])
