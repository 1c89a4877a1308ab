"""The laws of permutation are measured on every network on sets and graphs, and on answers that say something."""

import inspect
from itertools import chain

import pytest
import torch

from gradatim import models
from gradatim.data import random_graph
from gradatim.experiments.sets._networks_by_law import EACH, WHOLE, WIDTH, as_matrix, lawful
from gradatim.experiments.sets.permutation_laws import draw, on_matrix, rename_nodes

NETWORKS = lawful(8)


def test_no_network_on_sets_or_graphs_is_forgotten():
    measured = {type(build()) for build in chain(*(builds.values() for builds in NETWORKS.values()))}  # fmt: skip

    def takes(kind, *names):
        return inspect.isclass(kind) and {*inspect.signature(kind.forward).parameters} >= {*names}

    every = {kind for kind in vars(models).values() if isinstance(kind, type) and issubclass(kind, torch.nn.Module)}  # fmt: skip
    on_graphs = {
        kind for kind in every if takes(kind, "x", "edge_index") and not takes(kind, "pairs")
    }
    on_sets = {kind for kind in every if kind.__module__.endswith(("deep_sets", "pointnet"))}
    assert len(on_graphs) >= 10
    assert measured == on_graphs | on_sets


@pytest.mark.parametrize("law", [WHOLE, EACH])
def test_answers_differ_from_set_to_set(law):
    x = torch.randn(2, 5, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for name, build in NETWORKS[law].items():
        first, second = draw(build, 0)(x)
        assert not torch.allclose(first, second, rtol=1e-3), name


def test_the_maps_of_a_t_net_are_not_the_identity():
    x = torch.randn(2, 5, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    model = draw(NETWORKS[WHOLE]["PointNet"], 0)
    assert float((model.turn_points(x).detach() - torch.eye(WIDTH)).abs().max()) > 0.1


def test_a_renamed_matrix_is_the_graph_with_renamed_edges():
    x = torch.arange(6 * WIDTH, dtype=torch.float64).view(6, WIDTH)
    edges, order = random_graph(6, 7, seed=1)[:, :5], torch.tensor([4, 2, 0, 5, 1, 3])
    P = torch.eye(6, dtype=torch.float64)[order]
    A = as_matrix(x, edges)[:, WIDTH:]
    expected = torch.cat([P @ x, P @ A @ P.T], 1)
    torch.testing.assert_close(rename_nodes(order)(as_matrix(x, edges)), expected)
    torch.testing.assert_close(as_matrix(x[order], order.argsort()[edges]), expected)


def test_a_function_of_the_matrix_gets_its_edges():
    edges = random_graph(6, 7, seed=1)[:, :5]  # some in one direction only

    class Echo(torch.nn.Module):
        def forward(self, x, edge_index):
            return as_matrix(x, edge_index)

    graph = as_matrix(torch.ones(6, WIDTH), edges)
    torch.testing.assert_close(on_matrix(Echo())(graph), graph)
