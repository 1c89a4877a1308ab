import pytest
import torch

from gradatim.bayes import posterior_predictive
from gradatim.models import MLP
from gradatim.nn import mc_predict


def test_it_is_monte_carlo_dropout():
    x, y = torch.randn(20, 3), torch.arange(20) % 2
    model = MLP((3, 16, 2), dropout=0.3)
    found = posterior_predictive(model, (x, y), x[:5], method="mc-dropout", num_samples=50, seed=3)
    expected = mc_predict(model, x[:5], num_samples=50, seed=3, transform=lambda z: z.softmax(-1))
    torch.testing.assert_close(found.mean.double(), expected.mean, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(found.std.double(), expected.spread, atol=1e-6, rtol=1e-4)


def test_a_model_without_dropout_is_refused():
    x, y = torch.randn(20, 3), torch.arange(20) % 2
    with pytest.raises(ValueError, match="posterior_predictive: model must have a dropout layer, got none"):  # fmt: skip
        posterior_predictive(MLP((3, 4, 2)), (x, y), x, method="mc-dropout")
