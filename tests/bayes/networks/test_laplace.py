import pytest
import torch
from torch import nn

from gradatim.bayes import posterior_predictive
from gradatim.bayes.networks.density import build_density
from gradatim.bayes.networks.laplace import encode, find_head, find_mode, spread
from gradatim.models import MLP

from .conjugate import NOISE, PRECISION, line, predicted

SETTINGS = {"noise": NOISE, "precision": PRECISION}


@pytest.mark.parametrize("outputs", [1, 3])
def test_of_a_linear_model_it_is_exact(outputs):
    X, y = line(outputs=outputs)
    x = torch.tensor([[0.0, 0.0], [5.0, -3.0]], dtype=torch.float64)
    found = posterior_predictive(nn.Linear(2, outputs).double(), (X, y), x, **SETTINGS)
    mean, std = predicted(X, y, x)
    torch.testing.assert_close(found.mean, mean, atol=1e-8, rtol=1e-8)
    torch.testing.assert_close(found.std, std.expand(2, outputs), atol=1e-8, rtol=1e-8)


def test_draws_have_the_moments():
    X, y = line(outputs=2)
    found = posterior_predictive(nn.Linear(2, 2).double(), (X, y), X[:3], num_samples=20_000, **SETTINGS)  # fmt: skip
    error = 4 * found.std / 20_000**0.5
    assert ((found.draws.mean(0) - found.mean).abs() < error).all()
    torch.testing.assert_close(found.draws.std(0), found.std, rtol=0.03, atol=0)


def classes():
    g = torch.Generator().manual_seed(0)
    X = torch.randn(40, 3, generator=g, dtype=torch.float64)
    y = (X @ torch.randn(3, 3, generator=g, dtype=torch.float64)).argmax(1)
    return build_density("a", nn.Linear(3, 3).double(), (X, y), "auto", 1.0, 0.5)


def hessian(density, features, mode):
    """The curvature of the negative log-posterior in the flat last layer, by differentiating twice."""

    def loss(flat):
        own = (features @ flat.view_as(mode).T)[None]
        return 0.25 * flat.square().sum() - density.likelihood.log_density(own, density.y)[0]

    return torch.autograd.functional.hessian(loss, mode.flatten())


def test_the_mode_of_classes_has_no_slope_and_its_diagonal_is_that_of_the_hessian():
    density = classes()
    features = encode(density.network.model, find_head(density.network.model, density.X), density.X)
    assert features.shape == (40, 4)
    mode = find_mode(features, density.y, density.likelihood, 0.5, 3).requires_grad_()
    loss = 0.25 * mode.square().sum() - density.likelihood.log_density((features @ mode.T)[None], density.y)[0]  # fmt: skip
    (slope,) = torch.autograd.grad(loss, mode)
    assert slope.abs().max() < 1e-4
    _, _, scale = spread(features, mode.detach(), density, "diagonal")
    exact = hessian(density, features, mode.detach()).diagonal()
    torch.testing.assert_close(scale.flatten() ** -2, exact)


def test_factors_are_those_of_a_kronecker_product():
    """Explicitly: mean of diag(p) − ppᵀ, times the sum of squares, as one matrix; equal rows make it the Hessian itself."""
    density = classes()
    for features in (torch.randn(40, 4).double(), torch.randn(1, 4).double().expand(40, 4)):
        mode = torch.randn(3, 4, dtype=torch.float64)
        left, right, scale = spread(features, mode, density, "factored")
        basis = torch.kron(left, right)
        found = basis @ torch.diag(scale.flatten() ** 2) @ basis.T
        p = (features @ mode.T).softmax(1)
        mean = sum(torch.diag(row) - torch.outer(row, row) for row in p) / 40
        own = torch.kron(mean, features.T @ features) + 0.5 * torch.eye(12).double()
        torch.testing.assert_close(found, torch.linalg.inv(own))
    torch.testing.assert_close(torch.linalg.inv(found), hessian(density, features, mode))


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(2, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def test_any_encoder_will_do():
    x, y = torch.randn(30, 6, 2), torch.arange(30) % 3
    found = posterior_predictive(Reader(), (x, y), x[:4])
    assert found.draws.shape == (100, 4, 3)
    torch.testing.assert_close(found.mean.sum(1), torch.ones(4))


def test_nothing_is_as_large_as_all_weights_squared():
    """Twenty thousand weights of the last layer: their covariance would take 3 GB."""
    x, y = torch.randn(200, 5), torch.arange(200) % 50
    found = posterior_predictive(MLP((5, 400, 50)), (x, y), x[:3], num_samples=10)
    assert found.mean.shape == (3, 50)


def test_what_has_no_last_layer_is_refused():
    x, y = torch.randn(10, 3), torch.arange(10) % 2
    for model in (nn.Sequential(nn.Linear(3, 2), nn.Tanh()), nn.Sequential(nn.Unflatten(1, (3, 1)), nn.Conv1d(3, 2, 1), nn.Flatten())):  # fmt: skip
        with pytest.raises(ValueError, match="must end in a dense layer for method='laplace'"):
            posterior_predictive(model, (x, y), x)
    with pytest.raises(
        ValueError, match="covariance must be one of diagonal, factored, got 'diag'"
    ):
        posterior_predictive(nn.Linear(3, 2), (x, y), x, covariance="diag")
