import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import VAE, BoundObjective, elbo, importance_weighted_bound
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.training import Checkpoint, Trainer

from .linear_gaussian import evidence, linear_gaussian

BITS = torch.randint(2, (64, 6), generator=torch.Generator().manual_seed(0)).float()


def small(**arguments):
    with seeded(0):
        classes = arguments.get("num_classes") or 0
        return VAE(MLP((6, 8, 4)), MLP((2 + classes, 8, 6)), 2, **arguments)


def loss_of(objective, model, batch):
    with seeded(3):
        return float(objective(model, batch)["loss"].detach())


@pytest.mark.parametrize(("beta", "free_bits"), [(1.0, 0.0), (4.0, 0.0), (0.5, 0.3)])
def test_the_loss_is_the_weighted_bound_and_evaluated_the_bound_itself(beta, free_bits):
    vae = small(beta=beta, free_bits=free_bits)
    with seeded(3), torch.no_grad():
        parts = elbo(vae, BITS)
    paid = sum(max(free_bits, float(kl)) for kl in parts.kl.mean(0))
    expected = beta * paid - float(parts.log_likelihood.mean())
    assert loss_of(BoundObjective(), vae.train(), (BITS, BITS)) == pytest.approx(expected, rel=1e-5)
    evaluated = loss_of(BoundObjective(), vae.eval(), (BITS, BITS))
    assert evaluated == pytest.approx(-float(parts.bound.mean()), rel=1e-5)


def test_with_samples_it_is_the_importance_weighted_bound():
    vae = small()
    with seeded(3):
        expected = -importance_weighted_bound(vae, BITS, 5).mean()
    assert loss_of(BoundObjective(5), vae, (BITS, BITS)) == pytest.approx(float(expected.detach()))


@pytest.mark.parametrize("samples", [1, 4])
def test_training_comes_near_the_likelihood_of_a_linear_model(samples):
    """The best linear-Gaussian model of Gaussian data has the likelihood of their best factor model."""
    source, vae = linear_gaussian(variance=0.05), linear_gaussian(width=5, latent=2, variance=1.0)
    X = source.sample(512, generator=torch.Generator().manual_seed(2)).double()
    with torch.no_grad():
        truth, start = evidence(source).log_prob(X).mean(), evidence(vae).log_prob(X).mean()
    trainer = Trainer(vae, objective=BoundObjective(samples), lr=0.05, epochs=30, batch_size=64, schedule="cosine", progress=False)  # fmt: skip
    trainer.fit((X, X))
    with torch.no_grad():
        end = evidence(vae).log_prob(X).mean()
    assert end > truth - 0.1 > start
    assert float(vae.likelihood.log_variance.detach().exp()) == pytest.approx(0.05, rel=0.4)


def test_each_class_has_data_of_its_own():
    label = torch.arange(64) % 2
    X = torch.stack([label.float(), 1.0 - label.float()], 1)
    vae = VAE(MLP((2, 8, 2)), MLP((3, 8, 2)), 1, num_classes=2)
    Trainer(vae, objective=BoundObjective(), lr=0.05, epochs=30, batch_size=32, progress=False).fit((X, label))  # fmt: skip
    drawn = vae.sample(50, label=1, is_mean=True)
    assert drawn[:, 0].min() > 0.8
    assert drawn[:, 1].max() < 0.2


def test_training_batches_are_drawn_anew_and_others_are_not():
    seen = []

    def augment(x):
        seen.append(torch.bernoulli(x))
        return seen[-1]

    X = torch.full((8, 6), 0.5)
    trainer = Trainer(small(), objective=BoundObjective(augment=augment), epochs=2, progress=False)
    trainer.fit((X, X), validation=(X, X))
    assert len(seen) == 2
    assert not torch.equal(*seen)


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path):
    def trainer(epochs):
        callbacks = [Checkpoint(tmp_path / "run.safetensors")]
        objective = BoundObjective(augment=torch.bernoulli)
        return Trainer(small(), objective=objective, epochs=epochs, batch_size=16, callbacks=callbacks, progress=False)  # fmt: skip

    X = 0.25 + 0.5 * BITS
    whole = trainer(4)
    whole.fit((X, X))
    trainer(2).fit((X, X))
    second = trainer(4)
    second.resume(tmp_path / "run.safetensors")
    second.fit((X, X))
    for a, b in zip(whole.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_errors():
    with pytest.raises(InvalidValue, match="BoundObjective: samples must be a whole number from 1, got 0"):  # fmt: skip
        BoundObjective(0)
    with pytest.raises(InvalidValue, match="samples must be 1 for a model with beta or free_bits, got 5"):  # fmt: skip
        BoundObjective(5)(small(beta=2.0), (BITS, BITS))
    with pytest.raises(InvalidType, match="BoundObjective: model must be a VAE, got Linear"):
        BoundObjective()(nn.Linear(2, 2), (BITS, BITS))
