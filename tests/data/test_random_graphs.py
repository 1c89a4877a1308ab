"""Graphs that are drawn."""

import networkx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import block_model, random_graph
from gradatim.data.random_graphs import _pairs
from gradatim.errors import InvalidValue


@given(st.integers(1, 15), st.floats(0, 1), st.integers(0, 99))
def test_a_random_graph_is_simple_undirected_and_of_its_size(count, share, seed):
    most = count * (count - 1) // 2
    edges = random_graph(count, round(share * most), seed=seed)
    graph = networkx.Graph(edges.T.tolist())
    assert graph.number_of_edges() == round(share * most)
    assert edges.shape[1] == 2 * round(share * most)
    assert (edges[0] != edges[1]).all()


def test_pairs_are_numbered_without_a_gap():
    i, j = _pairs(np.arange(5000 * 4999 // 2))
    assert (j >= 0).all()
    assert (j < i).all()
    assert i.max() == 4999
    last = 10**6 * (10**6 - 1) // 2  # the number of pairs below a million
    i, j = _pairs(np.array([last - 1, last]))
    assert i.tolist() == [10**6 - 1, 10**6]
    assert j.tolist() == [10**6 - 2, 0]


def test_edges_of_blocks_come_as_often_as_asked():
    p = [[0.3, 0.05], [0.05, 0.2]]
    edges, blocks = block_model([200, 300], p, seed=1)
    assert torch.bincount(blocks).tolist() == [200, 300]
    pairs = torch.zeros(2, 2).index_put(
        (blocks[edges[0]], blocks[edges[1]]), torch.tensor(1.0), accumulate=True
    )
    possible = torch.tensor([[200 * 199, 200 * 300], [200 * 300, 300 * 299]])
    torch.testing.assert_close(pairs / possible, torch.tensor(p), atol=0.01, rtol=0)
    assert (edges[0] != edges[1]).all()


def test_refusals():
    with pytest.raises(InvalidValue, match="num_edges must be from 0 to 3, got 4"):
        random_graph(3, 4)
    with pytest.raises(InvalidValue, match="symmetric"):
        block_model([1, 1], [[0.1, 0.2], [0.3, 0.1]])
    with pytest.raises(InvalidValue, match="2 × 2"):
        block_model([1, 1], [[0.1]])
