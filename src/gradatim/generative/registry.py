"""Generative models by name, for descriptions: ``describe(model, beside=MODELS)`` and back."""

from collections.abc import Callable

from torch import nn

from gradatim.generative.likelihoods import Bernoulli, Gaussian
from gradatim.generative.vae import VAE

MODELS: dict[str, Callable[..., nn.Module]] = {
    "bernoulli": Bernoulli,
    "gaussian": Gaussian,
    "vae": VAE,
}
