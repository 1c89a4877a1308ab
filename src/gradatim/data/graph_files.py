"""From published files to graphs: citations of papers, the files of the TU collection, molecules in space, and a karate club."""

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from gradatim.data.edges import make_undirected
from gradatim.data.graph import Graph
from gradatim.data.sparse_rows import make_csr

ATOMS = ("H", "C", "N", "O", "F")


class LabelledGraph(NamedTuple):
    """A graph with a class for each node.

    Attributes:
        graph: Features, edges and labels.
        classes: Names of the classes, in the order of the labels.
    """

    graph: Graph
    classes: tuple[str, ...]


class LabelledGraphs(NamedTuple):
    """Graphs with a target for each.

    Attributes:
        graphs: The graphs, each with its target as ``y``.
        classes: Names of the classes, in the order of the labels; ``None`` for values.
    """

    graphs: list[Graph]
    classes: tuple[str, ...] | None


def read_citations(content: bytes, cites: bytes) -> LabelledGraph:
    """Read papers and who cites whom, as an undirected graph whose features stay sparse.

    Args:
        content: A paper a line, between tabs: its name, 0 or 1 for each word, its class.
        cites: A citation a line: the cited paper and the citing one.

    Example:
        >>> read_citations(b"a\\t0\\t1\\tX\\nb\\t1\\t1\\tW\\n", b"a\\tb\\nb\\ta\\n")
        LabelledGraph(graph=Graph(2 nodes, 2 edges, x (2, 2), y (2,)), classes=('W', 'X'))
    """
    rows = [line.split("\t") for line in content.decode().splitlines()]
    place = {row[0]: i for i, row in enumerate(rows)}
    words = np.array([row[1:-1] for row in rows]).astype(np.float32)  # (N, F)
    lines, columns = np.nonzero(words)
    starts = np.searchsorted(lines, np.arange(len(rows) + 1))
    x = make_csr(
        torch.from_numpy(starts),
        torch.from_numpy(columns),
        torch.from_numpy(words[lines, columns]),
        (len(rows), words.shape[1]),
    )
    pairs = [[place[name] for name in line.split()] for line in cites.decode().splitlines()]
    edges = make_undirected(torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T)
    classes, y = np.unique([row[-1] for row in rows], return_inverse=True)
    return LabelledGraph(
        Graph(x, edges, y=torch.from_numpy(y.astype(np.int64))), tuple(map(str, classes))
    )


def read_tu_files(files: Path | Mapping[str, bytes]) -> LabelledGraphs:
    """Read classified graphs of the TU collection; labels of nodes and edges become indicators.

    Line :math:`i` of ``graph_indicator`` is the graph of node :math:`i`, a line of ``A`` an edge as a pair of nodes, both
    numbered from 1.

    Args:
        files: A folder, or contents by name: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, ``NAME_graph_labels.txt``,
            ``NAME_node_labels.txt`` and, where edges are labelled, ``NAME_edge_labels.txt``.

    Example:
        >>> parts = {"A": b"1, 2\\n2, 1\\n", "graph_indicator": b"1\\n1\\n2\\n", "graph_labels": b"-1\\n1\\n"}
        >>> files = {f"T_{name}.txt": content for name, content in parts.items()}
        >>> read_tu_files(files | {"T_node_labels.txt": b"0\\n3\\n3\\n"}).graphs
        [Graph(2 nodes, 2 edges, x (2, 2), y ()), Graph(1 nodes, 0 edges, x (1, 2), y ())]
    """
    if isinstance(files, Path):
        files = {path.name: path.read_bytes() for path in sorted(files.glob("*_*.txt"))}
    parts = {_part(name): content for name, content in files.items()}
    owner = _whole(parts["graph_indicator"], 1)[:, 0] - 1
    ends = _whole(parts["A"], 2) - 1
    classes, y = np.unique(_whole(parts["graph_labels"], 1)[:, 0], return_inverse=True)
    x = _indicators(parts["node_labels"])
    attr = _indicators(parts["edge_labels"]) if "edge_labels" in parts else None
    _check_tu(owner, ends, len(y), len(x), attr)
    nodes = np.searchsorted(owner, np.arange(len(y) + 1))
    order = np.argsort(owner[ends[:, 0]], kind="stable")
    links = np.searchsorted(owner[ends[order, 0]], np.arange(len(y) + 1))
    graphs = []
    for k, label in enumerate(y):
        chosen = order[links[k] : links[k + 1]]
        edges = torch.from_numpy(ends[chosen].T - nodes[k]).contiguous()
        features = torch.from_numpy(x[nodes[k] : nodes[k + 1]])
        kinds = None if attr is None else torch.from_numpy(attr[chosen])
        graphs.append(Graph(features, edges, edge_attr=kinds, y=torch.tensor(int(label))))
    return LabelledGraphs(graphs, tuple(map(str, classes)))


