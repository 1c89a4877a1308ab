"""Soft thresholding is the proximal map of the absolute value; its iteration is the lasso."""

from functools import partial

import pytest
import torch
from sklearn.linear_model import Lasso
from torch import nn

from gradatim.errors import GradatimError
from gradatim.optim.proximal_gradient import ProximalGradient, soft_threshold
from gradatim.training import Trainer


def test_soft_threshold_minimizes_its_objective():
    v, a = torch.linspace(-2, 2, 9, dtype=torch.float64), 0.6
    grid = torch.linspace(-3, 3, 60_001, dtype=torch.float64)
    objective = 0.5 * (grid[None] - v[:, None]).square() + a * grid.abs()
    best = grid[objective.argmin(1)]
    torch.testing.assert_close(soft_threshold(v, a), best, atol=1e-4, rtol=0)


def test_through_the_trainer_it_reaches_the_lasso_with_exact_zeros():
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(60, 8, generator=generator, dtype=torch.float64)
    y = 2 * X[:, 0] - X[:, 3] + 0.1 * torch.randn(60, generator=generator, dtype=torch.float64)
    model = nn.Linear(8, 1).double()
    trainer = Trainer(
        model,
        "mse",
        partial(ProximalGradient, l1=0.4),
        lr=0.2,
        epochs=300,
        batch_size=60,
        progress=False,
    )
    trainer.fit((X, y[:, None]))
    lasso = Lasso(alpha=0.2, tol=1e-10).fit(X, y)  # its squared error is halved
    torch.testing.assert_close(
        model.weight.detach()[0], torch.tensor(lasso.coef_), atol=1e-6, rtol=0
    )
    assert model.bias.item() == pytest.approx(lasso.intercept_, abs=1e-6)
    assert (model.weight == 0).sum() == (lasso.coef_ == 0).sum() > 3


def test_biases_are_not_thresholded_and_idle_parameters_stay():
    model, idle = nn.Linear(2, 1), nn.Parameter(torch.ones(2, 2))
    nn.init.constant_(model.weight, 0.1)
    nn.init.constant_(model.bias, 0.1)
    optimizer = ProximalGradient([*model.parameters(), idle], lr=1.0, l1=5.0)
    loss = optimizer.step(lambda: 0.0)  # no gradients yet
    assert loss == 0.0
    model(torch.zeros(1, 2)).sum().mul(0).backward()
    optimizer.step()
    assert model.weight.abs().max() == 0
    assert model.bias.item() == pytest.approx(0.1)
    assert idle.min() == 1


def test_errors():
    with pytest.raises(GradatimError, match="ProximalGradient: l1 must be at least 0, got -1"):
        ProximalGradient([nn.Parameter(torch.zeros(1))], l1=-1)
