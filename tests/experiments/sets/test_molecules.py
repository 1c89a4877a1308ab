"""Molecules and their distances: against slow loops, and laws of an energy."""

import math

import pytest
import torch

from gradatim.data import Graph, GraphSet, batch_graphs
from gradatim.experiments.sets._molecules import (
    KINDS,
    DistanceNetwork,
    count_atoms,
    join_near,
    made_up_molecules,
)


@pytest.fixture(scope="module")
def molecules():
    return made_up_molecules(12, torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    return DistanceNetwork(8, 2, num_waves=6, reach=3.0).double().eval()


def in_double(batch):
    return batch._replace(x=batch.x.double())


def test_the_energy_is_that_of_atoms_and_pairs(molecules):
    own = [-13.6, -1030.0, -1485.0, -2042.0, -2713.0]
    for graph in molecules:
        kinds, places = graph.x[:, :KINDS].argmax(1).tolist(), graph.x[:, KINDS:].double().tolist()
        energy = sum(own[kind] for kind in kinds)
        for i in range(len(kinds)):
            for j in range(i):
                d = math.dist(places[i], places[j])
                assert d > 1.0
                depth = 1 + 0.5 * (kinds[i] + kinds[j])
                energy += depth * ((1 - math.exp(-1.5 * (d - 1.3))) ** 2 - 1)
        assert graph.y.item() == pytest.approx(energy, rel=1e-6)


def test_near_atoms_are_joined_both_ways(molecules):
    joined = GraphSet.from_batch(join_near(molecules[:], 2.0))
    for graph, before in zip(joined, molecules, strict=True):
        places = before.x[:, KINDS:].tolist()
        found = {(a, b): d for (a, b), d in zip(graph.edge_index.T.tolist(), graph.edge_attr.tolist(), strict=True)}  # fmt: skip
        expected = {
            (a, b): math.dist(p, q)
            for a, p in enumerate(places) for b, q in enumerate(places) if a != b and math.dist(p, q) < 2.0
        }  # fmt: skip
        assert found == pytest.approx(expected, rel=1e-5)
        assert torch.equal(graph.x, before.x[:, :KINDS])


def test_counts_of_atoms(molecules):
    for row, graph in zip(count_atoms(molecules[:]), molecules, strict=True):
        assert row.tolist() == torch.bincount(graph.x[:, :KINDS].argmax(1), minlength=KINDS).tolist()  # fmt: skip


def test_energies_of_molecules_far_apart_add_up(molecules, network):
    first, second = molecules.graph(0).x, molecules.graph(1).x
    far = second + torch.tensor([*[0.0] * KINDS, 50.0, 0.0, 0.0])
    none = torch.zeros(2, 0, dtype=torch.long)
    alone = in_double(batch_graphs([Graph(first, none), Graph(second, none)]))
    both = in_double(batch_graphs([Graph(torch.cat([first, far]), none)]))
    torch.testing.assert_close(network(join_near(both, 3.0))[0], network(join_near(alone, 3.0)).sum(), rtol=1e-6, atol=1e-6)  # fmt: skip


def test_an_energy_does_not_jump_where_atoms_cease_to_hear(network):
    def energy(distance):
        x = torch.zeros(2, KINDS + 3, dtype=torch.float64)
        x[:, 0], x[1, KINDS] = 1.0, distance
        return network(join_near(batch_graphs([Graph(x, torch.zeros(2, 0, dtype=torch.long))]), 3.0))  # fmt: skip

    assert abs(energy(3.0 - 1e-6) - energy(3.1)) < 1e-9
    assert abs(energy(1.0) - energy(3.1)) > 1e-4


def test_gradients_by_distance(molecules, network):
    batch = in_double(join_near(molecules[[0, 1]], 3.0))
    assert torch.autograd.gradcheck(
        lambda d: network(batch._replace(edge_attr=d)), batch.edge_attr.double().requires_grad_()
    )
