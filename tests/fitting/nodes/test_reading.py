"""Graphs are read whole, and whatever is left out is said."""

import numpy as np
import pandas as pd
import pytest

from gradatim.data import DataSet
from gradatim.data.graph_files import read_citations
from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.fitting.kinds import find_kind
from gradatim.fitting.nodes.reading import read_nodes

NODES = "id,x,label\na,1,u\nb,2,v\nc,3,\n"


def write(folder, nodes=NODES, edges="source,target\na,b\nb,c\n"):
    folder.mkdir(exist_ok=True)
    for name, text in (("nodes.csv", nodes), ("edges.csv", edges)):
        if text is not None:
            (folder / name).write_text(text)
    return folder


def read(tmp_path, nodes=NODES, edges="source,target\na,b\nb,c\n", **how):
    return read_nodes(write(tmp_path / "g", nodes, edges), is_directed=how.pop("is_directed", False), **how)  # fmt: skip


def test_a_folder_is_read(tmp_path):
    raw = read(tmp_path)
    assert (raw.name, raw.ids, list(raw.frame)) == ("g", ["a", "b", "c"], ["x", "label"])
    assert raw.edges.index.tolist() == [[0, 1], [1, 2]]
    assert raw.edges.weight is None
    assert raw.notes == []


def test_the_folder_is_recognised(tmp_path):
    assert find_kind(write(tmp_path / "g"), {}).name == "node"
    assert find_kind(write(tmp_path / "h", edges=None), {}).name == "node"
    (tmp_path / "images").mkdir()
    assert find_kind(tmp_path / "images", {}).name == "image"


def test_every_edge_is_kept_or_told_of(tmp_path):
    """Rows of the file are edges, or counted in a sentence: none vanishes."""
    edges = "source,target,weight,note\na,b,2,p\nb,a,4,q\nc,c,1,r\na,zz,1,s\nb,c,,t\na,c,0,u\n"
    raw = read(tmp_path, edges=edges)
    assert raw.edges.index.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(raw.edges.weight, [3.0, 1.0])
    assert raw.edges.features["note"].tolist() == ["p", "t"]
    assert raw.notes == [
        "1 edge names an id that no node has and is left out; row 4 of edges.csv names the id 'zz'.",
        "1 edge leads from a node to itself and is left out: every model reads a node itself anyway.",
        "1 edge has no weight and counts as 1.",
        "1 edge repeats another, in either direction, and counts once, with the mean weight.",
        "1 edge weighs nothing and is left out.",
    ]


def test_directions_are_kept_where_they_are_asked_for(tmp_path):
    edges = "source,target\nb,a\na,b\nc,a\nc,a\n"
    assert read(tmp_path, edges=edges, is_directed=True).edges.index.tolist() == [[0, 1, 2], [1, 0, 0]]  # fmt: skip
    assert read(tmp_path, edges=edges).edges.index.tolist() == [[0, 0], [1, 2]]


def test_ids_read_as_floats_mean_the_same_nodes(tmp_path):
    raw = read(tmp_path, "id,x\n1,0\n2,0\n007,0\n", "source,target\n1.0,2.0\n2,007\n")
    assert raw.ids == ["1", "2", "007"]
    assert raw.edges.index.tolist() == [[0, 1], [1, 2]]
    assert raw.notes == [
        "Ids such as '1.0' in edges.csv are read as '1'.",
        "Ids such as '2.0' in edges.csv are read as '2'.",
    ]


def test_other_names_of_columns(tmp_path):
    raw = read(tmp_path, "name,x\na,0\nb,0\n", "From,To\na,b\n")
    assert raw.notes == ["nodes.csv has no column 'id': its first column, 'name', names the nodes."]
    raw = read(tmp_path, edges="one,two\na,b\n")
    assert raw.notes[0].endswith("its first two, 'one' and 'two', name the ends.")


def test_no_edges_are_a_graph_too(tmp_path):
    raw = read(tmp_path, edges="source,target\n")
    assert raw.edges.index.shape == (2, 0)


