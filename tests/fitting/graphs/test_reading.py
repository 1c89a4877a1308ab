"""Graphs from files: TU files against networkx, JSON lines against themselves by hand, and what is refused."""

import json

import networkx
import numpy as np
import pytest
import torch

from gradatim.data import Graph, GraphSet
from gradatim.errors import InvalidValue, Unavailable
from gradatim.fitting.graphs.memory import are_graphs, read_memory
from gradatim.fitting.graphs.raw import RawGraphs, stretch_rows, tidy_edges
from gradatim.fitting.graphs.reading import holds_graphs, read_graphs

FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "0\n1\n0\n2\n2\n1\n",
    "node_attributes": "0.5, 1\n1, 2\n1.5, 3\n2, 4\n2.5, 5\n3, 6\n",
    "edge_labels": "0\n0\n1\n1\n2\n2\n",
}


@pytest.fixture
def write(tmp_path):
    def put(**files):
        for part, text in files.items():
            (tmp_path / f"TOY_{part}.txt").write_text(text)
        return tmp_path

    return put


@pytest.fixture
def lines(tmp_path):
    def put(*records):
        path = tmp_path / "graphs.jsonl"
        path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))  # fmt: skip
        return path

    return put


def as_networkx(raw: RawGraphs, row: int) -> networkx.Graph:
    nodes = stretch_rows(raw.sizes, np.array([row]))
    graph = networkx.Graph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(e for e in raw.edges.T.tolist() if e[0] in set(nodes.tolist()))
    return graph


def test_tu_files(write):
    folder = write(**FILES)
    assert holds_graphs(folder)
    raw = read_graphs(folder)
    assert (raw.name, raw.sizes.tolist(), raw.target.tolist()) == ("TOY", [3, 2, 1], [1, -1, 1])
    assert (raw.num_labels, raw.num_edge_labels, raw.notes) == (1, 1, [])
    assert raw.x[:, 0].tolist() == [0, 1, 0, 2, 2, 1]
    assert raw.x[:, 2].tolist() == [1, 2, 3, 4, 5, 6]
    assert networkx.is_isomorphic(as_networkx(raw, 0), networkx.path_graph(3))
    kinds = {frozenset(ends): e for ends, e in zip(raw.edges.T.tolist(), raw.e[:, 0], strict=True)}
    assert kinds == {frozenset((0, 1)): 0, frozenset((1, 2)): 1, frozenset((3, 4)): 2}


def test_wrong_tu_files_are_refused_and_missing_values_told(write):
    with pytest.raises(
        InvalidValue, match=r"^predict: TOY_A\.txt must name nodes from 1 to 6, got 9"
    ):
        read_graphs(write(**{**FILES, "A": "1, 9\n"}), "predict")
    raw = read_graphs(write(**{**FILES, "node_attributes": "1, 2\n1\n" * 3}))
    assert raw.notes == ["3 values of nodes are missing or not finite and count as average."]


def test_json_lines(lines):
    path = lines({"edges": [[0, 1], [1, 2]], "x": [[1], [2], [3]], "y": "a"}, {"edges": [], "x": [[4.5]], "y": None})  # fmt: skip
    assert holds_graphs(path)
    assert holds_graphs(path.parent)
    raw = read_graphs(path)
    assert raw.sizes.tolist() == [3, 1]
    assert raw.x.ravel().tolist() == [1, 2, 3, 4.5]
    assert raw.edges.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert raw.target.tolist() == ["a", None]
    assert read_graphs(path.parent).target.tolist() == ["a", None]


def test_nodes_without_columns(lines):
    raw = read_graphs(lines({"edges": [[0, 4]]}, {"edges": [], "num_nodes": 2}, {"edges": []}))
    assert raw.sizes.tolist() == [5, 2, 0]
    assert raw.x.shape == (7, 0)
    assert raw.target is None
    assert "1 graph has no nodes: models see nothing of it." in raw.notes


GOOD = {"edges": [[0, 1]], "x": [[1.0], [2.0]], "y": 1}


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ([GOOD, '{"edges": [[0, 1'], "line 2 of 'graphs.jsonl' must be a whole record of JSON"),
        ([GOOD, [1, 2]], 'line 2 of .* must be a record with "edges"'),
        ([{"x": [[1]]}], 'must be a record with "edges"'),
        ([{**GOOD, "edges": [[0, 7]]}], "must have edges between nodes from 0 to 1, got node 7"),
        ([{**GOOD, "edges": [[-1, 0]]}], "must have edges between nodes from 0 to 1, got node -1"),
        ([{**GOOD, "edges": [[0, 1, 2]]}], "must have pairs of nodes as edges"),
        ([{**GOOD, "edges": [["a", "b"]]}], "must have pairs of nodes as edges"),
        ([{**GOOD, "edges": [[0, 0.5]]}], "must have pairs of nodes as edges"),
        ([{**GOOD, "edges": 3}], "must have pairs of nodes as edges"),
        ([{"edges": [[0, 10**12]]}], "must have from 0 to 10,000,000 nodes"),
        ([{**GOOD, "x": [[1.0], [2.0, 3.0]]}], "must have rows of equal length as x, got rows of 1 and 2"),
        ([{**GOOD, "x": [["C"], ["O"]]}], "must have a row of numbers for every node as x"),
        ([GOOD, {**GOOD, "x": [[1.0, 2.0], [2.0, 3.0]]}], "as many columns in every graph, got 1 in graph 1 and 2 in graph 2"),
        ([GOOD, {"edges": [[0, 1]], "y": 2}], "x must be given for every graph or for none, got none for graph 2"),
        ([{**GOOD, "y": [1, 2]}], "must have one class or number as y"),
        ([{"edges": [], "num_nodes": -1}], "must have from 0 to 10,000,000 nodes, got -1"),
        ([], "must hold graphs, one a line, and is empty"),
    ],
)  # fmt: skip
def test_wrong_lines(lines, records, says):
    with pytest.raises(InvalidValue, match=says):
        read_graphs(lines(*records))


