"""From published files to graphs: citations of papers, molecules in space, and a karate club."""

import io
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import torch

from gradatim.data.edges import make_undirected
from gradatim.data.graph import Graph
from gradatim.data.graph_batches import GraphBatch, GraphSet
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

    graphs: GraphSet
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


def read_molecules(contents: Iterable[bytes], target: str) -> LabelledGraphs:
    """Read molecules as sets of atoms: indicators of H, C, N, O, F, then the place in Å; bonds are not given.

    Args:
        contents: Tables with the columns ``Elements``, ``XYZ_Ang`` and ``target``.
        target: Column to predict.

    Example:
        >>> table = b'Elements,XYZ_Ang,gap\\n"[\\'O\\',\\'H\\']","[[0,0,0],[0,0,1.]]",0.5\\n'
        >>> read_molecules([table], "gap").graphs.graph(0).x
        tensor([[0., 0., 0., 1., 0., 0., 0., 0.],
                [1., 0., 0., 0., 0., 0., 0., 1.]])
    """
    import pandas as pd

    x, sizes, y = [], [], []
    for content in contents:
        table = pd.read_csv(io.BytesIO(content), usecols=["Elements", "XYZ_Ang", target])
        own = np.array([text.count(",") + 1 for text in table["Elements"]])
        if not np.array_equal(own, [text.count("],") + 1 for text in table["XYZ_Ang"]]):
            raise ValueError("a molecule must have a place for each of its atoms")
        x.append(np.concatenate([_marks(table["Elements"]), _places(table["XYZ_Ang"])], axis=1))
        sizes.append(own)
        y.append(table[target].to_numpy(np.float64))
    counts = torch.from_numpy(np.concatenate(sizes))
    atoms, values = (torch.from_numpy(np.concatenate(part)) for part in (x, y))
    no_bonds = torch.zeros(2, 0, dtype=torch.long)
    batch = GraphBatch(atoms, no_bonds, None, None, values, torch.repeat_interleave(counts), len(counts))  # fmt: skip
    return LabelledGraphs(GraphSet.from_batch(batch), None)


def _marks(elements: Iterable[str]) -> np.ndarray:
    """Indicators of the atoms of all molecules.

    >>> _marks(["['C','H']", "['H']"]).argmax(1).tolist()
    [1, 0, 0]
    """
    names = "".join(elements).translate(str.maketrans("", "", "[]', "))
    kind = np.full(128, len(ATOMS))
    kind[[ord(name) for name in ATOMS]] = np.arange(len(ATOMS))
    found = kind[np.frombuffer(names.encode("ascii"), np.uint8)]
    if found.max(initial=0) == len(ATOMS):
        raise ValueError(f"atoms must be of {', '.join(ATOMS)}")
    return np.eye(len(ATOMS), dtype=np.float32)[found]


def _places(texts: Iterable[str]) -> np.ndarray:
    """Places of the atoms of all molecules, shape ``(N, 3)``.

    >>> _places(["[[0,1.,2],[3,4,5]]", "[[6,7,8]]"]).tolist()
    [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    """
    import pandas as pd

    lines = "\n".join(texts).replace("],", "\n").translate(str.maketrans("", "", "[]"))
    return pd.read_csv(io.StringIO(lines), header=None, names=["x", "y", "z"], dtype=np.float32).to_numpy()  # fmt: skip


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
