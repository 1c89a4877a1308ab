"""Descent on batches with noise, as a sampler of networks."""

import math
from functools import partial
from types import ModuleType

import torch
from torch import Tensor

from gradatim.bayes import sghmc as heavy
from gradatim.bayes import sgld as light
from gradatim.bayes.density import init
from gradatim.bayes.networks.density import NetworkDensity
from gradatim.bayes.networks.predictive import Predictive, summarize
from gradatim.bayes.networks.trusting import judge_outputs
from gradatim.bayes.step_size import guess_step_size
from gradatim.errors import InvalidValue, require, require_whole

MOMENTUM = 0.9  # of sghmc, as it comes


def noisy_descent(
    sampler: ModuleType,
    density: NetworkDensity,
    x: Tensor,
    *,
    num_samples: int,
    steps: int,
    lr: float | None,
    batch_size: int,
    chains: int,
    seed: int,
) -> Predictive:
    r"""Walk from the model's weights, forget the first half of the way, and keep points of the second at equal distances.

    Args:
        sampler: ``sgld`` or ``sghmc``.
        density: Of the network.
        x: Rows to predict.
        num_samples: Points kept, of all chains together.
        steps: Updates of every chain.
        lr: :math:`\eta N`, the step on the mean loss of a row; by default from where a leapfrog step begins to be refused.
        batch_size: Rows of an update.
        chains: Walks side by side.
        seed: Of starts, batches and noise.
    """
    require_whole("posterior_predictive", chains=chains)
    each, n = max(1, num_samples // chains), len(density.X)
    rule = "posterior_predictive: steps must be at least twice the samples of a chain"
    require(steps >= 2 * each, rule, f"{steps} for {each}", f"Try steps={20 * each}.")
    generator = torch.Generator(density.X.device).manual_seed(seed)
    start = density.start(chains, generator=generator)
    is_whole = batch_size >= n
    rate = find_rate(density, start, generator, sampler, is_whole) if lr is None else lr / n
    kept = {steps - 1 - k * (steps // 2 // each) for k in range(each)}
    state, found = sampler.init(density, start), []
    for step in range(steps):
        rows = torch.randint(n, (batch_size,), generator=generator, device=density.X.device)
        seen = density if is_whole else density.estimate(rows)
        state, _ = sampler.step(seen, state, lr=rate, generator=generator)
        if step in kept:
            found.append(state.position)
    weights = torch.stack(found, 1)  # (chains, each, d)
    if not bool(torch.isfinite(weights).all()):
        raise InvalidValue(f"posterior_predictive: lr must keep the chains among the numbers, got {rate * n:g}. Try {rate * n / 10:g}.")  # fmt: skip
    outputs = density.outputs(weights, x)
    verdict = judge_outputs(density.likelihood.answers(outputs), {}, rate)
    return summarize(density.likelihood, outputs.flatten(0, 1), verdict)


def find_rate(
    density: NetworkDensity,
    start: Tensor,
    generator: torch.Generator,
    sampler: ModuleType,
    is_whole: bool,
) -> float:
    r"""A careful :math:`\eta=\epsilon^2/8`, with the :math:`\epsilon` of which a leapfrog step is accepted half the time.

    The noise of batches counts :math:`1/(1-\beta)` times with a momentum :math:`\beta`, so that on batches the step is as much
    shorter.
    """
    first = 1 / math.sqrt(start.shape[1])
    size = guess_step_size(density, init(density, start), first, None, generator)
    care = 1.0 if is_whole or sampler is light else 1 - MOMENTUM
    return care * size**2 / 8


sgld = partial(noisy_descent, light)
sghmc = partial(noisy_descent, heavy)
