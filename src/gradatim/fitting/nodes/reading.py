"""Read a graph from a folder: ``nodes.csv``, a row for each node, and ``edges.csv``, a row for each edge.

Who learns of edges alone may do without ``nodes.csv``: nodes are then those that edges name.

Nothing is dropped in silence: edges of unknown ids, self-loops and repeated edges are counted and said; an id that is there
twice, or missing, is refused, since no edge could tell which node it means.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean
from gradatim.data.tables.reading import read_table
from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.fitting.nodes.kind import EDGES, NODES, SETS
from gradatim.fitting.tables.problem import find_name
from gradatim.wording import shorten

IDS = ("id", "node", "node_id", "nodeid")
ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("head", "tail"))
WEIGHT = "weight"
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges, each once.

    Args:
        index: Sources and targets as places of nodes, shape ``(2, E)``; the smaller first where edges have no direction.
        weight: Their weights, if they weigh.
        features: Their other columns, a row for each edge.
        sources: Nodes that are sources of edges, where none of them is a target too, as in a graph of two sides.
    """

    index: np.ndarray
    weight: np.ndarray | None
    features: pd.DataFrame
    sources: np.ndarray | None = None


@dataclass
class RawNodes:
    """A graph before its columns have types.

    Args:
        name: A short name for titles and folders.
        ids: Of every node.
        frame: Columns of the nodes, without their ids.
        edges: Between them; ends from ``len(ids)`` on are nodes that are known from before.
        target: The column to predict, where the source knows it.
        notes: What was done while reading, one sentence each.
    """

    name: str
    ids: list[str]
    frame: pd.DataFrame
    edges: Edges
    target: str | None = None
    notes: list[str] = field(default_factory=list)


def read_nodes(
    data: "str | Path",
    *,
    is_directed: bool,
    known: Sequence[str] = (),
    owner: str = "fit",
    needed: Sequence[str] = (NODES, EDGES),
    names_nodes: bool = True,
    time_column: str | None = None,
) -> RawNodes:
    """Read a folder of nodes and edges, or a built-in graph.

    Args:
        data: A folder with ``nodes.csv`` and ``edges.csv``, or a name.
        is_directed: Whether an edge leads one way alone.
        known: Ids of nodes that edges may name beside those of ``nodes.csv``; they get the places behind these.
        owner: Who asks, for messages.
        needed: The files that must be there.
        names_nodes: Whether, where ``nodes.csv`` is not there, every id that an edge names is a node.
        time_column: Column of times of edges; of a repeated edge the earliest row is kept.
    """
    if not isinstance(data, str | Path):
        raise InvalidType(f"{owner}: data must be a folder with {' and '.join(needed)}, got a table.")  # fmt: skip
    if str(data) in SETS and not Path(data).exists():
        return _read_builtin(str(data), is_directed)
    folder = Path(data)
    if not folder.is_dir():
        raise Unavailable(f"{folder}: must be a folder with {' and '.join(needed)}, and is none. Check the path.")  # fmt: skip
    there = [name for name in (NODES, EDGES) if (folder / name).is_file()]
    if not set(needed) <= set(there):
        raise InvalidValue(f"{owner}: a graph must have {' and '.join(needed)}, got {there[0] if there else 'neither'} in {folder.name!r}.")  # fmt: skip
    notes: list[str] = []
    ids, frame = _node_frame(folder / NODES, notes, owner) if NODES in there else ([], pd.DataFrame())  # fmt: skip
    rows = _edge_frame(folder / EDGES, notes) if EDGES in there else pd.DataFrame({"source": [], "target": []}, dtype="str")  # fmt: skip
    if NODES not in there and names_nodes:
        ids = named_ids(rows, set(known), owner)
        frame = pd.DataFrame(index=range(len(ids)))
        notes.append(f"There is no {NODES}: nodes are those that {EDGES} names.")
    places = {name: place for place, name in enumerate(ids)}
    for name in known:
        places.setdefault(name, len(places))
    edges = read_edges(rows, places, notes, is_directed=is_directed, owner=owner, time_column=time_column)  # fmt: skip
    return RawNodes(nodes_name(folder), ids, frame, edges, None, notes)


