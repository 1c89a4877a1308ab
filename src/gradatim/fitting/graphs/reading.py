"""Find out how graphs are stored, and read them."""

from pathlib import Path

import pandas as pd

from gradatim.data.tu_files import find_tu_name, read_tu_files
from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting.graphs.json_lines import holds_json_graphs, read_json_graphs
from gradatim.fitting.graphs.raw import RawGraphs, make_raw

LINES = "graphs.jsonl"  # in a folder


def holds_graphs(path: Path) -> bool:
    """Whether a file or folder holds graphs: TU files, or a record with ``"edges"`` a line.

    Args:
        path: A file or folder; what cannot be looked at holds none.
    """
    try:
        if path.is_dir():
            return (path / LINES).is_file() or find_tu_name(path) is not None
        return path.suffix.lower() == ".jsonl" and path.is_file() and holds_json_graphs(path)
    except OSError:
        return False


def read_graphs(path: Path, owner: str = "fit") -> RawGraphs:
    """Read graphs from a file or folder.

    Args:
        path: A file of JSON, a graph a line; a folder with ``graphs.jsonl``, or with TU files.
        owner: Who reads, for messages.
    """
    if path.is_dir():
        if (path / LINES).is_file():
            return read_json_graphs(path / LINES, owner)
        if find_tu_name(path) is not None:
            return _read_tu(path, owner)
        raise InvalidValue(f"{owner}: {str(path)!r} must hold {LINES}, or NAME_A.txt and NAME_graph_indicator.txt, and does not.")  # fmt: skip
    if not path.exists():
        raise Unavailable(f"{owner}: data must be graphs, and {str(path)!r} is not there.")
    return read_json_graphs(path, owner)


def _read_tu(folder: Path, owner: str) -> RawGraphs:
    own = read_tu_files(folder, owner)
    target = None if own.target is None else pd.Series(own.target)
    return make_raw(
        own.name, own.x, own.edges, own.edge_attr, own.sizes, target,
        num_labels=own.num_labels, num_edge_labels=own.num_edge_labels,
    )  # fmt: skip
