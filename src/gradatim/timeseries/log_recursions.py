r"""Recursions of a hidden Markov model in logarithms: nothing is ever lost, and all is differentiable.

.. math::
    \log\alpha_t(j)=\log b_j(y_t)+\log\sum_i e^{\log\alpha_{t-1}(i)+\log a_{ij}},\qquad
    \log\beta_t(i)=\log\sum_je^{\log a_{ij}+\log b_j(y_{t+1})+\log\beta_{t+1}(j)}

.. math::
    \delta_t(j)=\log b_j(y_t)+\max_i[\delta_{t-1}(i)+\log a_{ij}],\qquad
    \psi_t(j)=\arg\max_i[\delta_{t-1}(i)+\log a_{ij}]
"""

import math

import torch
from torch import Tensor


def safe_log(p: Tensor) -> Tensor:
    """Logarithm with a gradient of zero, not NaN, where ``p`` is zero."""
    is_zero = p == 0
    return torch.where(is_zero, 1.0, p).log().masked_fill(is_zero, -math.inf)


def log_sum(x: Tensor, dim: int) -> Tensor:
    """Logarithm of the sum of exponentials; where all are zero it has a gradient of zero, not NaN."""
    top = x.detach().amax(dim, keepdim=True).clamp(min=-1e300)
    return safe_log((x - top).exp().sum(dim)) + top.squeeze(dim)


def log_forward(start: Tensor, transition: Tensor, emission: Tensor) -> Tensor:
    """Joint log-probabilities of the past and each state, from log-probabilities; all ``(T, B, K)``."""
    steps = [start + emission[0]]
    for likelihood in emission[1:]:
        steps.append(log_sum(steps[-1][:, :, None] + transition, 1) + likelihood)
    return torch.stack(steps)


def log_backward(transition: Tensor, emission: Tensor) -> Tensor:
    """Log-probabilities of the future given each state, ``(T, B, K)``."""
    steps = [torch.zeros_like(emission[0])]
    for likelihood in emission.flip(0)[:-1]:
        steps.append(log_sum(transition + (likelihood + steps[-1])[:, None], 2))
    return torch.stack(steps[::-1])


def best_paths(start: Tensor, transition: Tensor, emission: Tensor) -> tuple[Tensor, Tensor]:
    r"""Viterbi's :math:`\delta` and :math:`\psi` of one sequence, ``(T, K)``; :math:`\psi_0=-1`."""
    delta, psi = [start + emission[0]], [torch.full_like(emission[0], -1, dtype=torch.long)]
    for likelihood in emission[1:]:
        best, came_from = (delta[-1][:, None] + transition).max(0)
        delta.append(best + likelihood)
        psi.append(came_from)
    return torch.stack(delta), torch.stack(psi)