def _part(name: str) -> str:
    """What a file holds.

    >>> _part("MUTAG_graph_labels.txt"), _part("MUTAG_A.txt")
    ('graph_labels', 'A')
    """
    stem = name.removesuffix(".txt")
    known = ("graph_indicator", "graph_labels", "node_labels", "edge_labels")
    return next((part for part in known if stem.endswith(f"_{part}")), stem.rpartition("_")[2])


def _whole(content: bytes, width: int) -> np.ndarray:
    if not content.strip():
        return np.zeros((0, width), dtype=np.int64)
    rows = np.loadtxt(io.BytesIO(content), delimiter=",", dtype=np.int64, ndmin=2)
    if rows.shape[1] != width:
        raise ValueError(f"{width} numbers a line are announced, {rows.shape[1]} are there")
    return rows


def _indicators(content: bytes) -> np.ndarray:
    labels = _whole(content, 1)[:, 0]
    return (labels[:, None] == np.unique(labels)).astype(np.float32)


def _check_tu(
    owner: np.ndarray, ends: np.ndarray, graphs: int, nodes: int, attr: np.ndarray | None
) -> None:
    if len(owner) != nodes or (attr is not None and len(attr) != len(ends)):
        raise ValueError("files of one set differ in their number of lines")
    if (np.diff(owner) < 0).any() or (len(owner) and not 0 <= owner[0] <= owner[-1] < graphs):
        raise ValueError(f"nodes must be listed graph by graph, of {graphs} graphs")
    if ends.size and not 0 <= ends.min() <= ends.max() < nodes:
        raise ValueError(f"an edge leads to a node that is none of {nodes}")
    if (owner[ends[:, 0]] != owner[ends[:, 1]]).any():
        raise ValueError("an edge joins two graphs")


def read_molecules(contents: Iterable[bytes], target: str) -> LabelledGraphs:
    """Read molecules as sets of atoms: indicators of H, C, N, O, F, then the place in Å; bonds are not given.

    Args:
        contents: Tables with the columns ``Elements``, ``XYZ_Ang`` and ``target``.
        target: Column to predict.

    Example:
        >>> table = b'Elements,XYZ_Ang,gap\\n"[\\'O\\',\\'H\\']","[[0,0,0],[0,0,1.]]",0.5\\n'
        >>> read_molecules([table], "gap").graphs[0].x
        tensor([[0., 0., 0., 1., 0., 0., 0., 0.],
                [1., 0., 0., 0., 0., 0., 0., 1.]])
    """
    import pandas as pd

    none = torch.zeros(2, 0, dtype=torch.long)
    graphs = []
    for content in contents:
        table = pd.read_csv(io.BytesIO(content), usecols=["Elements", "XYZ_Ang", target])
        for elements, places, value in zip(
            table["Elements"], table["XYZ_Ang"], table[target], strict=True
        ):
            kinds = [ATOMS.index(name) for name in json.loads(elements.replace("'", '"'))]
            x = np.zeros((len(kinds), len(ATOMS) + 3), dtype=np.float32)
            x[np.arange(len(kinds)), kinds] = 1
            x[:, len(ATOMS) :] = json.loads(places.replace(".,", ".0,").replace(".]", ".0]"))
            graphs.append(
                Graph(torch.from_numpy(x), none, y=torch.tensor(value, dtype=torch.float64))
            )
    return LabelledGraphs(graphs, None)


def karate_club() -> LabelledGraph:
    """The friendships of a karate club that split in two; a member's only features say who they are.

    Reference:
        Zachary, An Information Flow Model for Conflict and Fission in Small Groups, 1977.

    Example:
        >>> karate_club().graph
        Graph(34 nodes, 156 edges, x (34, 34), y (34,))
    """
    import networkx

    club = networkx.karate_club_graph()
    known = Graph.from_networkx(club, target="club")
    classes = tuple(sorted({name for _, name in club.nodes(data="club")}))
    return LabelledGraph(Graph(torch.eye(known.num_nodes), known.edge_index, y=known.y), classes)
