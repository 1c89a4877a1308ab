"""Generative models: networks that make data like those they have seen, and what may be said of them."""

from gradatim.generative.agreement import class_agreement
from gradatim.generative.autoencoder import Autoencoder
from gradatim.generative.bound_objective import BoundObjective
from gradatim.generative.bounds import ELBO, elbo, importance_weighted_bound, log_weights
from gradatim.generative.classifier_features import ClassifierFeatures
from gradatim.generative.column_pairs import mean_pair_similarity, pair_similarity
from gradatim.generative.column_shapes import column_similarity, mean_column_similarity
from gradatim.generative.copying import Repeats, copying_share, exact_repeats
from gradatim.generative.diffuse import diffuse
from gradatim.generative.diffused_mixture import DiffusedMixture
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.diffusion_bound import Bound, diffusion_bound, step_weight
from gradatim.generative.diffusion_objective import DiffusionObjective
from gradatim.generative.discrepancy import kernel_distance
from gradatim.generative.flow_matching import FlowMatching, FlowObjective
from gradatim.generative.frechet import frechet_distance
from gradatim.generative.game_losses import (
    critic_loss,
    discriminator_loss,
    gradient_penalty,
    minimax_loss,
    non_saturating_loss,
)
from gradatim.generative.game_objective import AdversarialGame
from gradatim.generative.gan import GAN
from gradatim.generative.gan_training import GANTraining, train_gan
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
from gradatim.generative.optimal_discriminator import (
    bayes_discriminator,
    game_value,
    jensen_shannon,
)
from gradatim.generative.predictions import Denoised, prediction_target, read_prediction
from gradatim.generative.probability_flow import flow_log_likelihood, probability_flow
from gradatim.generative.registry import MODELS
from gradatim.generative.resampling import Estimate, interval_around, mean_interval, random_weights
from gradatim.generative.reverse_posterior import posterior_mean, posterior_variance
from gradatim.generative.reverse_sde import reverse_sde
from gradatim.generative.row_codec import RowCodec
from gradatim.generative.row_likelihood import RowLikelihood
from gradatim.generative.sample_watch import SampleWatch
from gradatim.generative.sampler_steps import (
    LookBack,
    Place,
    ancestral_step,
    ddim_step,
    multistep_step,
)
from gradatim.generative.sampling import SamplingStep, sample, sampling_path
from gradatim.generative.simple_images import ImageMixture, jitter_images
from gradatim.generative.simple_tables import GaussianCopula, IndependentColumns, JitteredRows
from gradatim.generative.teaching import Teaching, train_on_generated
from gradatim.generative.telling_apart import TwoSampleTest, two_sample_test
from gradatim.generative.time_grids import time_grid
from gradatim.generative.vae import VAE

__all__ = [
    "AdversarialGame",
    "Autoencoder",
    "Bernoulli",
    "Bound",
    "BoundObjective",
    "ClassifierFeatures",
    "Denoised",
    "DiffusedMixture",
    "Diffusion",
    "DiffusionObjective",
    "ELBO",
    "Estimate",
    "FlowMatching",
    "FlowObjective",
    "GAN",
    "GANTraining",
    "Gaussian",
    "GaussianCode",
    "GaussianCopula",
    "ImageMixture",
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
    "SampleWatch",
    "SamplingStep",
    "Teaching",
    "TwoSampleTest",
    "VAE",
    "ancestral_step",
    "bayes_discriminator",
    "class_agreement",
    "column_similarity",
    "copying_share",
    "cosine_betas",
    "critic_loss",
    "ddim_step",
    "diffuse",
    "diffusion_bound",
    "discriminator_loss",
    "elbo",
    "exact_repeats",
    "flow_log_likelihood",
    "frechet_distance",
    "game_value",
    "gaussian_kl",
    "gradient_penalty",
    "importance_weighted_bound",
    "inside_manifold",
    "interpolate",
    "interval_around",
    "jensen_shannon",
    "jitter_images",
    "judge_samples",
    "keep_free_bits",
    "kernel_distance",
    "latent_plane",
    "linear_betas",
    "log_weights",
    "mean_column_similarity",
    "mean_interval",
    "mean_pair_similarity",
    "minimax_loss",
    "multistep_step",
    "nearest_rows",
    "non_saturating_loss",
    "pair_similarity",
    "posterior_mean",
    "posterior_variance",
    "precision_recall",
    "prediction_target",
    "probability_flow",
    "random_weights",
    "read_prediction",
    "reparameterize",
    "reverse_sde",
    "sample",
    "sampling_path",
    "step_weight",
    "time_grid",
    "train_gan",
    "train_on_generated",
    "two_sample_test",
]
