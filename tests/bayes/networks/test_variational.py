import pytest
import torch
from torch import nn

from gradatim.bayes import posterior_predictive
from gradatim.bayes.networks.density import build_density
from gradatim.bayes.networks.variational import fit_gaussians
from gradatim.models import LeNet

from .conjugate import NOISE, PRECISION, line, posterior


def test_where_weights_are_independent_it_is_exact():
    """Columns at right angles to each other and to 1: the posterior is a product."""
    X, _ = line(64, 2)
    X = torch.linalg.qr(torch.cat([torch.ones(64, 1).double(), X], 1))[0][:, 1:] * 8
    y = X @ torch.tensor([[1.0], [-2.0]]).double() + 0.3
    density = build_density("a", nn.Linear(2, 1).double(), (X, y), "auto", NOISE, PRECISION)
    mean, std = fit_gaussians(density, steps=1500, lr=0.02, batch_size=64, seed=0)
    exact, covariance = posterior(X, y)
    torch.testing.assert_close(mean, exact[:, 0], atol=0.01, rtol=0)
    torch.testing.assert_close(std, covariance.diagonal().sqrt(), rtol=0.1, atol=0)


def test_draws_are_those_of_the_gaussians():
    X, y = line(40)
    found = posterior_predictive(nn.Linear(2, 1, bias=False).double(), (X, y), X[:2], method="variational", steps=50, num_samples=4000, noise=NOISE)  # fmt: skip
    density = build_density("a", nn.Linear(2, 1, bias=False).double(), (X, y), "auto", NOISE, 1.0)
    assert found.draws.shape == (4000, 2, 1)
    assert len(density.network.present) == 2


def test_other_layers_are_learned_as_points():
    torch.manual_seed(0)
    model, x, y = LeNet(), torch.rand(12, 1, 28, 28), torch.arange(12) % 10
    density = build_density("a", model, (x, y), "auto", 1.0, 1.0)
    mean, std = fit_gaussians(density, steps=3, lr=0.01, batch_size=12, seed=0)
    kernels = sum(p.numel() for m in model.modules() if isinstance(m, nn.Conv2d) for p in m.parameters())  # fmt: skip
    assert int((std == 0).sum()) == kernels
    assert (mean != density.network.present)[std == 0].any()


def test_a_network_without_dense_layers_is_refused():
    model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.Flatten())
    with pytest.raises(ValueError, match="posterior_predictive: model must have dense layers, got none"):  # fmt: skip
        posterior_predictive(model, (torch.zeros(4, 1, 3), torch.tensor([0, 1, 0, 1])), torch.zeros(1, 1, 3), method="variational")  # fmt: skip
