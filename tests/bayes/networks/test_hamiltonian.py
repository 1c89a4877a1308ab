import torch
from torch import nn

from gradatim.bayes import posterior_predictive

from .conjugate import NOISE, PRECISION, line, predicted


def test_of_a_linear_model_it_is_exact():
    X, y = line()
    x = torch.tensor([[0.0, 0.0], [5.0, -3.0]], dtype=torch.float64)
    found = posterior_predictive(
        nn.Linear(2, 1).double(), (X, y), x, method="hmc", noise=NOISE, precision=PRECISION, chains=16, num_samples=4800,
        warmup=200,
    )  # fmt: skip
    mean, std = predicted(X, y, x)
    assert found.verdict.startswith("To be trusted")
    assert ((found.mean - mean).abs() < 4 * std / 400**0.5).all()
    torch.testing.assert_close(found.std, std, rtol=0.1, atol=0)
    assert found.draws.shape == (4800, 2, 1)
