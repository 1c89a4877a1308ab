"""The graphs of the experiment on the Weisfeiler-Lehman test are what their names say."""

import networkx as nx
import pytest

from gradatim.experiments.sets.wl_test import pairs, verdict_table

PAIRS = pairs()


def as_networkx(graph):
    found = nx.Graph(graph.edges.T.tolist())
    assert len(found) == graph.num_nodes
    assert 2 * found.number_of_edges() == graph.edges.shape[1]
    return found


@pytest.mark.parametrize("label", PAIRS)
def test_no_pair_is_isomorphic(label):
    first, second = map(as_networkx, PAIRS[label])
    assert len(first) == len(second)
    assert not nx.is_isomorphic(first, second)


def test_molecules():
    decalin, bicyclopentyl = map(as_networkx, PAIRS["decalin, bicyclopentyl"])
    assert sorted(map(len, nx.minimum_cycle_basis(decalin))) == [6, 6]
    assert sorted(map(len, nx.minimum_cycle_basis(bicyclopentyl))) == [5, 5]
    assert len(list(nx.bridges(bicyclopentyl))) == 1
    assert not nx.has_bridges(decalin)


def test_strongly_regular_graphs():
    for graph in map(as_networkx, PAIRS["rook's graph, Shrikhande"]):
        assert {degree for _, degree in graph.degree} == {6}
        for a in graph:
            for b in graph:
                if a < b:
                    assert len(list(nx.common_neighbors(graph, a, b))) == 2
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    assert nx.is_isomorphic(as_networkx(PAIRS["rook's graph, Shrikhande"].first), rook)


def test_the_table_says_who_sees_what():
    figure = verdict_table({"GIN": {"a, b": True}, "GCN": {"a, b": False}})
    assert [text.get_text() for text in figure.axes[0].texts] == ["apart", "alike"]
