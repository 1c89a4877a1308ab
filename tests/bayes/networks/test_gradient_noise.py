import pytest
import torch
from torch import nn

from gradatim.bayes import posterior_predictive

from .conjugate import NOISE, PRECISION, line, predicted


@pytest.mark.parametrize(("method", "batch_size"), [("sgld", 400), ("sghmc", 400), ("sghmc", 200)])
def test_of_a_linear_model_it_is_nearly_exact(method, batch_size):
    X, y = line(400)
    x = torch.tensor([[0.0, 0.0], [5.0, -3.0]], dtype=torch.float64)
    found = posterior_predictive(
        nn.Linear(2, 1).double(), (X, y), x, method=method, noise=NOISE, precision=PRECISION, chains=50, num_samples=2500,
        steps=500, batch_size=batch_size,
    )  # fmt: skip
    mean, std = predicted(X, y, x)
    assert ((found.mean - mean).abs() < 0.3 * std).all()
    high = 1.15 if batch_size == 400 else 1.6  # batches have a noise of their own
    assert ((0.85 * std < found.std) & (found.std < high * std)).all()
    assert found.draws.shape == (2500, 2, 1)
    assert found.verdict


def test_a_step_that_is_too_long_is_said():
    X, y = line()
    with pytest.raises(ValueError, match=r"lr must keep the chains among the numbers, got 1000.*Try 100"):  # fmt: skip
        posterior_predictive(nn.Linear(2, 1).double(), (X, y), X, method="sgld", lr=1000.0)
    with pytest.raises(ValueError, match="steps must be at least twice the samples of a chain"):
        posterior_predictive(nn.Linear(2, 1).double(), (X, y), X, method="sghmc", steps=50)