def _node_frame(path: Path, notes: list[str], owner: str) -> tuple[list[str], pd.DataFrame]:
    """Ids of nodes and their other columns."""
    table = read_table(path)
    notes += table.notes
    column = _id_column(table.frame, notes)
    ids = read_ids(table.frame[column], notes, owner)
    return ids, table.frame.drop(columns=column).reset_index(drop=True)


def named_ids(frame: pd.DataFrame, known: Container[str] = (), owner: str = "fit") -> list[str]:
    """Ids that a table of edges names, in the order in which they come, without those that are known.

    Args:
        frame: A row for each edge.
        known: Ids to leave out.
        owner: Who asks, for messages.

    Example:
        >>> named_ids(pd.DataFrame({"source": ["b", "c"], "target": ["a", "b"]}))
        ['b', 'a', 'c']
    """
    ends = np.stack([_texts(frame[name]).to_numpy(object) for name in end_columns(frame, [], owner)], axis=1)  # fmt: skip
    found = pd.unique(ends.reshape(-1))
    return [name for name in found if isinstance(name, str) and name not in known]


def nodes_name(folder: Path) -> str:
    """A short name of a folder."""
    return folder.resolve().name.split(".")[0] or "graph"


def _edge_frame(path: Path, notes: list[str]) -> pd.DataFrame:
    """The table of edges; a header alone means that there are none."""
    try:
        table = read_table(path)
    except InvalidValue as error:
        if "must have rows under its header" not in str(error):
            raise
        header = path.read_text(encoding="utf-8-sig", errors="replace").strip().splitlines()[0]
        return pd.DataFrame({name.strip('" '): [] for name in re.split("[,;\t]", header)}, dtype="str")  # fmt: skip
    notes += table.notes
    return table.frame


def _id_column(frame: pd.DataFrame, notes: list[str]) -> str:
    names = {str(name).strip().lower(): str(name) for name in reversed(list(frame.columns))}
    found = next((names[name] for name in IDS if name in names), None)
    if found is None:
        found = str(frame.columns[0])
        notes.append(f"{NODES} has no column 'id': its first column, {found!r}, names the nodes.")
    return found


def _texts(cells: pd.Series) -> pd.Series:
    """Ids as texts; whole numbers that were written as 1.0 become 1."""
    texts = cells.astype("str").str.strip()
    missing = cells.isna() | texts.isin(["", "nan", "<NA>", "None"])
    return texts.str.replace(_WHOLE, r"\1", regex=True).mask(missing)


def read_ids(cells: pd.Series, notes: list[str], owner: str = "fit") -> list[str]:
    """Ids of nodes, each there once.

    Args:
        cells: The column.
        notes: Collects what was done.
        owner: Who asks, for messages.

    Example:
        >>> read_ids(pd.Series(["1.0", "b"]), [])
        ['1', 'b']
    """
    ids = _texts(cells)
    if ids.isna().any():
        row = int(ids.isna().to_numpy().argmax()) + 1
        raise InvalidValue(f"{owner}: every node of {NODES} must have an id, got none in row {row}.")  # fmt: skip
    _tell_floats(cells, NODES, notes)
    repeated = ids.duplicated(keep=False)
    if repeated.any():
        first = ids[repeated].iloc[0]
        rows = np.flatnonzero((ids == first).to_numpy())[:2] + 1
        raise InvalidValue(f"{owner}: ids of {NODES} must be there once, got {shorten(repr(first), 40)} in rows {rows[0]} and {rows[1]}. Remove one of them.")  # fmt: skip
    return [str(name) for name in ids]


def _tell_floats(cells: pd.Series, file: str, notes: list[str]) -> None:
    texts = cells.astype("str").str.strip()
    is_float = texts.str.fullmatch(_WHOLE)
    if is_float.any():
        first = texts[is_float].iloc[0]
        notes.append(f"Ids such as {first!r} in {file} are read as {_WHOLE.sub(chr(92) + '1', first)!r}.")  # fmt: skip


