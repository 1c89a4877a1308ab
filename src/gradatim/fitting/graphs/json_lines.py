"""Graphs in a file of JSON, one a line: ``{"edges": [[0, 1]], "x": [[0.5]], "y": "yes"}``."""

import json
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue
from gradatim.fitting.graphs.raw import RawGraphs, make_raw
from gradatim.wording import shorten

KEYS = ("edges", "x", "y", "num_nodes")
MOST_NODES = 10_000_000  # of one graph


class _Line(NamedTuple):
    edges: np.ndarray
    x: np.ndarray | None
    size: int
    y: Any


def holds_json_graphs(path: Path) -> bool:
    """Whether the first line of a file that is not empty is a graph, or the beginning of one.

    Args:
        path: A file.
    """
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                text = line[:100_000].decode("utf-8", "replace").strip()
                return text.startswith("{") and '"edges"' in text
    return False


def read_json_graphs(path: Path, owner: str = "fit") -> RawGraphs:
    """Read graphs, one a line; what is no graph is refused by its line.

    Args:
        path: The file.
        owner: Who reads, for messages.
    """
    lines, others = [], set[str]()
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                lines.append(_read_line(text, f"{owner}: line {number} of {path.name!r}", others))
    if not lines:
        raise InvalidValue(f"{owner}: {path.name!r} must hold graphs, one a line, and is empty.")
    return _put_together(lines, path, owner, others)


def _refuse(where: str, rule: str, got: object, remedy: str = "") -> NoReturn:
    raise InvalidValue(f"{where} must {rule}, got {shorten(str(got), 60)}.{remedy}")


def _read_line(text: str, where: str, others: set[str]) -> _Line:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidValue(f"{where} must be a whole record of JSON, got {shorten(repr(text.strip()), 40)}.") from None  # fmt: skip
    if not isinstance(record, dict) or "edges" not in record:
        _refuse(where, 'be a record with "edges"', repr(record), ' Write {"edges": [[0, 1]], "x": [[0.5]], "y": 1}.')  # fmt: skip
    others |= record.keys() - set(KEYS)
    x = None if record.get("x") is None else _read_nodes(record["x"], where)
    edges = _read_edges(record["edges"], where)
    size = len(x) if x is not None else _size(record.get("num_nodes"), edges, where)
    if edges.size and not (edges.min() >= 0 and edges.max() < size):
        wrong = int(edges.min() if edges.min() < 0 else edges.max())
        nodes = f"nodes from 0 to {size - 1:,}" if size else "nodes that are there, and there are none"  # fmt: skip
        _refuse(where, f"have edges between {nodes}", f"node {wrong}")
    y = record.get("y")
    if isinstance(y, dict | list):
        _refuse(where, "have one class or number as y", repr(y))
    return _Line(edges, x, size, y)


def _size(given: Any, edges: np.ndarray, where: str) -> int:
    """Nodes of a graph without columns: as many as are named, unless their number is given."""
    if given is None:
        given = int(edges.max()) + 1 if edges.size else 0
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_NODES:
        _refuse(where, f"have from 0 to {MOST_NODES:,} nodes", repr(given))
    return given


def _read_edges(value: Any, where: str) -> np.ndarray:
    if isinstance(value, list) and not value:
        return np.zeros((2, 0), np.int64)
    edges = _array(value)
    if edges is None or edges.ndim != 2 or edges.shape[1] != 2 or (edges != np.floor(edges)).any():
        _refuse(where, "have pairs of nodes as edges", repr(value), " Nodes are numbered from 0.")
    if np.abs(edges).max() > MOST_NODES:
        _refuse(where, f"have from 0 to {MOST_NODES:,} nodes", f"node {np.abs(edges).max():.0f}")
    return edges.astype(np.int64).T


def _read_nodes(value: Any, where: str) -> np.ndarray:
    """Columns of nodes, shape ``(nodes, D)``; a number a node is one column."""
    if isinstance(value, list) and not value:
        return np.zeros((0, 0))
    x = _array(value)
    if x is None or x.ndim > 2 or x.ndim < 1:
        widths = {len(row) if isinstance(row, list) else 1 for row in value} if isinstance(value, list) else set()  # fmt: skip
        if len(widths) > 1:
            _refuse(where, "have rows of equal length as x", f"rows of {min(widths)} and {max(widths)}")  # fmt: skip
        _refuse(where, "have a row of numbers for every node as x", repr(value), " Number the labels of nodes.")  # fmt: skip
    return x[:, None] if x.ndim == 1 else x


def _array(value: Any) -> np.ndarray | None:
    """Numbers of nested lists; nothing stands for a number that is missing, and texts for none."""
    try:
        found = np.asarray(value)
        if found.dtype == object:
            found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return found.astype(np.float64) if found.dtype.kind in "biuf" else None


def _put_together(lines: list[_Line], path: Path, owner: str, others: set[str]) -> RawGraphs:
    widths = {line.x.shape[1]: k for k, line in reversed([*enumerate(lines, 1)]) if line.x is not None and len(line.x)}  # fmt: skip
    without = next((k for k, line in enumerate(lines, 1) if line.x is None and line.size), None)
    if len(widths) > 1:
        (a, first), (b, second) = sorted(widths.items(), key=lambda item: item[1])[:2]
        raise InvalidValue(f"{owner}: x must have as many columns in every graph, got {a} in graph {first:,} and {b} in graph {second:,}.")  # fmt: skip
    if widths and without is not None:
        raise InvalidValue(f"{owner}: x must be given for every graph or for none, got none for graph {without:,}.")  # fmt: skip
    width = next(iter(widths), 0)
    x = np.concatenate([np.zeros((line.size, 0)) if line.x is None or not len(line.x) else line.x for line in lines if line.size and width] or [np.zeros((sum(line.size for line in lines), 0))])  # fmt: skip
    sizes = np.array([line.size for line in lines])
    starts = np.cumsum(sizes) - sizes
    edges = np.concatenate([line.edges + start for line, start in zip(lines, starts, strict=True)], axis=1)  # fmt: skip
    target = pd.Series([line.y for line in lines], dtype=object)
    name = path.parent.resolve().name if path.stem == "graphs" else path.stem
    raw = make_raw(name, x, edges, np.zeros((edges.shape[1], 0)), sizes, target if target.notna().any() else None)  # fmt: skip
    if others:
        known = ", ".join(map(repr, sorted(others)[:3]))
        raw.notes.append(f"{known} of graphs {'is' if len(others) == 1 else 'are'} not read: only edges, x, y and num_nodes are.")  # fmt: skip
    return raw