def test_known_nodes_stand_behind_the_new_ones(tmp_path):
    raw = read(tmp_path, edges="source,target\na,old\nolder,b\n", known=["b", "old", "older"])
    assert raw.edges.index.tolist() == [[0, 1], [3, 4]]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ("id,x\na,1\nb,2\na,3\n", "source,target\na,b\n", "fit: ids of nodes.csv must be there once, got 'a' in rows 1 and 3"),
        ("id,x\n1,1\n1.0,2\n", "source,target\n1,1\n", "must be there once, got '1' in rows 1 and 2"),
        ("id,x\na,1\n,2\n", "source,target\na,a\n", "fit: every node of nodes.csv must have an id, got none in row 2"),
        (NODES, "source,target\np,q\n", "edges must join ids of nodes.csv, got none that does; row 1 of edges.csv names the id 'p'"),
        (NODES, "source\na\n", "fit: edges.csv must have the columns 'source' and 'target', got 'source'"),
        (NODES, "source,target,weight\na,b,heavy\n", "weights of edges must be numbers from 0, got 'heavy'"),
        (NODES, "source,target,weight\na,b,-1\n", "weights of edges must be numbers from 0, got '-1'"),
        (NODES, None, "a graph must have nodes.csv and edges.csv, got nodes.csv in 'g'"),
        (None, "source,target\na,b\n", "a graph must have nodes.csv and edges.csv, got edges.csv in 'g'"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(tmp_path, nodes, edges, message):
    with pytest.raises(InvalidValue, match=message):
        read(tmp_path, nodes, edges)


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(Unavailable, match=r"must be a folder with nodes.csv and edges.csv"):
        read_nodes(tmp_path / "none", is_directed=False)
    with pytest.raises(InvalidType, match=r"must be a folder with nodes.csv and edges.csv, got a table"):  # fmt: skip
        read_nodes(pd.DataFrame({"id": ["a"]}), is_directed=False)


def test_a_million_edges_are_read(tmp_path):
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 20_000, size=(1_000_000, 2))
    folder = write(tmp_path / "g", "id,x\n" + "".join(f"{k},{k % 7}\n" for k in range(20_000)))
    pd.DataFrame(ends, columns=["source", "target"]).to_csv(folder / "edges.csv", index=False)
    raw = read_nodes(folder, is_directed=False)
    pairs = {(min(a, b), max(a, b)) for a, b in ends.tolist() if a != b}
    assert raw.edges.index.shape[1] == len(pairs)


def test_nodes_may_be_those_that_edges_name(tmp_path):
    edges = "source,target\nb,a\nc,b\n,a\n"
    raw = read(tmp_path, None, edges, needed=("edges.csv",))
    assert raw.ids == ["b", "a", "c"]
    assert raw.frame.shape == (3, 0)
    assert raw.edges.index.tolist() == [[0, 0], [1, 2]]
    raw = read(tmp_path, None, edges, needed=(), known=["b", "z"])
    assert raw.ids == ["a", "c"]
    assert raw.edges.index.tolist() == [[0, 1], [2, 2]]  # b stands behind the new ones
    raw = read(tmp_path, None, edges, needed=(), known=["a", "b"], names_nodes=False)
    assert (raw.ids, raw.edges.index.tolist()) == ([], [[0], [1]])
    (tmp_path / "none").mkdir()
    with pytest.raises(InvalidValue, match=r"fit: a graph must have edges.csv, got neither in 'none'"):  # fmt: skip
        read_nodes(tmp_path / "none", is_directed=False, needed=("edges.csv",))


def test_of_a_repeated_edge_the_earliest_is_kept(tmp_path):
    edges = "source,target,when\na,b,2024-03-01\nb,c,2024-01-09\nb,a,2024-01-05\n"
    raw = read(tmp_path, edges=edges, time_column="when")
    assert raw.edges.index.tolist() == [[0, 1], [1, 2]]
    assert raw.edges.features["when"].tolist() == ["2024-01-05", "2024-01-09"]
    with pytest.raises(InvalidValue, match="time_column must be a column of the table"):
        read(tmp_path, edges=edges, time_column="day")


def test_two_sides_are_seen_whatever_the_order_of_nodes(tmp_path):
    assert read(tmp_path, edges="source,target\nc,a\nc,b\n").edges.sources.tolist() == [2]
    assert read(tmp_path, edges="source,target\nc,a\na,b\n").edges.sources is None


def test_the_karate_club_is_a_graph_without_columns():
    assert find_kind("karate", {}).name == find_kind("cora", {}).name == "node"
    raw = read_nodes("karate", is_directed=False)
    assert (len(raw.ids), raw.edges.index.shape) == (34, (2, 78))
    assert (list(raw.frame), raw.target) == (["label"], "label")
    assert raw.frame["label"].value_counts().to_dict() == {"Mr. Hi": 17, "Officer": 17}
    assert raw.frame["label"][[0, 33]].tolist() == ["Mr. Hi", "Officer"]
    assert raw.notes == ["Features of a node only say which one it is, and are left out."]


def test_words_of_a_built_in_graph_are_its_columns(monkeypatch):
    content, cites = (
        b"p\t0\t1\t1\tTheory\nq\t1\t0\t0\tAgents\nr\t0\t0\t1\tTheory\n",
        b"p\tq\nq\tr\n",
    )
    graph, classes = read_citations(content, cites)
    made = DataSet("cora", graph.x.to_dense().numpy()[:, :2], graph.y.numpy(), ("x1", "x2"), classes, graph=graph)  # fmt: skip
    monkeypatch.setattr("gradatim.data.load", lambda name: made)
    raw = read_nodes("cora", is_directed=False)
    assert raw.frame.to_dict("list") == {"x1": [0, 1, 0], "x2": [1, 0, 0], "label": ["Theory", "Agents", "Theory"]}  # fmt: skip
    assert (raw.edges.index.tolist(), raw.notes) == ([[0, 1], [1, 2]], [])