def end_columns(
    frame: pd.DataFrame, notes: list[str], owner: str, file: str = EDGES
) -> tuple[str, str]:
    """Names of the two columns that name the ends of an edge or a pair.

    Args:
        frame: The table.
        notes: Collects what was guessed.
        owner: Who asks, for messages.
        file: What the table is called in messages.
    """
    names = {str(name).strip().lower(): str(name) for name in reversed(list(frame.columns))}
    for first, second in ENDS:
        if first in names and second in names:
            return names[first], names[second]
    if frame.shape[1] < 2:
        listed = ", ".join(map(repr, frame.columns))
        raise InvalidValue(f"{owner}: {file} must have the columns 'source' and 'target', got {listed}.")  # fmt: skip
    one, two = str(frame.columns[0]), str(frame.columns[1])
    notes.append(f"{file} has no columns 'source' and 'target': its first two, {one!r} and {two!r}, name the ends.")  # fmt: skip
    return one, two


def read_edges(
    frame: pd.DataFrame,
    places: dict[str, int],
    notes: list[str],
    *,
    is_directed: bool,
    owner: str = "fit",
    time_column: str | None = None,
) -> Edges:
    """Edges between places of nodes, each once, without self-loops.

    Args:
        frame: A row for each edge.
        places: Place of every id.
        notes: Collects what was left out or merged, one sentence each.
        is_directed: Whether source and target differ.
        owner: Who asks, for messages.
        time_column: Column of times; of a repeated edge the earliest row is kept.

    Example:
        >>> frame = pd.DataFrame({"source": ["a", "b", "b"], "target": ["b", "a", "b"]})
        >>> told = []
        >>> read_edges(frame, {"a": 0, "b": 1}, told, is_directed=False).index.tolist(), told[0]
        ([[0], [1]], '1 edge leads from a node to itself and is left out: every model reads a node itself anyway.')
    """
    ends = end_columns(frame, notes, owner)
    texts, found = find_ends(frame, ends, places, notes)
    is_known = ~np.isnan(found[0]) & ~np.isnan(found[1])
    if not is_known.all():
        _tell_unknown(texts, found, is_known, notes, owner)
    index, frame = found[:, is_known].astype(np.int64), frame.loc[is_known].reset_index(drop=True)
    loops = index[0] == index[1]
    if loops.any():
        count = int(loops.sum())
        words = "1 edge leads from a node to itself and is" if count == 1 else f"{count:,} edges lead from a node to itself and are"  # fmt: skip
        notes.append(f"{words} left out: every model reads a node itself anyway.")
    index, frame = index[:, ~loops], frame.loc[~loops].reset_index(drop=True)
    if time_column is not None and len(frame):
        find_name(frame, time_column, "time_column", owner=owner)
        order = np.argsort(read_times(frame, time_column, owner=owner)[0], kind="stable")
        index, frame = index[:, order], frame.iloc[order].reset_index(drop=True)
    is_sided = index.shape[1] and not np.intersect1d(index[0], index[1]).size
    sources = np.unique(index[0]) if is_sided else None
    if not is_directed:
        index = np.sort(index, axis=0)
    weight = _read_weights(frame, notes, owner)
    merged = _merge(index, weight, frame.drop(columns=list(ends)), len(places), notes, is_directed)
    return replace(merged, sources=sources)


def find_ends(
    frame: pd.DataFrame, ends: Sequence[str], places: Mapping[str, int], notes: list[str], file: str = EDGES
) -> tuple[list[pd.Series], np.ndarray]:  # fmt: skip
    """Ids of the ends of edges or pairs, and their places; not a number where an id is unknown.

    Args:
        frame: A row for each.
        ends: Names of its two columns.
        places: Place of every id.
        notes: Collects what was done to ids.
        file: What the table is called in notes.
    """
    for name in ends:
        _tell_floats(frame[name], file, notes)
    texts = [_texts(frame[name]) for name in ends]
    return texts, np.stack([own.map(places).to_numpy(np.float64, na_value=np.nan) for own in texts])


