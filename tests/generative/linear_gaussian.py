"""A linear VAE of a Gaussian: posterior and likelihood are known."""

import torch
from torch import nn
from torch.distributions import MultivariateNormal

from gradatim.generative import VAE, Gaussian
from gradatim.randomness import seeded


def linear_gaussian(width=5, latent=2, variance=0.3):
    """x = Wz + b + noise, with an encoder of random weights, in double precision."""
    with seeded(0):
        encoder, decoder = nn.Linear(width, 2 * latent), nn.Linear(latent, width)
    with torch.no_grad():
        encoder.weight[latent:] *= 0.1  # log-variances
    likelihood = Gaussian(variance=variance)
    return VAE(encoder, decoder, latent, likelihood=likelihood).double()


def evidence(vae):
    """p(x) of such a model."""
    W, b = vae.decoder.weight.detach(), vae.decoder.bias.detach()
    variance = vae.likelihood.log_variance.detach().exp()
    return MultivariateNormal(b, W @ W.T + variance * torch.eye(len(b), dtype=W.dtype))


def posterior(vae, x):
    """Means, by row, and the covariance of p(z | x)."""
    W, b = vae.decoder.weight.detach(), vae.decoder.bias.detach()
    variance = vae.likelihood.log_variance.detach().exp()
    precision = torch.eye(W.shape[1], dtype=W.dtype) + W.T @ W / variance
    covariance = torch.linalg.inv(precision)
    return (x - b) @ W @ covariance / variance, covariance
