import math

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

from gradatim.data import load
from gradatim.errors import InvalidValue
from gradatim.models import MLP, LeNet
from gradatim.theory import pac_bayes_certificate
from gradatim.theory.certificate import root_loss
from gradatim.theory.stochastic_dense import StochasticDense, make_stochastic, total_kl


def digits():
    data = load("digits")
    X, y = torch.as_tensor(data.X).float(), torch.as_tensor(data.y)
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))
    return (X[order[:1400]], y[order[:1400]]), (X[order[1400:]], y[order[1400:]])


def random_layer(prior_std):
    layer = StochasticDense(nn.Linear(3, 2), prior_std)
    with torch.no_grad():
        for name, p in layer.named_parameters():
            p.normal_(-0.5 if "log" in name else 0.2, 0.3)
    return layer


def laws(layer):
    """Distributions of weights and biases, from the layer's definition."""
    for name in ("weight", "bias"):
        start, shift = getattr(layer, f"prior_{name}"), getattr(layer, f"{name}_shift")
        std = layer.prior_std * getattr(layer, f"{name}_log_scale").exp()
        yield Normal(start + layer.prior_std * shift, std), Normal(start, layer.prior_std)


def test_rows_see_networks_of_their_own_with_the_moments_of_drawn_weights():
    """Many rows of one input, against explicit draws of the weights."""
    layer = random_layer(0.5)
    with torch.no_grad():
        h = torch.tensor([0.5, -2.0, 1.0])
        found = layer(h.expand(40_000, 3))
        weights, biases = (own.sample((40_000,)) for own, _ in laws(layer))
        drawn = weights @ h + biases
    torch.testing.assert_close(found.mean(0), drawn.mean(0), atol=0.04, rtol=0)
    torch.testing.assert_close(found.T.cov(), drawn.T.cov(), atol=0.08, rtol=0.05)


def test_prior_and_start_may_lie_elsewhere_and_a_layer_without_bias_stays_without():
    source = nn.Linear(3, 2, bias=False)
    layer = make_stochastic(source, 0.5, prior_mean=0.0, start_std=0.1)
    assert sorted(dict(layer.named_parameters())) == ["weight_log_scale", "weight_shift"]
    torch.testing.assert_close(layer.moments("weight")[0], source.weight)
    own = Normal(source.weight.detach(), 0.1)
    expected = kl_divergence(own, Normal(torch.zeros(2, 3), 0.5)).sum()
    torch.testing.assert_close(layer.kl().detach(), expected)
    h = torch.tensor([1.0, 2.0, -1.0]).expand(20_000, 3)
    assert layer(h).std(0).detach().numpy() == pytest.approx(0.1 * 6**0.5, rel=0.03)


def test_the_divergence_is_that_of_all_weights():
    model = make_stochastic(MLP((3, 4, 2)), 0.2)
    assert total_kl(model).item() == pytest.approx(0.0, abs=1e-6)
    model = nn.Sequential(random_layer(0.2), nn.ReLU(), random_layer(3.0))
    expected = sum(kl_divergence(*pair).sum().item() for k in (0, 2) for pair in laws(model[k]))
    assert total_kl(model).item() == pytest.approx(expected, rel=1e-5)


def test_only_dense_layers_become_random():
    model = LeNet()
    copy = make_stochastic(model, 0.1)
    assert sum(isinstance(m, StochasticDense) for m in copy.modules()) == 3
    names = {name for name, p in copy.named_parameters() if p.requires_grad}
    assert all(name.endswith(("_shift", "_log_scale")) for name in names)
    assert not any(isinstance(copy.get_submodule(name.rpartition(".")[0]), nn.Conv2d) for name in names)  # fmt: skip
    assert not any(isinstance(m, StochasticDense) for m in model.modules())


def test_the_loss_lies_between_cross_entropy_and_the_chance_of_a_mistake():
    logits, y = torch.randn(500, 4) * 3, torch.randint(4, (500,))
    p = logits.softmax(1)[torch.arange(500), y]
    losses = torch.stack([root_loss(z[None], t[None]) for z, t in zip(logits, y, strict=True)])
    torch.testing.assert_close(losses, 2 - 2 * p.sqrt())
    assert (losses >= 1 - p - 1e-6).all()
    assert (losses <= -p.log() + 1e-6).all()


def test_normalization_keeps_the_statistics_of_the_prior():
    """They would be learned from the judged rows, and cost nothing."""
    train, _ = digits()
    model = nn.Sequential(nn.Linear(64, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 10))
    found = pac_bayes_certificate(model, train, epochs=1)
    assert torch.equal(found.model[1].running_mean, model[1].running_mean)


def test_only_the_learned_prior_sees_distorted_rows():
    (X, y), _ = digits()
    seen = []

    def augment(x):
        seen.append(len(x))
        return x

    pac_bayes_certificate(MLP((64, 10)), (X, y), prior="learned", prior_epochs=2, epochs=1, augment=augment)  # fmt: skip
    assert sum(seen) == 2 * 700


@pytest.mark.parametrize("prior", ["random", "learned"])
def test_the_bound_lies_above_the_error_and_counts_the_rows_of_its_own(prior):
    train, test = digits()
    settings = {"prior": prior, "test": test, "batch_size": 50}
    found = pac_bayes_certificate(MLP((64, 30, 10)), train, **settings)
    assert found.n == (1400 if prior == "random" else 700)
    assert found.risk < found.bound
    assert found.test_error < found.bound
    # a learned prior says something of 700 rows; a random one needs many more
    assert (found.bound < 0.25) == (prior == "learned")
    assert pac_bayes_certificate(MLP((64, 30, 10)), train, tried=1000, **settings).bound > found.bound  # fmt: skip


def test_random_labels_get_none():
    (X, y), _ = digits()
    shuffled = y[torch.randperm(len(y), generator=torch.Generator().manual_seed(1))]
    found = pac_bayes_certificate(MLP((64, 30, 10)), (X, shuffled), epochs=5)
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
        (
            {"prior_std": 0.0},
            "prior_std must be positive and finite, got 0.0. Try 0.5 for a random prior",
        ),
        ({"epochs": 0}, "epochs must be a whole number from 1"),
        ({"model": nn.Conv2d(1, 1, 1)}, "model must have dense layers, got none"),
    ],
)
def test_what_is_refused(change, words):
    given = {"model": MLP((64, 10)), "train": digits()[0], **change}
    with pytest.raises(InvalidValue, match=f"^pac_bayes_certificate: {words}"):
        pac_bayes_certificate(**given)
