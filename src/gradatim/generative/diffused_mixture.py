"""A mixture of Gaussians that turns into noise: its density and score are known at any time."""

import math

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.generative.diffuse import diffuse
from gradatim.generative.noise_schedule import NoiseSchedule


class DiffusedMixture:
    r"""Round Gaussians of one variance, under a diffusion.

    .. math:: q_\tau(x) = \sum_k \pi_k\,N\bigl(x;\ \sqrt{\bar\alpha}\,\mu_k,\ (\bar\alpha s^2 + 1 - \bar\alpha)\,I\bigr)

    Against it scores, flows and likelihoods of networks can be held.

    Args:
        means: :math:`\mu_k`, shape ``(K, d)``.
        spread: :math:`s`.
        schedule: :math:`\bar\alpha` at any time.
        weights: :math:`\pi_k`, shape ``(K,)``; equal by default.

    Example:
        >>> mixture = DiffusedMixture(torch.tensor([[-1.0], [1.0]]), 0.5, NoiseSchedule())
        >>> mixture.score(torch.zeros(1, 1), torch.zeros(1))
        tensor([[0.]])
    """

    @takes_arrays
    def __init__(
        self, means: Tensor, spread: float, schedule: NoiseSchedule, *, weights: Tensor | None = None
    ) -> None:  # fmt: skip
        rule = "DiffusedMixture: means must have shape (K, d)"
        require(means.ndim == 2 and len(means), rule, tuple(means.shape))
        require(spread > 0, "DiffusedMixture: spread must be more than 0", spread)
        equal = means.new_full((len(means),), 1 / len(means))
        self.means, self.spread, self.schedule = means, spread, schedule
        self.weights = equal if weights is None else weights / weights.sum()

    @takes_arrays
    def log_density(self, x: Tensor, time: Tensor) -> Tensor:
        r""":math:`\log q_\tau(x)` of rows ``(B, d)`` at times ``(B,)``; time 0 is the mixture itself."""
        share = self.schedule.alpha_bar(time.to(x.dtype))[:, None]  # (B, 1)
        variance = share * self.spread**2 + 1 - share
        gaps = x[:, None] - share.sqrt()[:, :, None] * self.means.to(x)  # (B, K, d)
        squares = gaps.square().sum(2) / variance  # (B, K)
        logs = -0.5 * (squares + x.shape[1] * torch.log(2 * math.pi * variance))
        return torch.logsumexp(logs + self.weights.to(x).log(), 1)

    @takes_arrays
    def score(self, x: Tensor, time: Tensor) -> Tensor:
        r""":math:`\nabla \log q_\tau(x)`, shape of ``x``."""
        share = self.schedule.alpha_bar(time.to(x.dtype))[:, None]
        variance = share * self.spread**2 + 1 - share
        gaps = share.sqrt()[:, :, None] * self.means.to(x) - x[:, None]  # (B, K, d)
        near = torch.softmax(self.weights.to(x).log() - 0.5 * gaps.square().sum(2) / variance, 1)
        return (near[:, :, None] * gaps).sum(1) / variance

    def sample(
        self, num_samples: int, time: float = 0.0, *, generator: torch.Generator | None = None
    ) -> Tensor:
        """Draw rows, shape ``(num_samples, d)``, with the noise of a time."""
        part = torch.multinomial(self.weights, num_samples, replacement=True, generator=generator)
        shape = (2, num_samples, self.means.shape[1])
        near, noise = torch.randn(shape, generator=generator, dtype=self.means.dtype)
        share = self.schedule.alpha_bar(torch.tensor(time, dtype=near.dtype))
        return diffuse(self.means[part] + self.spread * near, noise, share)
