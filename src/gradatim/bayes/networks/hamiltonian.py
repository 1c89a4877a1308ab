"""Networks drawn by Hamiltonian Monte Carlo: slow, and the standard that the others are held to."""

import math

import torch
from torch import Tensor

from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.bayes.networks.trusting import judge_outputs
from gradatim.bayes.sampling import sample
from gradatim.errors import require_whole


def hmc(
    density: NetworkDensity, x: Tensor, *, num_samples: int, chains: int, warmup: int, seed: int
) -> Predictive:
    """Draw networks with several chains that start around the model's weights.

    Args:
        density: Of the network.
        x: Rows to predict.
        num_samples: Draws of all chains together.
        chains: Side by side.
        warmup: Draws of each before those, from which step and mass are learned.
        seed: Of starts and draws.
    """
    require_whole("posterior_predictive", chains=chains)
    start = density.start(chains, generator=torch.Generator(density.X.device).manual_seed(seed))
    draws = math.ceil(num_samples / chains)
    trace = sample(density, start, sampler="hmc", draws=draws, warmup=warmup, seed=seed, progress=False)  # fmt: skip
    assert isinstance(trace.draws, Tensor)
    outputs = density.outputs(trace.draws, x)  # (chains, draws, N, K)
    verdict = judge_outputs(density.likelihood.answers(outputs), trace.info, trace.step_size)
    return summarize(density.likelihood, outputs.flatten(0, 1), verdict)
