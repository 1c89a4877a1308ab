"""Sentences without tags, for a tagger to read: plain lines, or a word a line as where the tags were learned."""

from itertools import pairwise
from pathlib import Path

from gradatim.data.pairs import read_lines
from gradatim.data.tagged import COLUMNS, DOCUMENT, SLASHES, Layout, split_cells
from gradatim.errors import InvalidValue

MARKS = ".,;:!?"


def read_sentences(source: "str | Path", layout: Layout, tags: set[str]) -> list[list[str]]:
    """Read sentences: a line each with spaces between words, or a word a line with blank lines between sentences.

    A file of one word a line, or of columns as in training, is read by columns; a file of words with slashes and known tags
    as in training is read without the tags.

    Args:
        source: A UTF-8 file.
        layout: How the training file was written.
        tags: Tags that are known.
    """
    lines = [(number, "\t".join(cells)) for number, cells in read_lines(source)]
    if not lines:
        raise InvalidValue(f"{source}: must hold sentences, but it is empty.")
    if _has_columns(lines, layout):
        return _by_columns(lines, layout)
    sentences = [line.split() for _, line in lines]
    items = [item for words in sentences for item in words]
    if layout.style == SLASHES and all(item.rpartition("/")[2] in tags and item.rpartition("/")[0] for item in items):  # fmt: skip
        return [[item.rpartition("/")[0] for item in words] for words in sentences]
    return sentences


def _has_columns(lines: list[tuple[int, str]], layout: Layout) -> bool:
    """Whether each line is a word with whatever stands beside it."""
    counts = {len(split_cells(line)) for _, line in lines if not line.startswith(("#", DOCUMENT))}
    if any("\t" in line for _, line in lines):
        return True
    has_blanks = any(b - a > 1 for (a, _), (b, _) in pairwise(lines))
    if counts == {1}:
        return len(lines) > 1 and (has_blanks or layout.style == COLUMNS)
    return layout.style == COLUMNS and has_blanks and len(counts) == 1 and counts <= {layout.columns, layout.columns - 1}  # fmt: skip


def _by_columns(lines: list[tuple[int, str]], layout: Layout) -> list[list[str]]:
    sentences, held, last = list[list[str]](), list[str](), 0
    for number, line in lines:
        if (number > last + 1 or line.startswith(DOCUMENT)) and held:
            sentences.append(held)
            held = []
        last = number
        cells = split_cells(line)
        if line.startswith(DOCUMENT) or (line.startswith("#") and len(cells) != 1 and "\t" not in line):  # fmt: skip
            continue
        held.append(cells[layout.word] if layout.word < len(cells) else cells[0])
    return [*sentences, held] if held else sentences


def count_glued(sentences: list[list[str]]) -> int:
    """How many words end in a mark that belongs to the sentence.

    Example:
        >>> count_glued([["The", "dog", "barks."], ["Mr.", "X", "."]])
        1
    """
    return sum(len(words[-1]) > 1 and words[-1][-1] in MARKS for words in sentences if words)
