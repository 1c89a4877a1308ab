"""What the experiments on nodes share: training, papers and towers."""

from functools import partial

import numpy as np
import pytest
import torch
from torch.nn import functional

from gradatim.data import Graph, block_model
from gradatim.experiments.graphs._node_training import accuracy, fit_nodes
from gradatim.experiments.graphs._papers import load_papers, scale_rows
from gradatim.experiments.graphs._towers import ALPHA, PAIRED, PLAIN, RETURNING, Tower
from gradatim.experiments.graphs.heterophily import expected_average, losing_range
from gradatim.models import GCN
from gradatim.nn import coupling_matrix


@pytest.fixture
def graph():
    edges, y = block_model([20, 20], [[0.3, 0.03], [0.03, 0.3]], seed=1)
    return Graph(torch.randn(40, 3, generator=torch.Generator().manual_seed(0)), edges, y=y)


def test_the_epoch_that_told_the_watched_nodes_best_is_kept(graph):
    train, held = torch.arange(0, 40, 4), torch.arange(1, 40, 4)
    graph = Graph(
        graph.x, graph.edge_index[:, :0], y=graph.y
    )  # features tell nothing: it is learned by heart
    build = partial(GCN, 3, 8, 2, dropout=0.0)
    trained = fit_nodes(build, graph, train, held, epochs=60, seed=0, lr=0.1)
    loss = functional.cross_entropy(trained.outputs[held], graph.y[held])
    assert trained.validation_loss == pytest.approx(float(loss), rel=1e-5)
    last = fit_nodes(build, graph, train, epochs=60, seed=0, lr=0.1)
    assert float(functional.cross_entropy(last.outputs[held], graph.y[held])) > float(loss)
    assert np.isnan(last.validation_loss)


def test_accuracy_is_the_share_of_the_nodes_asked_for():
    outputs, y = torch.tensor([[2.0, 1.0], [0.0, 1.0], [3.0, 1.0]]), torch.tensor([0, 0, 0])
    assert accuracy(outputs, y, torch.tensor([0, 1])) == 0.5


@pytest.mark.parametrize("order", [1, 2])
def test_rows_are_scaled_to_length_one_and_stay_sparse(order):
    x = load_papers("made-up", 0).x
    scaled = scale_rows(x, order)
    assert scaled.layout == torch.sparse_csr
    dense = x.to_dense()
    assert dense.unique().tolist() == [0.0, 1.0]
    np.testing.assert_allclose(scaled.to_dense(), functional.normalize(dense, p=order, dim=1), rtol=1e-6)  # fmt: skip


def test_towers_are_their_equations(graph):
    A = coupling_matrix(graph.edge_index, 40).to_dense()
    for remedy in (PLAIN, PAIRED, RETURNING):
        tower = Tower(3, 5, 2, num_layers=2, remedy=remedy)
        h = start = torch.relu(tower.first(graph.x))
        for k, seen in enumerate(tower.states(graph.x, graph.edge_index)[1:]):
            if remedy == RETURNING:
                h = (1 - ALPHA) * A @ h + ALPHA * start
            else:
                h = torch.relu(A @ h @ tower.layers[k].linear.weight.T)
            if remedy == PAIRED:
                h = h - h.mean(0)
                h = h / h.square().sum(1).mean().sqrt()
            torch.testing.assert_close(seen, h, rtol=1e-4, atol=1e-5)


def test_one_average_reaches_what_drawn_features_say(graph):
    """Features are drawn 2,000 times on one graph; the sign of their average tells the class."""
    A = coupling_matrix(graph.edge_index, 40).to_dense()
    s = 2.0 * graph.y - 1.0
    draws = 0.7 * s + torch.randn(2000, 40, generator=torch.Generator().manual_seed(3))
    share = float(((draws @ A.T).sign() == s).float().mean())
    assert expected_average(graph, 0.7) == pytest.approx(max(share, 1 - share), abs=0.01)


@pytest.mark.parametrize(("degree", "signal"), [(8, 1.0), (4, 0.5), (20, 2.0)])
def test_at_the_ends_of_the_range_an_average_is_worth_the_features_alone(degree, signal):
    """A node and its neighbours drawn many times: signal over noise of their mean is that of the node."""
    rng = np.random.default_rng(0)
    for h in losing_range(degree, signal):
        classes = np.where(rng.random((200_000, degree)) < (1 + h) / 2, 1.0, -1.0)
        total = signal * (1 + classes.sum(1)) + rng.normal(size=200_000) * np.sqrt(degree + 1)
        assert abs(total.mean()) / total.std() == pytest.approx(signal, rel=0.02)