def test_odd_lines_are_told(lines):
    raw = read_graphs(lines({**GOOD, "edges": [[0, 0], [0, 1], [0, 1]], "colour": 3}, {**GOOD, "x": [[None], [2.0]]}))  # fmt: skip
    assert raw.notes == [
        "1 node has an edge to itself: such loops are left out.",
        "1 edge repeats another one and counts once.",
        "1 value of a node is missing or not finite and counts as average.",
        "'colour' of graphs is not read: only edges, x, y and num_nodes are.",
    ]
    assert raw.edges.T.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]


def test_what_holds_no_graphs(tmp_path):
    assert not holds_graphs(tmp_path)
    assert not holds_graphs(tmp_path / "none.jsonl")
    (tmp_path / "t.jsonl").write_text('{"text": "a"}\n')
    assert not holds_graphs(tmp_path / "t.jsonl")
    with pytest.raises(InvalidValue, match=r"must hold graphs\.jsonl, or NAME_A\.txt"):
        read_graphs(tmp_path)
    with pytest.raises(Unavailable, match="is not there"):
        read_graphs(tmp_path / "none")


def test_taking_graphs_keeps_them_whole():
    rng = np.random.default_rng(0)
    sizes = np.array([4, 1, 0, 6, 3])
    owner = np.repeat(np.arange(5), sizes)
    ends = rng.integers(0, len(owner), (2, 60))
    ends = ends[:, owner[ends[0]] == owner[ends[1]]]
    tidy = tidy_edges(ends, np.arange(ends.shape[1])[:, None].astype(float), len(owner))
    raw = RawGraphs("r", np.arange(len(owner))[:, None].astype(float), tidy.edges, tidy.e, sizes)
    part = raw.take(np.array([3, 0, 2]))
    assert part.sizes.tolist() == [6, 4, 0]
    for new, old in ((0, 3), (1, 0)):
        assert networkx.utils.graphs_equal(
            networkx.relabel_nodes(as_networkx(part, new), dict(enumerate(part.x[:, 0].astype(int)))),
            as_networkx(raw, old),
        )  # fmt: skip


class Bare:
    def __init__(self, x, edge_index, y=None, edge_attr=None):
        self.x, self.edge_index, self.y, self.edge_attr = (None if v is None else np.asarray(v) for v in (x, edge_index, y, edge_attr))  # fmt: skip


def test_graphs_in_memory():
    graphs = [Bare([[1.0], [2.0]], [[0], [1]], 1), Bare([[3.0]], np.zeros((2, 0)), 0)]
    assert are_graphs(graphs)
    assert not are_graphs([1, 2])
    assert not are_graphs("text")
    raw = read_memory(graphs)
    assert (raw.sizes.tolist(), raw.edges.tolist(), raw.target.tolist()) == ([2, 1], [[0, 1], [1, 0]], [1, 0])  # fmt: skip
    with pytest.raises(InvalidValue, match="y of graph 1 must be one class or number, got 2"):
        read_memory([Bare([[1.0], [2.0]], [[0], [1]], [1, 2])])
    with pytest.raises(InvalidValue, match="as many columns in every graph, got 1 and 2"):
        read_memory([graphs[0], Bare([[1.0, 2.0]], np.zeros((2, 0)), 1)])
    with pytest.raises(InvalidValue, match="are empty"):
        read_memory([])


def test_a_set_of_graphs_is_read_at_once_as_one_by_one():
    graphs = [Graph(torch.rand(n, 2), torch.randint(n, (2, 5)), edge_attr=torch.rand(5), y=torch.tensor(n)) for n in (3, 1, 4)]  # fmt: skip
    whole, single = read_memory(GraphSet(graphs)), read_memory(graphs)
    for name in ("x", "edges", "e", "sizes", "target", "notes"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(single, name))
    of_nodes = GraphSet([Graph(torch.rand(2, 1), [[0], [1]], y=torch.tensor([1, 2]))])
    with pytest.raises(InvalidValue, match="y of graph 1 must be one class or number, got 2"):
        read_memory(of_nodes)
    unknown = read_memory(GraphSet([Graph(torch.rand(2, 1), [[0], [1]])]))
    assert unknown.target is None
