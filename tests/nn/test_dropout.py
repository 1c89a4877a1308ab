"""Dropout: the worked example, expectations, and names that cannot be mistaken."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.nn.dropout import StandardDropout, drop, dropout_mask, inverted_dropout
from gradatim.randomness import seeded

H = torch.tensor([0.4, 0.7, 0.3, 0.1, 0.9])
MASK = torch.tensor([1.0, 0.0, 1.0, 0.0, 1.0])


def test_worked_example(monkeypatch):
    """h = [.4 .7 .3 .1 .9], p = 0.6 to keep, m = [1 0 1 0 1]."""
    layer = StandardDropout(keep=0.6)
    monkeypatch.setattr(torch.Tensor, "bernoulli", lambda self: MASK.expand_as(self))
    torch.testing.assert_close(layer(H), torch.tensor([0.4, 0.0, 0.3, 0.0, 0.9]))
    layer.eval()
    torch.testing.assert_close(layer(H), torch.tensor([0.24, 0.42, 0.18, 0.06, 0.54]))


def test_inverted_form_of_the_worked_example():
    layer = inverted_dropout(keep=0.6)
    assert layer.p == pytest.approx(0.4)
    generator_state = torch.random.get_rng_state()
    out = layer(H.repeat(2000, 1))
    torch.random.set_rng_state(generator_state)
    kept = torch.tensor([0.6667, 1.1667, 0.5, 0.1667, 1.5])
    assert torch.all((out == 0) | ((out - kept).abs() < 1e-4))
    torch.testing.assert_close(layer.eval()(H), H)


def test_expectation_in_training_is_the_test_pass():
    layer = StandardDropout(drop=0.4)
    with seeded(0):
        mean = layer(H.expand(40_000, -1)).mean(0)
    torch.testing.assert_close(mean, layer.eval()(H), atol=0.01, rtol=0)


def test_scaled_pass_is_the_ensemble_for_a_linear_map_only():
    """All 2^5 thinned networks, weighted by their probability."""
    p = 0.6
    masks = torch.cartesian_prod(*[torch.tensor([0.0, 1.0], dtype=torch.float64)] * 5)
    weight = (p**masks * (1 - p) ** (1 - masks)).prod(1)
    w = torch.tensor([1.0, -2.0, 0.5, 3.0, 1.5], dtype=torch.float64)
    z = (masks * H.double()) @ w
    scaled = (p * H.double()) @ w
    torch.testing.assert_close((weight * z).sum(), scaled)
    assert abs((weight * z.tanh()).sum() - scaled.tanh()).item() > 0.05


def test_the_mask_follows_its_generator():
    a, b = (
        dropout_mask((500, 100), keep=0.3, generator=torch.Generator().manual_seed(5))
        for _ in range(2)
    )
    assert torch.equal(a, b)
    assert a.mean().item() == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("build", [StandardDropout, inverted_dropout])
def test_errors(build):
    with pytest.raises(GradatimError, match="exactly one of keep and drop must be given"):
        build()
    with pytest.raises(GradatimError, match=r"got keep=0\.5, drop=0\.5"):
        build(keep=0.5, drop=0.5)
    with pytest.raises(GradatimError, match=r"keep must be in \(0, 1\], got 0.0"):
        build(keep=0.0)
    with pytest.raises(GradatimError, match=r"drop must be in \[0, 1\), got 1.0"):
        build(drop=1.0)


def test_repr_says_keep():
    assert repr(nn.Sequential(StandardDropout(drop=0.25))).count("keep=0.75") == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_entries_are_dropped_as_often_as_said_and_the_others_scaled(dtype):
    x = torch.full((200, 500), 3.0, dtype=dtype)
    with seeded(0):
        y = drop(x, 0.4)
    assert y.dtype == dtype
    torch.testing.assert_close(y[y != 0], torch.full_like(y[y != 0], 5.0))
    assert abs(float((y == 0).double().mean()) - 0.4) < 0.01  # six deviations are 0.009
    assert drop(x, 0.4, is_training=False) is x


def test_the_gradient_is_dropped_where_the_entry_was():
    x = torch.ones(50, requires_grad=True)
    y = drop(x, 0.5)
    (found,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(found, y.detach())
