"""Sentences whose words have tags: read from columns (CoNLL) or from words with a slash and a tag.

Columns: a word and its tag a line, further columns between them, a blank line between sentences; a line of ``-DOCSTART-`` or
``# newdoc`` begins a document. Slashes: a sentence a line, ``The/at dog/nn barks/vbz ./.``; the last slash counts. A folder
has a document in each of its files.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gradatim.data.entries import catalogue
from gradatim.data.loading import load
from gradatim.data.pairs import read_lines
from gradatim.errors import InvalidValue, require
from gradatim.files import check_regular
from gradatim.wording import shorten

COLUMNS, SLASHES = "columns", "slashes"
LOOKED = 200  # lines that tell the layout
DOCUMENT = "-DOCSTART-"
_NEW = re.compile(r"#\s*newdoc\b")
_SHOWN = 40  # characters of a line in a message


class Layout(NamedTuple):
    """How a file of tagged words is written.

    Args:
        style: ``"columns"`` or ``"slashes"``.
        columns: Columns of a line.
        word: Column of the word, from 0.
        tag: Column of the tag, from 0.
    """

    style: str = SLASHES
    columns: int = 0
    word: int = 0
    tag: int = 0


@dataclass
class Tagged:
    """Sentences with a tag for every word.

    Args:
        name: Short name of the source.
        layout: How it is written.
        words: Words of each sentence.
        tags: Their tags.
        documents: Number of the document of each sentence; all 0 where none is marked.
        notes: What was done, one sentence each.
    """

    name: str
    layout: Layout
    words: list[list[str]] = field(default_factory=list)
    tags: list[list[str]] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, cells: Sequence[tuple[str, str]], document: int) -> None:
        """Add a sentence, unless it is empty."""
        if cells:
            self.words.append([word for word, _ in cells])
            self.tags.append([tag for _, tag in cells])
            self.documents.append(document)

    def pick(self, rows: Sequence[int]) -> "Tagged":
        """Some of the sentences."""
        words, tags = ([own[k] for k in rows] for own in (self.words, self.tags))
        return Tagged(self.name, self.layout, words, tags, [self.documents[k] for k in rows], self.notes)  # fmt: skip


def read_tagged(source: "str | Path", word: int | None = None, tag: int | None = None) -> Tagged:
    """Read tagged sentences.

    Args:
        source: A UTF-8 file, a folder of such files, or a set of the catalogue whose words have tags.
        word: Column of the word, from 1; the first by default.
        tag: Column of the tag, from 1; the last by default.
    """
    path = Path(source)
    entry = next((e for e in catalogue() if e.name == str(source)), None)
    if entry is not None and not path.exists():
        return _read_builtin(str(source))
    files = [path]
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        require(bool(files), f"{source}: must hold files of tagged sentences", "an empty folder")
    found: Tagged | None = None
    for number, file in enumerate(files):
        found = _read_file(file, word, tag, found, number)
    assert found is not None
    found.name = path.name.split(".")[0] or "tags"
    if not found.words:
        raise InvalidValue(f"{source}: must hold tagged words, but it is empty.")
    return found


def _read_builtin(name: str) -> Tagged:
    record = load(name)
    if record.task != "tagging" or record.y is None or record.groups is None:
        raise InvalidValue(f"fit: {name} must hold words with tags, and does not. Try 'grammar' or 'brown'.")  # fmt: skip
    words, tags = ([list(s) for s in part] for part in (np.asarray(record.X), record.y))
    return Tagged(name, Layout(), words, tags, record.groups.tolist())


def _read_file(
    path: Path, word: int | None, tag: int | None, found: Tagged | None, number: int
) -> Tagged:
    """Read a file, and add its sentences to those of the files before."""
    check_regular(path)
    layout = _find_layout(path, word, tag) if found is None else found.layout
    found = found or Tagged(path.name, layout)
    if layout.style == SLASHES:
        for line, cells in read_lines(path):
            found.add([_torn(path, line, item) for item in " ".join(cells).split()], number)
        return found
    for document, own in _sentences(path, layout):
        found.add(own, document + 1_000_000 * number)
    return found


def _torn(path: Path, line: int, item: str) -> tuple[str, str]:
    word, slash, tag = item.rpartition("/")
    if not (slash and word and tag):
        raise InvalidValue(
            f"{path}: line {line} must hold words with a slash and a tag, such as dog/nn, got {shorten(repr(item), _SHOWN)}."
        )
    return word, tag


def split_cells(line: str) -> list[str]:
    """Cells of a line: between tabs where there are some, else between spaces.

    Example:
        >>> split_cells("New York\\tNP"), split_cells("dog  nn\\n")
        (['New York', 'NP'], ['dog', 'nn'])
    """
    line = line.strip("\n\r")
    cells = line.split("\t") if "\t" in line else line.split()
    return [cell.strip() for cell in cells]


def _find_layout(path: Path, word: int | None, tag: int | None) -> Layout:
    """Tell slashes from columns by the first lines, and find how many columns most lines have."""
    rows = [cells for _, (_, cells) in zip(range(LOOKED), read_lines(path), strict=False) if cells]
    lines = ["\t".join(cells) for cells in rows]
    items = [item for line in lines for item in line.split()]
    asked = word is not None or tag is not None
    if not asked and sum("/" in item for item in items) > 0.5 * len(items):
        return Layout()
    counts = [len(split_cells(line)) for line in lines if not _is_remark(line)]
    columns = max(set(counts), key=lambda n: (counts.count(n), n)) if counts else 0
    require(
        columns > 1 or not lines,
        f"{path}: must hold a word and its tag a line, or words with a slash and a tag, such as dog/nn",
        f"{shorten(repr(lines[0]), _SHOWN)} in line 1" if lines else "nothing",
    )
    for name, place in (("word-column", word), ("tag-column", tag)):
        most = f"fit: {name} must be from 1 to {columns}, the columns of {path.name}"
        require(place is None or 1 <= place <= columns, most, place)
    layout = Layout(COLUMNS, columns, (word or 1) - 1, (tag or columns) - 1)
    require(layout.word != layout.tag, "fit: tag-column must differ from word-column", layout.tag + 1)  # fmt: skip
    return layout


def _is_remark(line: str) -> bool:
    return line.startswith("#") and "\t" not in line and len(line.split()) > 2


def _sentences(path: Path, layout: Layout) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Document and cells of each sentence of a file of columns."""
    document, held = 0, list[tuple[str, str]]()
    last = 0
    for number, parts in read_lines(path):
        line = "\t".join(parts)
        if number > last + 1 and held:  # blank lines are left out
            yield document, held
            held = []
        last = number
        if line.startswith(DOCUMENT) or _NEW.match(line):
            if held:
                yield document, held
                held = []
            document += 1
            continue
        if _is_remark(line):
            continue
        held.append(_cells(path, number, line, layout))
    if held:
        yield document, held


def _cells(path: Path, number: int, line: str, layout: Layout) -> tuple[str, str]:
    cells = split_cells(line)
    if len(cells) != layout.columns or not (cells[layout.word] and cells[layout.tag]):
        raise InvalidValue(
            f"{path}: line {number} must have {layout.columns} columns, a word in column {layout.word + 1} and its tag in "
            f"column {layout.tag + 1}, got {shorten(repr(line), _SHOWN)}."
        )
    return cells[layout.word], cells[layout.tag]


def cut_long(sentences: Sequence[Sequence[str]], most: int) -> list[np.ndarray]:
    """Places of the pieces of each sentence, none longer than ``most`` words, of about equal lengths.

    Example:
        >>> [piece.tolist() for piece in cut_long([["a", "b", "c"]], 2)]
        [[0, 0, 2], [0, 2, 3]]
    """
    pieces = []
    for number, words in enumerate(sentences):
        count = max(-(-len(words) // most), 1)
        ends = np.linspace(0, len(words), count + 1).round().astype(int)
        pieces += [np.array([number, a, b]) for a, b in pairwise(ends)]
    return pieces
