"""Generative models: networks that make data like those they have seen, and what may be said of them."""

from gradatim.generative.agreement import class_agreement
from gradatim.generative.autoencoder import Autoencoder
from gradatim.generative.bound_objective import BoundObjective
from gradatim.generative.bounds import ELBO, elbo, importance_weighted_bound, log_weights
from gradatim.generative.classifier_features import ClassifierFeatures
from gradatim.generative.copying import Repeats, copying_share, exact_repeats
from gradatim.generative.discrepancy import kernel_distance
from gradatim.generative.frechet import frechet_distance
from gradatim.generative.gaussian_code import (
    GaussianCode,
    gaussian_kl,
    keep_free_bits,
    reparameterize,
)
from gradatim.generative.judging import Judgement, judge_samples
from gradatim.generative.latent_walks import interpolate, latent_plane
from gradatim.generative.likelihoods import Bernoulli, Gaussian, Likelihood
from gradatim.generative.linear_autoencoder import LinearAutoencoder
from gradatim.generative.manifolds import PrecisionRecall, inside_manifold, precision_recall
from gradatim.generative.nearest import nearest_rows
from gradatim.generative.registry import MODELS
from gradatim.generative.resampling import Estimate, interval_around, mean_interval, random_weights
from gradatim.generative.vae import VAE

__all__ = [
    "Autoencoder",
    "Bernoulli",
    "BoundObjective",
    "ClassifierFeatures",
    "ELBO",
    "Estimate",
    "Gaussian",
    "GaussianCode",
    "Judgement",
    "Likelihood",
    "LinearAutoencoder",
    "MODELS",
    "PrecisionRecall",
    "Repeats",
    "VAE",
    "class_agreement",
    "copying_share",
    "elbo",
    "exact_repeats",
    "frechet_distance",
    "gaussian_kl",
    "importance_weighted_bound",
    "inside_manifold",
    "interpolate",
    "interval_around",
    "judge_samples",
    "keep_free_bits",
    "kernel_distance",
    "latent_plane",
    "log_weights",
    "mean_interval",
    "nearest_rows",
    "precision_recall",
    "random_weights",
    "reparameterize",
]
