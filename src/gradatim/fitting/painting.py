"""A folder of predicted files, with the table of what they show; whole or not at all, and nobody's file is lost.

``files.json`` says which files are ours and what they held: one that the user has changed since is never replaced.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pandas as pd

from gradatim.errors import InvalidValue
from gradatim.files import is_inside, or_unavailable, own_document, refuse, write_files
from gradatim.hashing import hash_bytes, hash_file, json_bytes
from gradatim.versions import versions

TABLE, LIST = "areas.csv", "files.json"
Piece = tuple[pd.DataFrame, list[tuple[str, bytes]]]


@runtime_checkable
class Painter(Protocol):
    """A model whose predictions are files."""

    def prediction_files(self, data: Any, model: str, notes: list[str]) -> Iterator[Piece]:
        """Yield tables with the files that they tell of, piece by piece; ``notes`` collects what could not be used."""


def is_painted(fitted: object, output: str | Path) -> bool:
    """Whether an output is a folder of files, and not a table.

    Args:
        fitted: The model.
        output: What the user named; a name that ends with ``.csv`` means the table alone.

    Example:
        >>> is_painted(None, "masks-out")
        False
    """
    return isinstance(fitted, Painter) and Path(output).suffix.lower() != ".csv"


def write_painted(pieces: Iterator[Piece], folder: Path, inputs: Iterable[str | Path]) -> pd.DataFrame:  # fmt: skip
    """Write predicted files and their table into a folder, all or none.

    Args:
        pieces: Of a :class:`Painter`.
        folder: New, empty, or written in the same way before; files there that are not in ``pieces`` any more go.
        inputs: Files and folders that are read, none of which the folder may be.

    Returns:
        The whole table.
    """
    own = check_painted(folder, inputs)
    tables: list[pd.DataFrame] = []
    files: dict[str, bytes] = {}
    for table, new in pieces:
        for name, content in new:
            if name in files:
                raise InvalidValue(f"predict: images must have names of their own, whatever the ending, got two for {name!r}. Rename one.")  # fmt: skip
            files[name] = content
        tables.append(table)
    whole = pd.concat(tables, ignore_index=True)
    files[TABLE] = whole.to_csv(index=False).encode(errors="surrogateescape")
    hashes = {name: hash_bytes(content) for name, content in files.items()}
    files[LIST] = json_bytes({"versions": versions(), "predicted": hashes})
    write_files(folder, files, ours=own)
    return whole


def check_painted(folder: Path, inputs: Iterable[str | Path]) -> list[str]:
    """Refuse a folder that is read, or holds what we did not write; return the names of what is ours and unchanged.

    Args:
        folder: Where predicted files will be.
        inputs: Files and folders that are read.
    """
    got, real = repr(str(folder)), os.path.realpath(folder)
    if any(real == os.path.realpath(each) for each in inputs):
        refuse("predict: output must not be what is read", got)
    with or_unavailable(f"predict: {folder} cannot be written"):
        if os.path.lexists(folder) and not os.path.isdir(folder):
            refuse("predict: output must be a folder for masks, or a table whose name ends with .csv", got)  # fmt: skip
        listed = _listed(Path(real))
        if not listed and os.path.isdir(folder) and os.listdir(folder):
            refuse("predict: output must be new, empty or a folder of predictions", got)
        return [LIST, *(name for name, held in listed.items() if _is_held(Path(real) / name, held))] if listed else []  # fmt: skip


def _listed(folder: Path) -> Mapping[str, str]:
    found = (own_document(folder / LIST) or {}).get("predicted")
    if not isinstance(found, dict):
        return {}
    return {name: str(held) for name, held in found.items() if is_inside(name)}


def _is_held(path: Path, held: str) -> bool:
    return path.is_file() and not path.is_symlink() and hash_file(path) == held
