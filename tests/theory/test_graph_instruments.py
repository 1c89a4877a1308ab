import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import GCN, SGC
from gradatim.nn import coupling_matrix, laplacian
from gradatim.randomness import seeded
from gradatim.theory import (
    dirichlet_energy,
    laplacian_positions,
    node_influence,
    spectral_clustering,
)


def path(n):
    edges = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    return torch.cat([edges, edges.flip(0)], 1)


def test_the_energy_is_the_quadratic_form_of_the_laplacian():
    x, edges = torch.randn(6, 3, generator=torch.Generator().manual_seed(0)), path(6)
    L = laplacian(edges, 6).to_dense()
    torch.testing.assert_close(dirichlet_energy(x, edges), torch.trace(x.T @ L @ x))
    torch.testing.assert_close(dirichlet_energy(x, edges[:, :5]), torch.trace(x.T @ L @ x))


def test_influence_is_the_power_of_the_coupling_and_ends_with_the_layers():
    with seeded(0):
        model = SGC(2, 3, num_layers=2)
    x, edges = torch.zeros(5, 2), path(5)
    A = coupling_matrix(edges, 5).to_dense()
    for source in range(5):
        expected = (A @ A)[0, source] * model.linear.weight.detach().norm()
        found = node_influence(model, x, edges, source, 0)
        assert found == pytest.approx(float(expected), abs=1e-6)
    with seeded(0):
        deep = GCN(2, 8, 3, num_layers=2).train()
    assert node_influence(deep, torch.ones(5, 2), edges, 3, 0) == 0.0
    assert deep.training


def test_positions_of_a_path_are_a_cosine():
    n = 40
    found = laplacian_positions(path(n), n, dim=1)[:, 0]
    cosine = torch.cos(torch.pi * torch.arange(n) / (n - 1))
    correlation = torch.corrcoef(torch.stack([found, cosine]))[0, 1].abs()
    assert correlation > 0.99
    assert found.abs().max() == found.max()


def test_blocks_are_found():
    blocks = torch.block_diag(*[torch.ones(6, 6) - torch.eye(6)] * 3)
    blocks[0, 6] = blocks[6, 0] = blocks[7, 12] = blocks[12, 7] = 1.0
    parts = spectral_clustering(blocks.nonzero().T, 18, 3, seed=0).view(3, 6)
    assert bool((parts == parts[:, :1]).all())
    assert len(set(parts[:, 0].tolist())) == 3


def test_mistakes_are_refused():
    with pytest.raises(InvalidValue, match="dim must be from 1 to 2, got 3"):
        laplacian_positions(path(3), 3, dim=3)
    with pytest.raises(InvalidValue, match="num_clusters must be from 1 to 3, got 4"):
        spectral_clustering(path(3), 3, 4)
    with pytest.raises(InvalidValue, match="target must be a node from 0 to 2, got 3"):
        node_influence(SGC(2, 1), torch.zeros(3, 2), path(3), 0, 3)
