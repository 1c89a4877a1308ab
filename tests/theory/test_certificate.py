import math

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

from gradatim.data import load
from gradatim.errors import InvalidValue
from gradatim.models import MLP, LeNet
from gradatim.theory import pac_bayes_certificate
from gradatim.theory.certificate import bounded_cross_entropy
from gradatim.theory.stochastic_dense import StochasticDense, make_stochastic, total_kl


def digits():
    data = load("digits")
    X, y = torch.as_tensor(data.X).float() / 16, torch.as_tensor(data.y)
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))
    return (X[order[:1400]], y[order[:1400]]), (X[order[1400:]], y[order[1400:]])


def test_rows_see_networks_of_their_own_with_the_moments_of_drawn_weights():
    """Many rows of one input, against explicit draws of the weights."""
    layer = StochasticDense(nn.Linear(3, 2), 0.5)
    with torch.no_grad():
        layer.weight_log_std.normal_(-1, 0.3)
        layer.bias_log_std.normal_(-1, 0.3)
        h = torch.tensor([0.5, -2.0, 1.0])
        found = layer(h.expand(40_000, 3))
        weights = Normal(layer.weight, layer.weight_log_std.exp()).sample((40_000,))
        biases = Normal(layer.bias, layer.bias_log_std.exp()).sample((40_000,))
        drawn = weights @ h + biases
    torch.testing.assert_close(found.mean(0), drawn.mean(0), atol=0.04, rtol=0)
    torch.testing.assert_close(found.T.cov(), drawn.T.cov(), atol=0.08, rtol=0.05)


def test_the_divergence_is_that_of_all_weights():
    model = make_stochastic(MLP((3, 4, 2)), 0.2)
    assert total_kl(model).item() == pytest.approx(0.0, abs=1e-6)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1)
    expected = 0.0
    for layer in (model[0], model[2]):
        for name in ("weight", "bias"):
            own = Normal(getattr(layer, name), getattr(layer, f"{name}_log_std").exp())
            prior = Normal(getattr(layer, f"prior_{name}"), torch.tensor(0.2))
            expected += kl_divergence(own, prior).sum().item()
    assert total_kl(model).item() == pytest.approx(expected, rel=1e-5)


def test_only_dense_layers_become_random():
    model = LeNet()
    copy = make_stochastic(model, 0.1)
    assert sum(isinstance(m, StochasticDense) for m in copy.modules()) == 3
    names = {name for name, p in copy.named_parameters() if p.requires_grad}
    assert all(name.endswith(("weight", "bias", "_log_std")) for name in names)
    assert not any(isinstance(copy.get_submodule(name.rpartition(".")[0]), nn.Conv2d) for name in names)  # fmt: skip
    assert not any(isinstance(m, StochasticDense) for m in model.modules())


def test_the_loss_lies_between_0_and_1():
    logits = torch.tensor([[100.0, 0.0], [0.0, 100.0]])
    assert bounded_cross_entropy(logits, torch.tensor([0, 1])).item() == pytest.approx(0.0, abs=1e-6)  # fmt: skip
    assert bounded_cross_entropy(logits, torch.tensor([1, 0])).item() == pytest.approx(1.0)
    even = bounded_cross_entropy(torch.zeros(1, 10), torch.tensor([3])).item()
    assert even == pytest.approx(math.log(10) / math.log(1e5))


@pytest.mark.parametrize("prior", ["random", "learned"])
def test_the_bound_lies_above_the_error_and_counts_the_rows_of_its_own(prior):
    train, test = digits()
    settings = {"prior": prior, "test": test, "prior_std": 0.1, "lr": 0.01, "batch_size": 50}
    found = pac_bayes_certificate(MLP((64, 50, 10)), train, epochs=8, **settings)
    assert found.n == (1400 if prior == "random" else 700)
    assert found.risk < found.bound
    assert found.test_error < found.bound
    # a learned prior says something of 700 rows; a random one needs many more
    assert (found.bound < 0.25) == (prior == "learned")
    assert pac_bayes_certificate(MLP((64, 50, 10)), train, epochs=8, tried=1000, **settings).bound > found.bound  # fmt: skip


def test_random_labels_get_none():
    (X, y), _ = digits()
    shuffled = y[torch.randperm(len(y), generator=torch.Generator().manual_seed(1))]
    found = pac_bayes_certificate(
        MLP((64, 50, 10)), (X, shuffled), prior_std=0.1, lr=0.01, epochs=5
    )
    assert found.bound > 0.85
    assert math.isnan(found.test_error)


def test_the_same_seed_gives_the_same_bound_and_leaves_the_model_alone():
    train, _ = digits()
    model = MLP((64, 10, 10))
    before = [p.clone() for p in model.parameters()]
    state = torch.get_rng_state()
    first, second = (pac_bayes_certificate(model, train, epochs=1) for _ in range(2))
    assert first[:5] == second[:5]
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), before, strict=True))
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prior": "none"}, "prior must be one of"),
        ({"delta": 0.0}, r"delta must be in \(0, 1\), got 0.0"),
        ({"prior_std": 0.0}, "prior_std must be positive and finite, got 0.0. Try 0.05"),
        ({"epochs": 0}, "epochs must be a whole number from 1"),
        ({"model": nn.Conv2d(1, 1, 1)}, "model must have dense layers, got none"),
    ],
)
def test_what_is_refused(change, words):
    given = {"model": MLP((64, 10)), "train": digits()[0], **change}
    with pytest.raises(InvalidValue, match=f"^pac_bayes_certificate: {words}"):
        pac_bayes_certificate(**given)