def _tell_unknown(
    texts: list[pd.Series], found: np.ndarray, is_known: np.ndarray, notes: list[str], owner: str
) -> None:
    """Say how many edges name ids that no node has; refuse them all."""
    row = int((~is_known).argmax())
    end = 0 if np.isnan(found[0, row]) else 1
    cell = texts[end].iloc[row]
    example = "no id" if pd.isna(cell) else f"the id {shorten(repr(str(cell)), 40)}"
    if not is_known.any():
        raise InvalidValue(f"{owner}: edges must join ids of {NODES}, got none that does; row {row + 1} of {EDGES} names {example}, which no node has.")  # fmt: skip
    count = int((~is_known).sum())
    words = "1 edge names an id" if count == 1 else f"{count:,} edges name ids"
    notes.append(f"{words} that no node has and {'is' if count == 1 else 'are'} left out; row {row + 1} of {EDGES} names {example}.")  # fmt: skip


def _read_weights(frame: pd.DataFrame, notes: list[str], owner: str) -> np.ndarray | None:
    """Weights of edges, where there is such a column; a missing one counts as 1."""
    name = next((str(c) for c in frame.columns if str(c).strip().lower() == WEIGHT), None)
    if name is None:
        return None
    cells = clean(frame.pop(name))
    values = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    is_bad = (np.isnan(values) & cells.notna().to_numpy()) | np.isinf(values) | (values < 0)
    if is_bad.any():
        row = int(is_bad.argmax())
        raise InvalidValue(f"{owner}: weights of edges must be numbers from 0, got {shorten(repr(str(cells.iloc[row])), 40)} in {EDGES}.")  # fmt: skip
    if np.isnan(values).any():
        count = int(np.isnan(values).sum())
        notes.append(f"{count:,} edge{' has' if count == 1 else 's have'} no weight and count{'s' if count == 1 else ''} as 1.")  # fmt: skip
        values = np.nan_to_num(values, nan=1.0)
    return values


def _merge(
    index: np.ndarray, weight: np.ndarray | None, frame: pd.DataFrame, count: int, notes: list[str], is_directed: bool
) -> Edges:  # fmt: skip
    """Every edge once, with the mean weight; edges that weigh nothing are none."""
    keys = index[0] * max(count, 1) + index[1]
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) < len(keys):
        repeats, ways = len(keys) - len(first), "" if is_directed else ", in either direction,"
        words = "1 edge repeats" if repeats == 1 else f"{repeats:,} edges repeat"
        notes.append(f"{words} another{ways} and count{'s' if repeats == 1 else ''} once{', with the mean weight' if weight is not None else ''}.")  # fmt: skip
    if weight is not None:
        weight = np.bincount(where, weight) / np.maximum(np.bincount(where), 1)
    index, frame = index[:, first], frame.iloc[first].reset_index(drop=True)
    if weight is not None and (weight == 0).any():
        kept = weight > 0
        gone = int((~kept).sum())
        notes.append(f"{gone:,} edge{' weighs' if gone == 1 else 's weigh'} nothing and {'is' if gone == 1 else 'are'} left out.")  # fmt: skip
        index, weight, frame = index[:, kept], weight[kept], frame.loc[kept].reset_index(drop=True)
    return Edges(index, weight, frame)


def _read_builtin(name: str, is_directed: bool) -> RawNodes:
    """A graph of the catalogue; its nodes are numbered from 0, and features that are nothing but these numbers left out."""
    from gradatim.data import load

    own = load(name)
    assert own.graph is not None
    assert own.target_names is not None
    X, notes = np.asarray(own.X), []
    frame = pd.DataFrame(X, columns=list(own.feature_names))
    if X.shape[0] == X.shape[1] and (np.eye(len(X)) == X).all():
        frame = frame[[]]
        notes.append("Features of a node only say which one it is, and are left out.")
    frame = frame.assign(label=np.array(own.target_names, dtype=object)[own.y])
    ids = [str(k) for k in range(len(frame))]
    edges = pd.DataFrame(own.graph.edge_index.T.numpy(), columns=["source", "target"])
    found = read_edges(edges, {node: k for k, node in enumerate(ids)}, [], is_directed=is_directed)
    return RawNodes(name, ids, frame, found, "label", notes)
