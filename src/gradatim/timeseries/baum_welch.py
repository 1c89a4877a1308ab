r"""Expectation-maximization for hidden Markov models.

With :math:`\gamma_t(i)=P(s_t=i\mid y)` and :math:`\xi_t(i,j)=P(s_t=i,s_{t+1}=j\mid y)`, a round sets

.. math::
    \pi_i\propto\sum\gamma_0(i),\qquad a_{ij}\propto\sum_t\xi_t(i,j),\qquad
    b_i=\arg\max\sum_t\gamma_t(i)\log b_i(y_t)

over all sequences. The likelihood never falls.

Reference:
    Baum et al., A maximization technique occurring in the statistical analysis of probabilistic functions
    of Markov chains, 1970; Rabiner, A tutorial on hidden Markov models, 1989.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gradatim.timeseries.blocked_recursions import sweep
from gradatim.timeseries.emissions import Emission
from gradatim.timeseries.likelihood_gradient import log_likelihood
from gradatim.timeseries.log_recursions import log_backward, log_forward, log_sum, safe_log
from gradatim.timeseries.scaled_recursions import SURE, is_exact

Floats = NDArray[np.float64]


class Chain(NamedTuple):
    """The parts of a hidden Markov model, as :class:`HMM` names them."""

    start: Tensor
    transition: Tensor
    emission: Emission


class Sequences(NamedTuple):
    """A checked batch, steps first.

    Args:
        y: Observations, shape ``(T, B)`` or ``(T, B, D)``; what lies beyond an end may be anything allowed.
        is_real: False beyond the end of a sequence, shape ``(T, B)``; ``None`` if all are equally long.
    """

    y: Tensor
    is_real: NDArray[np.bool_] | None


class Expected(NamedTuple):
    """What the states did, given the observations.

    Args:
        states: :math:`\\gamma`, shape ``(T, B, K)``, zero beyond the ends.
        transitions: Sum of :math:`\\xi`, shape ``(K, K)``.
        log_likelihood: Shape ``(B,)``.
    """

    states: Floats
    transitions: Floats
    log_likelihood: Floats


def likelihoods(chain: Chain, data: Sequences) -> tuple[Floats, Floats]:
    """Relative likelihoods ``(T, B, K)`` and log-scales ``(T, B)``; 1 and 0 beyond the ends."""
    with torch.no_grad():
        shares, best = chain.emission.relative(data.y)
        relative = (shares.exp_() if chain.emission.in_logs else shares).numpy()
    peaks = best.numpy()
    if data.is_real is not None:
        relative[~data.is_real], peaks[~data.is_real] = 1.0, 0.0
    return relative, peaks


def log_emissions(chain: Chain, data: Sequences) -> Tensor:
    """Log-densities ``(T, B, K)``; 0 beyond the ends."""
    logs = chain.emission.log_prob(data.y)
    if data.is_real is None:
        return logs
    return torch.where(torch.from_numpy(data.is_real)[..., None], logs, 0.0)


def total_log_likelihood(scale: Floats, peaks: Floats, data: Sequences) -> Floats:
    """Sum the logarithms of scales over the steps of each sequence."""
    logs = np.log(scale[..., 0]) + peaks
    return logs.sum(0) if data.is_real is None else np.where(data.is_real, logs, 0.0).sum(0)


def score(chain: Chain, data: Sequences) -> Tensor:
    """Log-likelihoods ``(B,)``, by scaling if that loses nothing and no gradient is wanted."""
    parts = (chain.start, chain.transition, *vars(chain.emission).values())
    if not any(isinstance(part, Tensor) and part.requires_grad for part in parts):
        A = chain.transition.numpy()
        relative, peaks = likelihoods(chain, data)
        ahead, back = sweep(chain.start.numpy(), A, relative, needs_back=bool(A.min() < SURE))
        if is_exact(A, ahead, back):
            return torch.from_numpy(total_log_likelihood(ahead.scale, peaks, data))
    x, best = chain.emission.relative(data.y)
    if data.is_real is not None:
        best = torch.where(torch.from_numpy(data.is_real), best, 0.0)
    in_logs = chain.emission.in_logs
    total = log_likelihood(chain.start, chain.transition, x, data.is_real, in_logs=in_logs)
    return total + best.sum(0)


def expect(chain: Chain, data: Sequences) -> Expected:
    """The expectation step, by scaling if that loses nothing, in logarithms otherwise."""
    A = chain.transition.detach().numpy()
    relative, peaks = likelihoods(chain, data)
    ahead, back = sweep(chain.start.detach().numpy(), A, relative, needs_back=True)
    assert back is not None
    if not is_exact(A, ahead, back):
        return _expect_in_logarithms(chain, data)
    states = np.multiply(ahead.alpha, back.beta, out=back.beta)
    if data.is_real is not None:
        states[~data.is_real] = 0.0
        back.weight[~data.is_real] = 0.0
    K = len(A)
    pairs = ahead.alpha[:-1].reshape(-1, K).T @ back.weight[1:].reshape(-1, K)
    return Expected(states, A * pairs, total_log_likelihood(ahead.scale, peaks, data))


def _expect_in_logarithms(chain: Chain, data: Sequences) -> Expected:
    with torch.no_grad():
        logs, A = log_emissions(chain, data), safe_log(chain.transition)
        alpha, beta = log_forward(safe_log(chain.start), A, logs), log_backward(A, logs)
        total = log_sum(alpha[-1], 1)  # (B,)
        states = (alpha + beta - total[:, None]).exp()
        pairs = torch.zeros_like(A)
        for t in range(len(logs) - 1):
            xi = (
                alpha[t, :, :, None] + A + (logs + beta)[t + 1][:, None] - total[:, None, None]
            ).exp()
            real = slice(None) if data.is_real is None else torch.from_numpy(data.is_real[t + 1])
            pairs += xi[real].sum(0)
        if data.is_real is not None:
            states[torch.from_numpy(~data.is_real)] = 0.0
    return Expected(states.numpy(), pairs.numpy(), total.numpy())


def maximize(chain: Chain, data: Sequences, expected: Expected) -> Chain:
    """The maximization step; states that are never left, or never seen, keep their probabilities."""
    start = torch.from_numpy(expected.states[0].sum(0))
    counts = torch.from_numpy(expected.transitions)
    left = counts.sum(1, keepdim=True)
    K = len(start)
    return Chain(
        start / start.sum(),
        torch.where(left > 0, counts / left, chain.transition),
        chain.emission.maximize(data.y.flatten(0, 1), expected.states.reshape(-1, K)),
    )
