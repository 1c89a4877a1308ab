"""Generative models by name, for descriptions: ``describe(model, beside=MODELS)`` and back."""

from collections.abc import Callable

from torch import nn

from gradatim.generative.autoencoder import Autoencoder
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.flow_matching import FlowMatching
from gradatim.generative.gan import GAN
from gradatim.generative.likelihoods import Bernoulli, Gaussian
from gradatim.generative.linear_autoencoder import LinearAutoencoder
from gradatim.generative.row_likelihood import RowLikelihood
from gradatim.generative.vae import VAE

MODELS: dict[str, Callable[..., nn.Module]] = {
    "autoencoder": Autoencoder,
    "bernoulli": Bernoulli,
    "diffusion": Diffusion,
    "flow_matching": FlowMatching,
    "gan": GAN,
    "gaussian": Gaussian,
    "linear_autoencoder": LinearAutoencoder,
    "row_likelihood": RowLikelihood,
    "vae": VAE,
}
