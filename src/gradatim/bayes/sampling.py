"""Draws from any log-density, with an honest word on whether to trust them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.progress import telling
from gradatim.bayes.run_file import check_file
from gradatim.bayes.running import Job, carry_out
from gradatim.bayes.samplers import Sampler, find_sampler
from gradatim.bayes.support import Space, Support
from gradatim.bayes.trace import Trace
from gradatim.errors import require, require_seed, require_whole
from gradatim.events import Tell


@takes_arrays
def sample(
    log_density: Callable[[Any], Tensor],
    start: Tensor | dict[str, Tensor],
    *,
    sampler: str | Sampler = "nuts",
    draws: int = 1000,
    warmup: int = 1000,
    support: Support | Mapping[str, Support] | None = None,
    is_batched: bool = True,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    progress: bool | Tell = True,
) -> Trace:
    r"""Draw from :math:`p(\theta)`, known by :math:`\log p` up to a constant, with several chains side by side.

    During warm-up the chains find the density, and the sampler its step (dual averaging) and its mass (the covariance of
    draws in growing windows), which all chains share. Then come the draws. They count equally: an expectation is their plain
    mean. Some lecture notes weight them by :math:`p` once more, which would give expectations under :math:`p^2`.

    Args:
        log_density: From ``start``, or as many rows of it as are asked for, to one number per chain. Its derivative is taken
            by PyTorch, for all chains at once.
        start: Where the chains start, shape ``(chains, d)`` or a dictionary of ``(chains, ...)``; better apart from each
            other.
        sampler: ``"nuts"``, ``"hmc"``, ``"mala"``, ``"metropolis"``, ``"langevin"``, ``"sgld"``, ``"sghmc"``, or one of
            your own.
        draws: Of each chain.
        warmup: Draws before those, which are not kept.
        support: Where values live, by name: ``"positive"``, ``"unit"`` (between 0 and 1), ``"simplex"`` or a constraint of
            ``torch.distributions``. The chains then move over real numbers :math:`u` with :math:`\theta=t(u)`, and
            :math:`\log\lvert\det t'(u)\rvert` is added; ``log_density`` remains that of :math:`\theta`.
        is_batched: Whether ``log_density`` takes a row per chain; otherwise it takes one chain, and is vectorized.
        seed: Of all draws.
        checkpoint: File that is kept up to date; if it is there, the run goes on from it to the same draws.
        progress: Whether to show a bar on a terminal, or a function that is told events.

    Example:
        >>> def log_density(x):  # N(0, 1) and N(0, 4)
        ...     return -x[:, 0] ** 2 / 2 - x[:, 1] ** 2 / 8
        >>> trace = sample(log_density, torch.zeros(8, 2), draws=100, warmup=100)
        >>> trace.draws.shape, [round(sd) for sd in trace.summary()["sd"]]
        (torch.Size([8, 100, 2]), [1, 2])

    Reference:
        Hoffman and Gelman, The No-U-Turn Sampler, 2014; the warm-up is that of Stan, shared by the chains.
    """
    chosen = find_sampler(sampler)
    require_whole("sample", draws=draws)
    require(warmup >= 0 and warmup == int(warmup), "sample: warmup must be a whole number from 0", repr(warmup))  # fmt: skip
    require_seed("sample", seed)
    place = None if checkpoint is None else check_file(checkpoint)
    space = Space(start, support)
    generator = torch.Generator(space.start.device).manual_seed(seed)
    density = space.density(log_density, is_batched=is_batched)
    job = Job(density, chosen, int(draws), int(warmup), generator)
    identity = {
        "sampler": sampler if isinstance(sampler, str) else repr(chosen[2:5]),
        "draws": job.draws,
        "warmup": job.warmup,
        "seed": seed,
        "start": space.start,
    }
    with telling(progress) as tell:
        run, record = carry_out(job, space.start, tell, place, identity)
    return Trace(space.draws(record.rows), record.info, job.step_size(run), run.tuning.inverse_mass)
