"""Generative models: networks that make data like those they have seen, and what may be said of them."""

from gradatim.generative.agreement import class_agreement
from gradatim.generative.autoencoder import Autoencoder
from gradatim.generative.bound_objective import BoundObjective
from gradatim.generative.bounds import ELBO, elbo, importance_weighted_bound, log_weights
from gradatim.generative.classifier_features import ClassifierFeatures
from gradatim.generative.column_similarity import column_similarity, mean_column_similarity
from gradatim.generative.copying import Repeats, copying_share, exact_repeats
from gradatim.generative.diffuse import diffuse
from gradatim.generative.diffused_mixture import DiffusedMixture
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.diffusion_bound import Bound, diffusion_bound, step_weight
from gradatim.generative.diffusion_objective import DiffusionObjective
from gradatim.generative.discrepancy import kernel_distance
from gradatim.generative.flow_matching import FlowMatching, FlowObjective
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
from gradatim.generative.margin import Margin
from gradatim.generative.nearest import nearest_rows
from gradatim.generative.noise_schedule import NoiseSchedule, cosine_betas, linear_betas
from gradatim.generative.pair_similarity import mean_pair_similarity, pair_similarity
from gradatim.generative.predictions import Denoised, prediction_target, read_prediction
from gradatim.generative.probability_flow import flow_log_likelihood, probability_flow
from gradatim.generative.registry import MODELS
from gradatim.generative.resampling import Estimate, interval_around, mean_interval, random_weights
from gradatim.generative.reverse_posterior import posterior_mean, posterior_variance
from gradatim.generative.reverse_sde import reverse_sde
from gradatim.generative.row_codec import RowCodec
from gradatim.generative.row_likelihood import RowLikelihood
from gradatim.generative.sampler_steps import (
    LookBack,
    Place,
    ancestral_step,
    ddim_step,
    multistep_step,
)
from gradatim.generative.sampling import SamplingStep, sample, sampling_path
from gradatim.generative.simple_tables import GaussianCopula, IndependentColumns, JitteredRows
from gradatim.generative.time_grids import time_grid
from gradatim.generative.train_on_generated import Teaching, train_on_generated
from gradatim.generative.two_sample_test import TwoSampleTest, two_sample_test
from gradatim.generative.vae import VAE

__all__ = [
    "reverse_sde",
    "probability_flow",
    "flow_log_likelihood",
    "DiffusedMixture",
    "Autoencoder",
    "Bernoulli",
    "Bound",
    "BoundObjective",
    "ClassifierFeatures",
    "Denoised",
    "Diffusion",
    "DiffusionObjective",
    "ELBO",
    "Estimate",
    "FlowMatching",
    "FlowObjective",
    "Gaussian",
    "GaussianCode",
    "GaussianCopula",
    "IndependentColumns",
    "JitteredRows",
    "Judgement",
    "Likelihood",
    "LinearAutoencoder",
    "LookBack",
    "MODELS",
    "Margin",
    "NoiseSchedule",
    "Place",
    "PrecisionRecall",
    "Repeats",
    "RowCodec",
    "RowLikelihood",
    "SamplingStep",
    "Teaching",
    "TwoSampleTest",
    "VAE",
    "ancestral_step",
    "class_agreement",
    "column_similarity",
    "copying_share",
    "cosine_betas",
    "ddim_step",
    "diffuse",
    "diffusion_bound",
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
    "linear_betas",
    "log_weights",
    "mean_column_similarity",
    "mean_interval",
    "mean_pair_similarity",
    "multistep_step",
    "nearest_rows",
    "pair_similarity",
    "posterior_mean",
    "posterior_variance",
    "precision_recall",
    "prediction_target",
    "random_weights",
    "read_prediction",
    "reparameterize",
    "sample",
    "sampling_path",
    "step_weight",
    "time_grid",
    "train_on_generated",
    "two_sample_test",
]
