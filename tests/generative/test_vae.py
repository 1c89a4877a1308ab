import json

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import MODELS, VAE, elbo
from gradatim.models import MLP, ImageDecoder, ImageEncoder, describe, rebuild
from gradatim.models.restoring import restore


def small(**arguments):
    classes = arguments.get("num_classes") or 0
    return VAE(MLP((6, 8, 4)), MLP((2 + classes, 8, 6)), 2, **arguments)


def test_codes_and_decoded_have_their_shapes():
    vae = small()
    mean, log_variance = vae.encode(torch.rand(5, 6))
    assert mean.shape == log_variance.shape == (5, 2)
    assert vae.decode(torch.randn(7, 5, 2)).shape == (7, 5, 6)
    torch.testing.assert_close(
        torch.cat(vae.encode(torch.ones(1, 6)), 1), vae.encoder(torch.ones(1, 6))
    )


def test_in_training_codes_are_drawn_and_afterwards_they_are_the_mean():
    vae, x = small(), torch.rand(5, 6)
    assert not torch.equal(vae.train()(x), vae(x))
    assert torch.equal(vae.eval()(x), vae(x))
    torch.testing.assert_close(vae(x), vae.decode(vae.encode(x).mean).sigmoid())


def test_samples_are_of_the_prior():
    vae = VAE(nn.Linear(2, 4), nn.Identity(), 2, likelihood="gaussian")
    vae.likelihood.log_variance.data.fill_(-50.0)
    drawn = vae.sample(20_000, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(drawn.T.cov(), torch.eye(2), atol=0.05, rtol=0)
    means = small().sample(3, is_mean=True)
    assert ((means > 0) & (means < 1)).all()


def test_sampling_leaves_the_mode_as_it_was():
    vae = small().train()
    vae.sample(1)
    assert vae.training


def test_classes_shift_the_code_and_stand_behind_it():
    vae, x = small(num_classes=3), torch.rand(2, 6)
    vae.shift.weight.data[1] = 5.0
    first, second = vae.encode(x, torch.tensor([0, 1]))
    bare = vae.encoder(x)
    torch.testing.assert_close(first, torch.stack([bare[0, :2], bare[1, :2] + 5]))
    torch.testing.assert_close(second, torch.stack([bare[0, 2:], bare[1, 2:] + 5]))
    z = torch.randn(2, 2)
    ones = torch.tensor([[1.0, 0, 0], [0, 0, 1]])
    torch.testing.assert_close(
        vae.decode(z, torch.tensor([0, 2])), vae.decoder(torch.cat([z, ones], 1))
    )
    assert vae.sample(4, label=2).shape == (4, 6)
    assert vae.sample(2, label=torch.tensor([0, 1])).shape == (2, 6)


@pytest.mark.parametrize("likelihood", ["bernoulli", "gaussian"])
def test_it_is_rebuilt_from_a_description(likelihood):
    vae = small(likelihood=likelihood, beta=0.5, free_bits=0.1, num_classes=3).eval()
    description = json.loads(json.dumps(describe(vae, beside=MODELS)))
    assert description["arguments"]["likelihood"] == likelihood
    again = restore("load", description, vae.state_dict(), beside=MODELS).eval()
    label = torch.tensor([0, 2])
    assert torch.equal(again(torch.ones(2, 6), label), vae(torch.ones(2, 6), label))
    assert (again.beta, again.free_bits) == (0.5, 0.1)
    with pytest.raises(InvalidValue, match="rebuild: name must be one of"):
        rebuild(description)
    with pytest.raises(InvalidType, match="describe: model must be one of Gradatim's own"):
        describe(vae)


def test_the_bound_knows_the_class():
    vae = small(num_classes=3)
    assert elbo(vae, torch.rand(2, 6), label=torch.tensor([0, 1])).bound.shape == (2,)


def test_the_encoder_says_how_many_entries_a_code_has():
    assert VAE(MLP((6, 8, 2 * 3)), MLP((3, 8, 6)), likelihood="gaussian", beta=2.0).latent_dim == 3
    made = VAE(ImageEncoder(8, 2 * 5, widths=(4,)), ImageDecoder(5, 8, widths=(4,))).sample(2)
    assert made.shape == (2, 1, 8, 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: small(beta=-1.0), "VAE: beta must be at least 0, got -1.0"),
        (lambda: small(free_bits=-1.0), "VAE: free_bits must be at least 0, got -1.0"),
        (lambda: VAE(nn.Identity(), nn.Identity(), 0), "VAE: latent_dim must be a whole number from 1, got 0"),
        (lambda: VAE(nn.Identity(), nn.Identity()), "VAE: latent_dim must be given for an encoder whose last layer is not linear, with an even number of outputs, got Identity. Try latent_dim=8."),
        (lambda: VAE(nn.Linear(6, 5), nn.Identity()), "VAE: latent_dim must be given for an encoder whose last layer is not linear"),
        (lambda: VAE(nn.Identity(), nn.Identity(), 1, num_classes=0), "VAE: num_classes must be at least 1 or None, got 0"),
        (lambda: VAE(nn.Linear(6, 5), nn.Identity(), 2).encode(torch.ones(3, 6)), r"encoder must give 4 numbers for each row, twice latent_dim, got shape \(3, 5\)"),
        (lambda: small().sample(0), "VAE.sample: num_samples must be a whole number from 1, got 0"),
        (lambda: small().sample(2, label=1), "VAE: label must be left out of a model without classes"),
        (lambda: small(num_classes=3).sample(2), "VAE: label must be classes from 0 to 2, got none"),
        (lambda: small(num_classes=3).sample(2, label=3), "VAE: label must be classes from 0 to 2, got 3"),
        (lambda: small(num_classes=3).encode(torch.rand(1, 6), [-1]), "VAE: label must be classes from 0 to 2, got -1"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
