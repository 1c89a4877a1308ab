"""Generative models: networks that make data like those they have seen, and what may be said of them."""

from gradatim.generative.bound_objective import BoundObjective
from gradatim.generative.bounds import ELBO, elbo, importance_weighted_bound, log_weights
from gradatim.generative.gaussian_code import (
    GaussianCode,
    gaussian_kl,
    keep_free_bits,
    reparameterize,
)
from gradatim.generative.likelihoods import Bernoulli, Gaussian, Likelihood
from gradatim.generative.registry import MODELS
from gradatim.generative.vae import VAE

__all__ = [
    "ELBO",
    "MODELS",
    "VAE",
    "Bernoulli",
    "BoundObjective",
    "Gaussian",
    "GaussianCode",
    "Likelihood",
    "elbo",
    "gaussian_kl",
    "importance_weighted_bound",
    "keep_free_bits",
    "log_weights",
    "reparameterize",
]
