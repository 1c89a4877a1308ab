"""Batches of graphs: equal to the graphs one by one."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data import Graph, GraphSet, batch_graphs
from gradatim.errors import InvalidType, InvalidValue


@st.composite
def graphs(draw, is_sparse=False):
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    found = []
    for _ in range(draw(st.integers(1, 6))):
        nodes = draw(st.integers(1, 5))
        edges = torch.randint(nodes, (2, draw(st.integers(0, 8))), generator=generator)
        x = torch.randint(0, 2, (nodes, 3), generator=generator).float()
        found.append(
            Graph(
                x.to_sparse_csr() if is_sparse else x,
                edges,
                edge_weight=torch.rand(edges.shape[1], generator=generator),
                edge_attr=torch.rand(edges.shape[1], 2, generator=generator),
                y=torch.rand((), generator=generator),
            )
        )
    return found


def join(parts):
    """A loop that puts graphs together."""
    before, edges, batch = 0, [], []
    for i, graph in enumerate(parts):
        edges.append(graph.edge_index + before)
        batch += [i] * graph.num_nodes
        before += graph.num_nodes
    return torch.cat([g.x.to_dense() for g in parts]), torch.cat(edges, 1), torch.tensor(batch)


@given(graphs(), st.data())
def test_a_batch_is_its_graphs_behind_each_other(parts, data):
    rows = data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=8))
    cut = GraphSet(parts)[rows]
    assert cut.num_graphs == len(rows)
    if rows:
        chosen = [parts[i] for i in rows]
        for found, expected in zip((cut.x, cut.edge_index, cut.batch), join(chosen), strict=True):
            assert torch.equal(found, expected)
        assert torch.equal(cut.y, torch.stack([g.y for g in chosen]))
        assert torch.equal(cut.edge_attr, torch.cat([g.edge_attr for g in chosen]))
        assert torch.equal(cut.edge_weight, torch.cat([g.edge_weight for g in chosen]))


@given(graphs(is_sparse=True))
def test_sparse_features_stay_sparse(parts):
    cut = batch_graphs(parts[::-1])
    assert cut.x.layout == torch.sparse_csr
    assert torch.equal(cut.x.to_dense(), join(parts[::-1])[0])


@given(graphs())
def test_graphs_come_back_one_by_one(parts):
    for before, after in zip(parts, GraphSet(parts).graphs, strict=True):
        assert torch.equal(before.x, after.x)
        assert torch.equal(before.edge_index, after.edge_index)
        assert torch.equal(before.y, after.y)


@given(graphs(), graphs(is_sparse=True))
def test_a_batch_is_taken_apart_again(dense, sparse):
    for parts in (dense, sparse):
        whole = GraphSet(parts)
        for ours, theirs in zip(GraphSet.from_batch(whole[:]), whole, strict=True):
            for name in ("x", "edge_index", "edge_weight", "edge_attr", "y"):
                own, other = getattr(ours, name), getattr(theirs, name)
                assert torch.equal(own.to_dense(), other.to_dense())


def test_a_batch_in_disorder_is_refused():
    both = batch_graphs([Graph([[1.0], [2.0]], [[0], [1]]), Graph([[3.0], [4.0]], [[0], [1]])])
    for name, value, words in [
        ("batch", torch.tensor([0, 1, 0, 1]), "graph by graph, got another order"),
        ("edge_index", both.edge_index.flip(1), "graph by graph, got another order"),
        ("edge_index", torch.tensor([[0], [2]]), "nodes of one graph, got an edge between two"),
    ]:
        with pytest.raises(InvalidValue, match=words):
            GraphSet.from_batch(both._replace(**{name: value}))


def test_targets_of_nodes():
    pair = Graph([[1.0], [2.0]], [[0], [1]], y=torch.tensor([5, 6]))
    one = Graph([[3.0]], [], y=torch.tensor([7]))
    assert GraphSet([pair, one])[[1, 0]].y.tolist() == [7, 5, 6]
    assert GraphSet([pair, one]).graph(0).y.tolist() == [5, 6]
    assert GraphSet.from_batch(batch_graphs([pair, one])).graph(0).y.tolist() == [5, 6]


def test_slices_masks_and_negative_places():
    three = GraphSet([Graph([[float(i)]], []) for i in range(3)])
    assert three[1:].x.flatten().tolist() == [1.0, 2.0]
    assert three[torch.tensor([True, False, True])].x.flatten().tolist() == [0.0, 2.0]
    assert three[[-1]].x.item() == 2.0
    assert three.sizes.tolist() == [1, 1, 1]
    assert repr(three) == "GraphSet(3 graphs, 3 nodes, 0 edges)"


def test_refusals():
    one = Graph([[1.0]], [])
    with pytest.raises(InvalidValue, match="at least one, got none"):
        GraphSet([])
    with pytest.raises(InvalidType, match="must be of Graph, got str"):
        GraphSet(["a"])
    with pytest.raises(InvalidValue, match=r"width of x, got \[1, 2\]"):
        GraphSet([one, Graph([[1.0, 2.0]], [])])
    with pytest.raises(InvalidValue, match="y must be given for all graphs or none, got 1 of 2"):
        GraphSet([one, Graph([[1.0]], [], y=torch.tensor(1))])
    with pytest.raises(InvalidValue, match="places from 0 to 0"):
        GraphSet([one])[[3]]
