"""Graphs in the files of the TU collection: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, ``NAME_graph_labels.txt`` and others.

Line :math:`i` of ``graph_indicator`` is the graph of node :math:`i`, a line of ``A`` an edge as a pair of nodes, all numbered from 1.
``graph_labels`` holds classes, ``graph_attributes`` values; ``node_labels``, ``node_attributes``, ``edge_labels`` and
``edge_attributes`` are read where they are there.
"""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue
from gradatim.fitting.graphs.raw import RawGraphs, make_raw

INDICATOR = "_graph_indicator.txt"


def find_tu_name(folder: Path) -> str | None:
    """What stands before ``_graph_indicator.txt`` in a folder; ``None`` where there is no such file.

    Args:
        folder: A folder.
    """
    found = sorted(path.name.removesuffix(INDICATOR) for path in folder.glob(f"*{INDICATOR}"))
    return found[0] if found else None


def read_tu_graphs(folder: Path, owner: str = "fit") -> RawGraphs:
    """Read graphs; files of unequal length and edges that lead nowhere are refused.

    Args:
        folder: Where the files are.
        owner: Who reads, for messages.
    """
    names = sorted(path.name.removesuffix(INDICATOR) for path in folder.glob(f"*{INDICATOR}"))
    if len(names) > 1:
        raise InvalidValue(f"{owner}: data must hold graphs of one name, got {names[0]!r} and {names[1]!r}. Move one to a folder of its own.")  # fmt: skip
    name = names[0]
    graph = _whole(folder / f"{name}{INDICATOR}", owner, 1)[:, 0]
    ends = _whole(folder / f"{name}_A.txt", owner, 2, may_be_empty=True)
    targets = [path for part in ("labels", "attributes") if (path := folder / f"{name}_graph_{part}.txt").is_file()]  # fmt: skip
    target = None if not targets else _numbers(targets[0], owner)
    count = int(graph.max()) if target is None else len(target)
    _check_between(graph, count, f"{name}{INDICATOR}", "graphs", owner)
    _check_between(ends, len(graph), f"{name}_A.txt", "nodes", owner)
    order = np.argsort(graph, kind="stable")
    place = np.empty(len(graph), dtype=np.int64)
    place[order] = np.arange(len(graph))
    edges = place[ends.T - 1]
    owners = graph[order] - 1
    crossing = np.flatnonzero(owners[edges[0]] != owners[edges[1]])
    if len(crossing):
        a, b = ends[crossing[0]]
        raise InvalidValue(f"{owner}: {name}_A.txt must join nodes of one graph, got nodes {a} and {b} of graphs {graph[a - 1]} and {graph[b - 1]}.")  # fmt: skip
    x, labels = _columns(folder, name, "node", len(graph), owner)
    e, edge_labels = _columns(folder, name, "edge", len(ends), owner)
    y = None if target is None else pd.Series(_plain(target[:, 0]))
    if target is not None and target.shape[1] > 1:
        raise InvalidValue(f"{owner}: {targets[0].name} must have one value a line, got {target.shape[1]}.")  # fmt: skip
    sizes = np.bincount(owners, minlength=count)
    return make_raw(name, x[order], edges, e, sizes, y, num_labels=labels, num_edge_labels=edge_labels)  # fmt: skip


def _plain(values: np.ndarray) -> np.ndarray:
    """Whole numbers as such."""
    is_whole = np.isfinite(values).all() and (values == np.round(values)).all()
    return values.astype(np.int64) if is_whole else values


def _numbers(path: Path, owner: str, *, may_be_empty: bool = False) -> np.ndarray:
    """Numbers of a file, separated by commas."""
    if not path.is_file():
        raise InvalidValue(f"{owner}: {path.name} must lie beside the other files, and does not.")
    content = path.read_bytes()
    if not content.strip():
        if may_be_empty:
            return np.zeros((0, 2))
        raise InvalidValue(f"{owner}: {path.name} must hold numbers, and is empty.")
    try:
        frame = pd.read_csv(io.BytesIO(content), header=None, skipinitialspace=True, dtype=np.float64)  # fmt: skip
    except (ValueError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:100].rstrip(".")
        raise InvalidValue(f"{owner}: {path.name} must hold numbers, as many in every line, got others ({reason}).") from None  # fmt: skip
    return frame.to_numpy(np.float64)


def _whole(path: Path, owner: str, width: int, *, may_be_empty: bool = False) -> np.ndarray:
    values = _numbers(path, owner, may_be_empty=may_be_empty)
    if values.shape[1] != width:
        raise InvalidValue(f"{owner}: {path.name} must have {width} {'number' if width == 1 else 'numbers'} a line, got {values.shape[1]}.")  # fmt: skip
    if not (np.isfinite(values).all() and (values == np.round(values)).all()):
        raise InvalidValue(f"{owner}: {path.name} must hold whole numbers, got others.")
    return values.astype(np.int64)


def _check_between(values: np.ndarray, most: int, file: str, things: str, owner: str) -> None:
    wrong = values[(values < 1) | (values > most)]
    if wrong.size:
        raise InvalidValue(f"{owner}: {file} must name {things} from 1 to {most:,}, got {wrong.flat[0]:,}.")  # fmt: skip


def _columns(folder: Path, name: str, things: str, count: int, owner: str) -> tuple[np.ndarray, int]:  # fmt: skip
    """Labels, then attributes, of nodes or edges; how many columns are labels."""
    parts, labels = [np.zeros((count, 0))], 0
    for part in ("labels", "attributes"):
        path = folder / f"{name}_{things}_{part}.txt"
        if path.is_file() and (count or path.read_bytes().strip()):
            values = _numbers(path, owner)
            if len(values) != count:
                raise InvalidValue(f"{owner}: {path.name} must have a line for each of {count:,} {things}s, got {len(values):,}.")  # fmt: skip
            parts.append(values)
            labels += values.shape[1] if part == "labels" else 0
    return np.concatenate(parts, axis=1), labels
