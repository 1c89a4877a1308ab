"""Neighbours that are drawn: enough of them give the answers of the whole graph."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import random_graph, sample_neighbours
from gradatim.errors import InvalidValue
from gradatim.models import GIN, GraphSAGE

SEEDS = torch.tensor([4, 0])


@given(st.integers(5, 14), st.integers(0, 99), st.sampled_from([-1, 14]))
def test_all_neighbours_give_the_answers_of_the_whole_graph(count, seed, fanout):
    edges = random_graph(count, min(2 * count, count * (count - 1) // 2), seed=seed)
    x = torch.randn(count, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    for build in (GraphSAGE, GIN):
        model = build(3, 4, 2).double().eval()
        part = sample_neighbours(edges, SEEDS, [fanout, fanout], num_nodes=count)
        found = model(x[part.nodes], part.edge_index)[: part.num_seeds]
        torch.testing.assert_close(found, model(x, edges)[SEEDS])


@given(st.integers(0, 3), st.integers(0, 50))
def test_every_node_keeps_at_most_so_many_edges_of_the_graph(fanout, seed):
    edges = random_graph(20, 60, seed=seed)
    draw = torch.Generator().manual_seed(seed)
    part = sample_neighbours(edges, SEEDS, [fanout, fanout], num_nodes=20, generator=draw)
    assert torch.equal(part.nodes[:2], SEEDS)
    assert len(part.nodes.unique()) == len(part.nodes)
    there = {tuple(edge) for edge in edges.T.tolist()}
    drawn = [tuple(edge) for edge in part.nodes[part.edge_index].T.tolist()]
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= there
    degree = torch.bincount(edges[1], minlength=20)
    kept = torch.bincount(part.nodes[part.edge_index[1]], minlength=20)
    assert torch.equal(kept[SEEDS], degree[SEEDS].clamp(max=fanout))
    assert int(kept.max()) <= fanout


def test_every_edge_is_drawn_equally_often():
    star = torch.stack([torch.arange(1, 7), torch.zeros(6, dtype=torch.long)])
    draw = torch.Generator().manual_seed(0)
    counts = torch.zeros(7)
    for _ in range(3000):
        part = sample_neighbours(star, [0], [2], num_nodes=7, generator=draw)
        counts[part.nodes[1:]] += 1
    # each is taken with probability 1/3: a standard deviation of 26
    assert (counts[1:] - 1000).abs().max() < 4 * 26


def test_no_rounds_and_no_edges():
    part = sample_neighbours([[0], [1]], [1], [], num_nodes=2)
    assert part.nodes.tolist() == [1]
    assert part.edge_index.shape == (2, 0)
    part = sample_neighbours(torch.zeros(2, 0, dtype=torch.long), [1], [3, 3], num_nodes=2)
    assert part.nodes.tolist() == [1]


def test_refusals():
    edges = torch.tensor([[0], [1]])
    with pytest.raises(InvalidValue, match=r"or -1 for all, got -2"):
        sample_neighbours(edges, [0], [-2], num_nodes=2)
    with pytest.raises(InvalidValue, match="nodes from 0 to 1, got 0 to 5"):
        sample_neighbours(edges, [0, 5], [1], num_nodes=2)
    with pytest.raises(InvalidValue, match="named once"):
        sample_neighbours(edges, [0, 0], [1], num_nodes=2)
    with pytest.raises(InvalidValue, match="edge_index must name nodes"):
        sample_neighbours(edges, [0], [1], num_nodes=1)
