"""Rings with twigs: what the class says, checked node by node."""

import networkx
import numpy as np
import pytest

from gradatim import data
from gradatim.data import rings


@pytest.mark.parametrize("seed", [0, 3])
def test_the_class_is_whether_red_nodes_are_neighbours(seed):
    for k, graph in enumerate(rings(40, seed=seed)):
        own = graph.to_networkx().to_undirected()
        red = [node for node, x in own.nodes(data="x") if x == [1.0]]
        assert len(red) == 3
        assert int(graph.y) == k % 2 == int(own.subgraph(red).number_of_edges() > 0)
        assert networkx.is_connected(own)
        assert own.number_of_edges() == own.number_of_nodes() == graph.num_edges // 2  # one ring


def test_counts_do_not_tell_the_class():
    graphs = rings(2000, seed=1)
    degrees = np.array([np.bincount(g.edge_index[1].bincount(), minlength=9)[:6] / g.num_nodes for g in graphs])  # fmt: skip
    classes = np.array([int(g.y) for g in graphs])
    means, errors = (np.stack([f(degrees[classes == c], 0) for c in (0, 1)]) for f in (np.mean, np.std))  # fmt: skip
    gap = np.abs(means[0] - means[1]) / np.maximum(np.sqrt((errors**2).sum(0) / 1000), 1e-9)
    assert gap.max() < 4.0


def test_the_catalogue_has_them():
    record = data.load("rings")
    assert (len(record.X), record.y.tolist()[:4], record.target_names) == (300, [0, 1, 0, 1], ("apart", "together"))  # fmt: skip
    assert record.graphs.sizes.tolist() == record.X[:, 0].tolist()
    assert all(int(graph.x.sum()) == 3 for graph in record.graphs)


def test_wrong_numbers():
    with pytest.raises(ValueError, match="rings: num_samples"):
        rings(0)
    with pytest.raises(ValueError, match="rings: seed"):
        rings(3, seed=-1)
