import pytest
import torch
from torch import nn

from gradatim.bayes import posterior_predictive
from gradatim.bayes.networks.ensemble import start_anew
from gradatim.models import MLP
from gradatim.randomness import seeded

from .conjugate import NOISE, PRECISION, line, posterior


def test_members_of_a_linear_model_meet_at_the_mode():
    """Without a bias, which has no weight decay, the mode is that of ridge regression."""
    X, y = line()
    y = y - 0.5
    found = posterior_predictive(nn.Linear(2, 1, bias=False).double(), (X, y), torch.eye(2).double(), method="ensemble", num_samples=3, steps=1500, lr=0.05, noise=NOISE, precision=PRECISION)  # fmt: skip
    exact = torch.linalg.solve(X.T @ X + NOISE * PRECISION * torch.eye(2).double(), X.T @ y)
    torch.testing.assert_close(found.mean, exact, atol=1e-4, rtol=1e-4)
    assert found.std.max() < 1e-3
    assert posterior(X, y)[0].shape == (3, 1)


def test_members_of_a_network_differ():
    X, y = torch.randn(40, 2), torch.arange(40) % 2
    found = posterior_predictive(MLP((2, 8, 2)), (X, y), X[:5], method="ensemble", num_samples=3, steps=20)  # fmt: skip
    assert found.draws.shape == (3, 5, 2)
    assert found.std.min() > 0
    torch.testing.assert_close(found.draws.sum(2), torch.ones(3, 5))


@pytest.mark.parametrize("model", [MLP((3, 4, 2)), nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))])
def test_a_start_is_new_and_frozen_weights_stay(model):
    model[0].requires_grad_(False)
    with seeded(1):
        first, second = start_anew(model), start_anew(model)
    assert torch.equal(first[0].weight, model[0].weight)
    assert not first[0].weight.requires_grad
    assert not torch.equal(first[-1].weight, model[-1].weight)
    assert not torch.equal(first[-1].weight, second[-1].weight)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.w * x


def test_what_cannot_be_an_ensemble():
    X = torch.randn(10, 1)
    with pytest.raises(ValueError, match=r"must be one that can be started anew .* got Scale"):
        posterior_predictive(Scale(), (X, X), X, method="ensemble")
    with pytest.raises(ValueError, match="lr must keep the losses finite"):
        posterior_predictive(nn.Linear(1, 1), (1e30 * X, 1e30 * X), X, method="ensemble", lr=1e30)
