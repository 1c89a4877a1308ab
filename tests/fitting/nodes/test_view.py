"""Graphs as models read them, against networkx and dense formulas."""

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from gradatim.fitting.nodes.view import (
    NodeView,
    adjusted_homophily,
    both_ways,
    count_components,
    distances,
    drawn_features,
    drawn_numbers,
    rewire,
)
from gradatim.nn import coupling_matrix


def random_graph(seed, count=30, edges=40):
    graph = nx.gnm_random_graph(count, edges, seed=seed)
    return graph, np.array(graph.edges).T.reshape(2, -1)


@pytest.mark.parametrize("seed", range(4))
def test_homophily_is_the_assortativity_of_networkx(seed):
    graph, index = random_graph(seed)
    y = np.random.default_rng(seed).integers(0, 3, size=30)
    nx.set_node_attributes(graph, dict(enumerate(y.tolist())), "kind")
    expected = nx.attribute_assortativity_coefficient(graph, "kind")
    assert adjusted_homophily(index, y, 3) == pytest.approx(expected)
    values = y + np.random.default_rng(seed).normal(size=30)
    nx.set_node_attributes(graph, dict(enumerate(values.tolist())), "value")
    expected = nx.numeric_assortativity_coefficient(graph, "value")
    assert adjusted_homophily(index, values, 0) == pytest.approx(expected)


def test_homophily_is_not_told_by_unknown_nodes():
    index = np.array([[0, 1, 2], [1, 2, 3]])
    assert np.isnan(adjusted_homophily(index, np.array([0, 0]), 2))  # one class says nothing
    assert np.isnan(adjusted_homophily(index, np.zeros(0, dtype=int), 2))
    swapped = adjusted_homophily(np.array([[0, 2], [1, 3]]), np.array([0, 1, 0, 1]), 2)
    assert swapped == pytest.approx(-1.0)


@pytest.mark.parametrize("seed", range(3))
def test_distances_and_parts_are_those_of_networkx(seed):
    graph, index = random_graph(seed, edges=25)
    expected = nx.multi_source_dijkstra_path_length(graph, {3, 7})
    found = distances(index, 30, np.array([3, 7]))
    assert found.tolist() == [expected.get(k, -1) for k in range(30)]
    assert count_components(index, 30) == nx.number_connected_components(graph)


@given(st.integers(0, 50))
def test_averages_are_products_with_the_coupling_matrix(seed):
    _, index = random_graph(seed, count=9, edges=10)
    edge_index = both_ways(index, False)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(9, 2)).astype(np.float32)
    weight = np.tile(rng.uniform(0.5, 2, size=index.shape[1]), 2)
    matrix = coupling_matrix(torch.from_numpy(edge_index), 9, edge_weight=torch.from_numpy(weight))
    dense = matrix.to_dense().numpy()
    np.testing.assert_allclose(NodeView(x, edge_index, weight).smoothed(2), dense @ dense @ x, atol=1e-6)  # fmt: skip


def test_rewired_edges_keep_degrees_and_lose_classes():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    index = rng.integers(0, 200, size=(2, 2000)) * 2
    index[:, 1000:] += 1  # every edge stays within a class
    new, kept = rewire(index, rng)
    assert adjusted_homophily(index, y, 2) == 1.0
    assert abs(adjusted_homophily(new, y, 2)) < 0.1
    assert new.shape[1] == len(kept) >= 0.98 * index.shape[1]
    degree = [np.bincount(own.reshape(-1), minlength=400) for own in (index, new)]
    assert np.abs(degree[0] - degree[1]).sum() == 2 * (index.shape[1] - len(kept))


def test_drawn_features_belong_to_ids():
    edges = np.array([[0, 1], [1, 0]])
    first = drawn_features(["a", "b", "c"], edges)
    other = drawn_features(["c", "a"], np.zeros((2, 0), dtype=int))
    np.testing.assert_array_equal(first[[2, 0], 1:], other[:, 1:])
    np.testing.assert_allclose(first[:, 0], np.log([2.0, 2.0, 1.0]))


def test_features_with_many_zeros_are_sparse_and_the_same():
    x = np.zeros((6, 10), dtype=np.float32)
    x[np.arange(6), np.arange(6)] = 2.0
    own = NodeView(x, np.zeros((2, 0), dtype=np.int64)).tensors[0]
    assert own.layout == torch.sparse_csr
    np.testing.assert_array_equal(own.to_dense().numpy(), x)


def test_drawn_numbers_are_normal_and_independent():
    drawn = drawn_numbers([f"n{k}" for k in range(20_000)]) * np.sqrt(32)
    assert kstest(drawn.ravel(), "norm").pvalue > 1e-3
    covariance = drawn.T @ drawn / len(drawn)
    assert np.abs(covariance - np.eye(32)).max() < 6 / np.sqrt(len(drawn))
    assert drawn_numbers([]).shape == (0, 32)
