"""Graphs as tensors: from and to networkx and PyTorch Geometric."""

from types import SimpleNamespace

import networkx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import Graph, make_undirected
from gradatim.data.sparse_rows import make_csr
from gradatim.errors import InvalidType, InvalidValue


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 99), st.booleans())
def test_networkx_gives_back_the_same_graph(count, density, seed, is_directed):
    there = networkx.gnp_random_graph(count, density, seed=seed, directed=is_directed)
    back = Graph.from_networkx(there).to_networkx()
    assert networkx.utils.graphs_equal(
        networkx.DiGraph(back.edges), networkx.DiGraph(there.to_directed().edges)
    )
    assert len(back) == count


def test_attributes_of_networkx():
    there = networkx.Graph()
    there.add_node("b", size=[1.0, 2.0], kind="wolf")
    there.add_node("a", size=[3.0, 4.0], kind="hare")
    there.add_edge("b", "a", weight=0.5)
    graph = Graph.from_networkx(there, features="size", target="kind")
    assert graph.x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert graph.y.tolist() == [1, 0]  # texts in their order
    assert graph.edge_weight.tolist() == [0.5, 0.5]
    assert graph.to_networkx().nodes[0] == {"x": [1.0, 2.0], "y": 1}
    with pytest.raises(InvalidValue, match=r"'height' must be an attribute of every node"):
        Graph.from_networkx(there, features="height")


def test_whatever_has_the_attributes_of_pytorch_geometric():
    data = SimpleNamespace(
        x=torch.eye(2), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1])
    )
    assert repr(Graph.from_pyg(data)) == "Graph(2 nodes, 1 edges, x (2, 2), y (2,))"
    with pytest.raises(InvalidValue, match="must have an edge_index, got int"):
        Graph.from_pyg(3)


def test_arrays_lists_and_sparse_features():
    assert Graph(np.eye(3), np.zeros((2, 0), dtype=np.int64)).num_edges == 0
    assert Graph([[1.0]], []).edge_index.shape == (2, 0)
    assert (
        Graph(
            make_csr(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1), (1, 2)), [[0], [0]]
        ).x.layout
        == torch.sparse_csr
    )


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"x": [1.0], "edge_index": []}, "x must have one row of features"),
        (
            {"x": [[1.0]], "edge_index": [[0], [1]]},
            "edge_index must name nodes from 0 to 0, got 0 to 1",
        ),
        ({"x": [[1.0]], "edge_index": [[0, 0]]}, r"edge_index must have shape \(2, edges\)"),
        (
            {"x": [[1.0]], "edge_index": [[0], [0]], "edge_weight": [1.0, 2.0]},
            "one number for each of 1 edges",
        ),
        (
            {"x": [[1.0]], "edge_index": [[0], [0]], "edge_attr": [[1.0], [2.0]]},
            "a row for each of 1 edges",
        ),
        ({"x": [["a"]], "edge_index": []}, "x must be numbers"),
    ],
)
def test_what_is_no_graph(parts, words):
    with pytest.raises(InvalidValue, match=words):
        Graph(**parts)


def test_edges_must_be_whole_numbers():
    with pytest.raises(InvalidType, match="edge_index must be whole numbers"):
        Graph([[1.0]], [[0.0], [0.0]])


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30))
def test_undirected_edges_are_those_of_sets(pairs):
    edges = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T
    found = make_undirected(edges)
    both = {(a, b) for a, b in pairs} | {(b, a) for a, b in pairs}
    assert [tuple(edge) for edge in found.T.tolist()] == sorted(both)
    assert torch.equal(make_undirected(found), found)
