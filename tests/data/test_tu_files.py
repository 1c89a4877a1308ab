"""Graphs of the TU collection, on small files made by hand: read, cut into graphs, refused where they are wrong."""

import networkx
import numpy as np
import pytest

from gradatim.data.tu_files import as_labelled_graphs, find_tu_name, read_tu_files
from gradatim.errors import InvalidValue

FILES = {
    "A": "4, 5\n1, 2\n2, 1\n5, 4\n2, 3\n3, 2\n",
    "graph_indicator": "1\n1\n1\n2\n2\n3\n",
    "graph_labels": "1\n-1\n1\n",
    "node_labels": "0\n2\n0\n2\n2\n1\n",
    "node_attributes": "0.5, 1\n1, 2\n1.5, 3\n2, 4\n2.5, 5\n3, 6\n",
    "edge_labels": "7\n0\n0\n7\n5\n5\n",
}


def contents(**changed):
    files = {**FILES, **changed}
    return {f"TOY_{part}.txt": text.encode() for part, text in files.items() if text is not None}


@pytest.fixture
def folder(tmp_path):
    for name, content in contents().items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "TOY_readme.txt").write_text("not numbers")
    return tmp_path


def test_a_folder_and_its_contents_are_the_same(folder):
    for files in (folder, contents()):
        found = read_tu_files(files)
        assert (found.name, found.sizes.tolist(), found.target.tolist()) == ("TOY", [3, 2, 1], [1, -1, 1])  # fmt: skip
        assert (found.num_labels, found.num_edge_labels, found.has_classes) == (1, 1, True)
        assert found.x[:, 0].tolist() == [0, 2, 0, 2, 2, 1]
        assert found.x[:, 2].tolist() == [1, 2, 3, 4, 5, 6]
        assert found.edges.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1], [3, 4], [4, 3]]
        assert found.edge_attr[:, 0].tolist() == [0, 0, 5, 5, 7, 7]
    assert find_tu_name(folder) == "TOY"
    assert find_tu_name(folder / "..") is None


def test_labels_become_indicators_of_graphs():
    graphs, classes = as_labelled_graphs(read_tu_files(contents()))
    first, second, third = graphs
    assert classes == ("-1", "1")
    assert [graph.y.item() for graph in (first, second, third)] == [1, 0, 1]
    assert first.x.tolist() == [[1, 0, 0, 0.5, 1], [0, 0, 1, 1, 2], [1, 0, 0, 1.5, 3]]
    assert first.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert first.edge_attr.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert second.edge_index.tolist() == [[0, 1], [1, 0]]
    assert second.edge_attr.tolist() == [[0, 0, 1], [0, 0, 1]]
    assert networkx.is_isomorphic(first.to_networkx().to_undirected(), networkx.path_graph(3))
    assert (third.num_nodes, third.num_edges) == (1, 0)


def test_nodes_of_which_nothing_is_told():
    files = contents(node_labels=None, node_attributes=None, edge_labels=None, graph_labels=None)
    graphs, classes = as_labelled_graphs(read_tu_files(files))
    assert graphs[:].x.tolist() == [[1.0]] * 6
    assert (graphs[:].edge_attr, graphs.y, classes) == (None, None, None)


def test_nodes_in_any_order():
    found = read_tu_files(contents(A="2, 4\n1, 3\n", graph_indicator="1\n2\n1\n2\n", node_labels="5\n6\n7\n8\n", edge_labels="0\n1\n", node_attributes=None, graph_labels=None))  # fmt: skip
    assert found.x[:, 0].tolist() == [5, 7, 6, 8]
    assert found.edges.T.tolist() == [[0, 1], [2, 3]]
    assert found.edge_attr[:, 0].tolist() == [1, 0]
    assert found.target is None


def test_values_as_targets():
    found = read_tu_files(contents(graph_labels=None, graph_attributes="0.5\n1.5\n-2\n"))
    assert found.target.tolist() == [0.5, 1.5, -2.0]
    graphs, classes = as_labelled_graphs(found)
    assert (graphs.y.tolist(), classes) == ([0.5, 1.5, -2.0], None)


def test_a_graph_without_nodes_and_one_without_edges():
    found = read_tu_files(contents(A="", edge_labels="", graph_labels="1\n2\n1\n5\n"))
    assert found.sizes.tolist() == [3, 2, 1, 0]
    assert found.edges.shape == (2, 0)
    assert len(as_labelled_graphs(found).graphs) == 4


def test_a_short_line_is_a_missing_value():
    assert np.isnan(read_tu_files(contents(node_attributes="1, 2\n1\n" * 3)).x).sum() == 3


@pytest.mark.parametrize(
    ("part", "text", "says"),
    [
        ("A", "1, 9\n", r"TOY_A\.txt must name nodes from 1 to 6, got 9"),
        ("A", "0, 1\n", r"TOY_A\.txt must name nodes from 1 to 6, got 0"),
        ("A", "1, 4\n", "must join nodes of one graph, got nodes 1 and 4 of graphs 1 and 2"),
        ("A", "1\n2\n", r"TOY_A\.txt must have 2 numbers a line, got 1"),
        ("A", "1, x\n", r"TOY_A\.txt must hold numbers, as many in every line"),
        ("A", "1, 2\n1, 2, 3\n", r"TOY_A\.txt must hold numbers, as many in every line"),
        ("A", None, r"TOY_A\.txt must lie beside the other files"),
        ("graph_indicator", "1\n1\n1\n2\n2\n4\n", "must name graphs from 1 to 3, got 4"),
        ("graph_indicator", "", r"TOY_graph_indicator\.txt must hold numbers, and is empty"),
        ("graph_indicator", "1.5\n" * 6, "must hold whole numbers"),
        ("graph_indicator", None, "data must hold graphs of one name, got none"),
        ("graph_labels", "1\n2\n", "must name graphs from 1 to 2, got 3"),
        ("graph_labels", "1, 2\n" * 3, r"TOY_graph_labels\.txt must have one value a line, got 2"),
        ("node_labels", "1\n2\n", r"TOY_node_labels\.txt must have a line for each of 6 nodes, got 2"),
        ("edge_labels", "1\n", r"TOY_edge_labels\.txt must have a line for each of 6 edges, got 1"),
    ],
)  # fmt: skip
def test_wrong_files(part, text, says):
    with pytest.raises(InvalidValue, match=f"^fit: .*{says}"):
        read_tu_files(contents(**{part: text}), "fit")


def test_two_names():
    with pytest.raises(InvalidValue, match=r"graphs of one name, got 'OTHER' and 'TOY'\. Move one"):
        read_tu_files({**contents(), "OTHER_graph_indicator.txt": b"1\n"})
