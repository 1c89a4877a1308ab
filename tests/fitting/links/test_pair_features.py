"""What is known of pairs, against networkx on the graph without the pair's own edge."""

import networkx as nx
import numpy as np
import pytest

from gradatim.fitting.links import pair_features
from gradatim.fitting.links.pair_features import (
    SOURCES,
    attachment,
    compare_columns,
    extract,
    shared_neighbours,
)
from gradatim.fitting.nodes.view import NodeView, both_ways


def graphs(seed, directed=False):
    graph = nx.gnm_random_graph(14, 45 if directed else 30, seed=seed, directed=directed)
    index = np.array(graph.edges).T
    pairs = np.array([(a, b) for a in range(14) for b in range(14) if a != b]).T
    weight = np.linspace(0.5, 3.0, index.shape[1] * (1 if directed else 2))  # counts do not read them  # fmt: skip
    return graph, NodeView(np.zeros((14, 0)), both_ways(index, directed), weight), pairs


@pytest.mark.parametrize("seed", range(3))
def test_neighbours_are_those_of_networkx_without_the_edge_that_is_asked_for(seed, monkeypatch):
    monkeypatch.setattr(pair_features, "ENTRIES", 40)  # several parts
    graph, view, pairs = graphs(seed)
    found = zip(attachment(view, pairs), shared_neighbours(view, pairs), shared_neighbours(view, pairs, is_weighted=True), strict=True)  # fmt: skip
    for (a, b), own in zip(pairs.T.tolist(), found, strict=True):
        cut = graph.copy()
        cut.remove_edges_from([(a, b)])
        product, weighted = (next(iter(f(cut, [(a, b)])))[2] for f in (nx.preferential_attachment, nx.adamic_adar_index))  # fmt: skip
        assert own == pytest.approx((product, len(list(nx.common_neighbors(cut, a, b))), weighted))


def test_directions_count_what_leaves_and_what_arrives():
    graph, view, pairs = graphs(5, directed=True)
    for (a, b), product, common in zip(pairs.T.tolist(), attachment(view, pairs), shared_neighbours(view, pairs), strict=True):  # fmt: skip
        cut = graph.copy()
        cut.remove_edges_from([(a, b)])
        assert product == cut.out_degree(a) * cut.in_degree(b)
        assert common == len(list(nx.common_neighbors(graph.to_undirected(), a, b)))


def test_columns_are_compared_one_by_one():
    x = np.array([[1.0, 2.0], [4.0, -1.0], [0.0, 3.0]])
    pairs = np.array([[0, 2], [1, 0]])
    assert compare_columns(x, pairs, is_directed=False).tolist() == [[4, -2, 3, 3], [0, 6, 1, 1]]
    assert compare_columns(x, pairs, is_directed=True).tolist() == [[4, -2, -3, 3], [0, 6, -1, 1]]


def test_no_pairs_have_no_features():
    _, view, _ = graphs(0)
    for source in SOURCES:
        assert len(extract(source, view, np.zeros((2, 0), dtype=int), is_directed=False)) == 0
