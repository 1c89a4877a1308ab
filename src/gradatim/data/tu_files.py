"""Graphs in the files of the TU collection: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, ``NAME_graph_labels.txt`` and others.

Line :math:`i` of ``graph_indicator`` is the graph of node :math:`i`, a line of ``A`` an edge as a pair of nodes, all numbered from 1.
``graph_labels`` holds classes, ``graph_attributes`` values; ``node_labels``, ``node_attributes``, ``edge_labels`` and
``edge_attributes`` are read where they are there.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
import torch

from gradatim.data.graph_batches import GraphBatch, GraphSet
from gradatim.data.graph_files import LabelledGraphs
from gradatim.errors import InvalidValue

INDICATOR = "_graph_indicator.txt"
PARTS = (
    "A", "graph_indicator", "graph_labels", "graph_attributes", "node_labels", "node_attributes", "edge_labels", "edge_attributes",
)  # fmt: skip


class TUGraphs(NamedTuple):
    """Graphs as their files tell them, node after node and edge after edge.

    Attributes:
        name: What stands before the names of the files.
        x: Labels, then attributes of the nodes, shape ``(N, D)``.
        edges: Both ends of every edge among all nodes, from 0, in the order of the graphs, shape ``(2, E)``.
        edge_attr: Labels, then attributes of the edges, shape ``(E, K)``.
        sizes: Nodes of each graph.
        target: A class or a value of each graph; ``None`` where there is neither.
        num_labels: How many columns of ``x``, the first ones, are labels.
        num_edge_labels: The same of ``edge_attr``.
        has_classes: Whether targets are classes.
    """

    name: str
    x: np.ndarray
    edges: np.ndarray
    edge_attr: np.ndarray
    sizes: np.ndarray
    target: np.ndarray | None
    num_labels: int
    num_edge_labels: int
    has_classes: bool


def find_tu_name(folder: Path) -> str | None:
    """What stands before ``_graph_indicator.txt`` in a folder; ``None`` where there is no such file.

    Args:
        folder: A folder.
    """
    found = _names(path.name for path in folder.glob(f"*{INDICATOR}"))
    return found[0] if found else None


def read_tu_files(files: Path | Mapping[str, bytes], owner: str = "load") -> TUGraphs:
    """Read graphs; files of unequal length and edges that lead nowhere are refused.

    Args:
        files: A folder, or contents by name.
        owner: Who reads, for messages.

    Example:
        >>> parts = {"A": b"1, 2\\n2, 1\\n", "graph_indicator": b"1\\n1\\n2\\n", "graph_labels": b"-1\\n1\\n"}
        >>> found = read_tu_files({f"T_{part}.txt": content for part, content in parts.items()})
        >>> found.edges, found.sizes, found.target
        (array([[0, 1],
               [1, 0]]), array([2, 1]), array([-1,  1]))
    """
    parts = _gather(files, owner)
    graph = parts.whole("graph_indicator", 1)[:, 0]
    ends = parts.whole("A", 2, may_be_empty=True)
    target, has_classes = parts.target()
    count = int(graph.max()) if target is None else len(target)
    parts.check_between("graph_indicator", graph, count, "graphs")
    parts.check_between("A", ends, len(graph), "nodes")
    crossing = np.flatnonzero(graph[ends[:, 0] - 1] != graph[ends[:, 1] - 1])
    if len(crossing):
        a, b = ends[crossing[0]]
        parts.refuse("A", "join nodes of one graph", f"nodes {a} and {b} of graphs {graph[a - 1]} and {graph[b - 1]}")  # fmt: skip
    nodes = np.argsort(graph, kind="stable")
    links = np.argsort(graph[ends[:, 0] - 1], kind="stable")
    place = np.argsort(nodes)  # of every node, now that graph follows on graph
    x, num_labels = parts.columns("node", len(graph))
    attr, num_edge_labels = parts.columns("edge", len(ends))
    return TUGraphs(
        parts.name, x[nodes], place[ends[links].T - 1], attr[links], np.bincount(graph - 1, minlength=count),
        target, num_labels, num_edge_labels, has_classes,
    )  # fmt: skip


def as_labelled_graphs(found: TUGraphs) -> LabelledGraphs:
    """Graphs as tensors: every level of a label becomes an indicator; a node of which nothing is told has a 1.

    Args:
        found: Graphs with a class or a value each.

    Example:
        >>> files = {"T_A.txt": b"", "T_graph_indicator.txt": b"1\\n1\\n", "T_graph_labels.txt": b"7\\n", "T_node_labels.txt": b"2\\n0\\n"}
        >>> as_labelled_graphs(read_tu_files(files)).graphs.graph(0).x
        tensor([[0., 1.],
                [1., 0.]])
    """
    y, classes = found.target, None
    if y is not None and found.has_classes:
        levels, y = np.unique(y, return_inverse=True)
        classes = tuple(map(str, levels))
    x = _indicators(found.x, found.num_labels)
    attr = _indicators(found.edge_attr, found.num_edge_labels)
    batch = GraphBatch(
        torch.from_numpy(x if x.shape[1] else np.ones((len(x), 1), np.float32)),
        torch.from_numpy(found.edges),
        None,
        torch.from_numpy(attr) if attr.shape[1] else None,
        None if y is None else torch.tensor(y),
        torch.from_numpy(np.repeat(np.arange(len(found.sizes)), found.sizes)),
        len(found.sizes),
    )
    return LabelledGraphs(GraphSet.from_batch(batch), classes)


def _indicators(columns: np.ndarray, labels: int) -> np.ndarray:
    """The first columns as marks of their levels, the others as they are."""
    marks = [column[:, None] == np.unique(column) for column in columns[:, :labels].T]
    return np.concatenate([*marks, columns[:, labels:]], axis=1).astype(np.float32)


class _Parts(NamedTuple):
    """Contents of the files of one name, by what they hold."""

    owner: str
    name: str
    contents: Mapping[str, bytes]

    def refuse(self, part: str, rule: str, got: object) -> NoReturn:
        raise InvalidValue(f"{self.owner}: {self.name}_{part}.txt must {rule}, got {got}.")

    def numbers(self, part: str, *, may_be_empty: bool = False) -> np.ndarray:
        """Numbers of a file, separated by commas."""
        import pandas as pd

        if part not in self.contents:
            raise InvalidValue(f"{self.owner}: {self.name}_{part}.txt must lie beside the other files, and does not.")  # fmt: skip
        content = self.contents[part]
        if not content.strip():
            if may_be_empty:
                return np.zeros((0, 2))
            raise InvalidValue(f"{self.owner}: {self.name}_{part}.txt must hold numbers, and is empty.")  # fmt: skip
        try:
            frame = pd.read_csv(io.BytesIO(content), header=None, skipinitialspace=True, dtype=np.float64)  # fmt: skip
        except ValueError as error:
            reason = " ".join(str(error).split())[:100].rstrip(".")
            raise InvalidValue(f"{self.owner}: {self.name}_{part}.txt must hold numbers, as many in every line, got others ({reason}).") from None  # fmt: skip
        return frame.to_numpy(np.float64)

    def whole(self, part: str, width: int, *, may_be_empty: bool = False) -> np.ndarray:
        values = self.numbers(part, may_be_empty=may_be_empty)
        if values.shape[1] != width:
            self.refuse(part, f"have {width} {'number' if width == 1 else 'numbers'} a line", values.shape[1])  # fmt: skip
        if not _are_whole(values):
            self.refuse(part, "hold whole numbers", "others")
        return values.astype(np.int64)

    def target(self) -> tuple[np.ndarray | None, bool]:
        """Classes or values of the graphs, whole numbers as such; whether they are classes."""
        for part in ("graph_labels", "graph_attributes"):
            if part in self.contents:
                values = self.numbers(part)
                if values.shape[1] > 1:
                    self.refuse(part, "have one value a line", values.shape[1])
                plain = values.astype(np.int64) if _are_whole(values) else values
                return plain[:, 0], part == "graph_labels"
        return None, False

    def columns(self, things: str, count: int) -> tuple[np.ndarray, int]:
        """Labels, then attributes, of nodes or edges; how many columns are labels."""
        found, labels = [np.zeros((count, 0))], 0
        for part in (f"{things}_labels", f"{things}_attributes"):
            if part in self.contents and (count or self.contents[part].strip()):
                values = self.numbers(part)
                if len(values) != count:
                    self.refuse(part, f"have a line for each of {count:,} {things}s", f"{len(values):,}")  # fmt: skip
                found.append(values)
                labels += values.shape[1] if part.endswith("labels") else 0
        return np.concatenate(found, axis=1), labels

    def check_between(self, part: str, values: np.ndarray, most: int, things: str) -> None:
        wrong = values[(values < 1) | (values > most)]
        if wrong.size:
            self.refuse(part, f"name {things} from 1 to {most:,}", f"{wrong.flat[0]:,}")


def _gather(files: Path | Mapping[str, bytes], owner: str) -> _Parts:
    """Contents by what they hold, of the one name that there is."""
    if isinstance(files, Path):
        files = {path.name: path.read_bytes() for part in PARTS for path in files.glob(f"*_{part}.txt") if path.is_file()}  # fmt: skip
    names = _names(files)
    if len(names) != 1:
        got = f"{names[0]!r} and {names[1]!r}. Move one to a folder of its own" if names else "none"
        raise InvalidValue(f"{owner}: data must hold graphs of one name, got {got}.")
    contents = {part: files[file] for part in PARTS if (file := f"{names[0]}_{part}.txt") in files}
    return _Parts(owner, names[0], contents)


def _names(files: Iterable[str]) -> list[str]:
    return sorted(file.removesuffix(INDICATOR) for file in files if file.endswith(INDICATOR))


def _are_whole(values: np.ndarray) -> bool:
    return bool(np.isfinite(values).all() and (values == np.round(values)).all())
