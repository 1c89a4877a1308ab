"""Monte Carlo dropout against the exact ensemble; it leaves no trace."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.nn.dropout import StandardDropout
from gradatim.nn.mc_dropout import mc_predict


def linear_net(layer):
    model = nn.Sequential(layer, nn.Linear(4, 1, bias=False))
    model[1].weight.data = torch.tensor([[1.0, -2.0, 0.5, 3.0]])
    return model


@pytest.mark.parametrize(
    ("layer", "scale"), [(nn.Dropout(0.4), 0.6), (StandardDropout(keep=0.6), 1.0)]
)
def test_mean_and_spread_of_a_linear_map(layer, scale):
    """Var = (1 − p) p Σ (w_j x_j / scale)²."""
    model, x = linear_net(layer).eval(), torch.tensor([[1.0, 1.0, 2.0, 0.5], [0.0, 1.0, 0.0, 0.0]])
    mean, spread = mc_predict(model, x, num_samples=20_000)
    torch.testing.assert_close(mean, model(x).detach().double(), atol=0.06, rtol=0)
    terms = (model[1].weight.detach() * x / scale).double()
    expected = (0.6 * 0.4 * terms.square().sum(1, keepdim=True)).sqrt()
    torch.testing.assert_close(spread, expected, rtol=0.02, atol=0)


def test_nothing_is_changed():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    model.train()
    model[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.random.get_rng_state()
    mc_predict(model, torch.randn(6, 3, generator=torch.Generator().manual_seed(0)))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert [m.training for m in model] == [False, True, True, True]
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_batch_norm_stays_in_test_mode():
    """A sample's prediction does not depend on its batch mates."""
    model = nn.Sequential(nn.BatchNorm1d(2, affine=False), nn.Dropout(0.0))
    x = torch.tensor([[100.0, 1.0], [3.0, 5.0]])
    mean, spread = mc_predict(model, x, num_samples=3)
    torch.testing.assert_close(mean, x.double(), rtol=1e-4, atol=0)
    assert spread.max() == 0


def test_seed_fixes_the_masks_and_transform_comes_before_the_mean():
    model, x = linear_net(nn.Dropout(0.5)), torch.ones(3, 4)
    first, again, other = (mc_predict(model, x, num_samples=50, seed=s).mean for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    inside = mc_predict(model, x, num_samples=5000, transform=torch.sigmoid).mean
    assert (inside - mc_predict(model, x, num_samples=5000).mean.sigmoid()).abs().max() > 0.02


def test_many_small_passes_equal_a_large_one(monkeypatch):
    model, x = linear_net(nn.Dropout(0.5)), torch.ones(8, 4)
    together = mc_predict(model, x, num_samples=20)
    monkeypatch.setattr("gradatim.nn.mc_dropout._ROWS", 8)
    one_by_one = mc_predict(model, x, num_samples=20)
    torch.testing.assert_close(together.mean, one_by_one.mean)
    torch.testing.assert_close(together.spread, one_by_one.spread)


def test_errors():
    with pytest.raises(GradatimError, match="num_samples must be at least 2, got 1"):
        mc_predict(linear_net(nn.Dropout(0.5)), torch.ones(1, 4), num_samples=1)
    with pytest.raises(GradatimError, match="model must have a dropout layer, got none"):
        mc_predict(nn.Linear(4, 1), torch.ones(1, 4))
