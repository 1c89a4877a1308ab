r"""The log-likelihood of a hidden Markov model with its gradient, from the two recursions.

.. math::
    \frac{\partial\log P}{\partial a_{ij}}=\frac1P\sum_{t\ge1}\alpha_{t-1}(i)\,b_j(y_t)\,\beta_t(j),\qquad
    \frac{\partial\log P}{\partial\pi_i}=\frac1Pb_i(y_0)\beta_0(i),\qquad
    \frac{\partial\log P}{\partial b_j(y_t)}=\frac1P\Big(\sum_i\alpha_{t-1}(i)a_{ij}\Big)\beta_t(j)

Nothing is divided by a probability of the model, so the slopes hold at a probability of exactly zero too,
where they say what the first bit of it would gain. A gradient costs what the expectation step of Baum-Welch
costs. When a graph of the gradient is asked for, the same slopes come from recursions that autograd follows.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gradatim.timeseries.blocked_recursions import sweep
from gradatim.timeseries.log_recursions import log_backward, log_forward, log_sum, safe_log
from gradatim.timeseries.scaled_recursions import LIMIT, is_exact

LARGEST = 700.0  # e to the power of more is infinite


class Slopes(NamedTuple):
    r"""Log-likelihoods ``(B,)`` and the factors of their derivatives.

    Args:
        total: Logarithms of the sums over all paths.
        alpha: :math:`\alpha_t(i)`, in some scale :math:`s_t`, shape ``(T, B, K)``.
        weight: :math:`b_j(y_t)\beta_t(j)/P` in the inverse scale, shape ``(T, B, K)``.
        emission: Derivatives by the relative likelihoods, or by their logarithms, shape ``(T, B, K)``.
    """

    total: Tensor
    alpha: Tensor
    weight: Tensor
    emission: Tensor


class LogLikelihood(torch.autograd.Function):
    """Logarithm of the sum over all paths, ``(B,)``, of relative likelihoods."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        start: Tensor, transition: Tensor, x: Tensor, is_real: Tensor, in_logs: bool
    ) -> tuple[Tensor, ...]:
        """Args as for :func:`log_likelihood`; ``is_real`` is of shape ``(T, B, 1)``."""
        relative = torch.where(is_real, x.exp() if in_logs else x, 1.0)
        found = _by_sweeping(start, transition, relative, in_logs)
        return found or _in_logs(start, transition, x, is_real, in_logs)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        *tensors, ctx.in_logs = inputs
        ctx.save_for_backward(*tensors, *output)
        ctx.mark_non_differentiable(*output[1:])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        start, transition, x, is_real, *output = ctx.saved_tensors
        found = Slopes(*output)
        if torch.is_grad_enabled():  # somebody wants the derivative of this
            found = _with_graph(start, transition, x, is_real, ctx.in_logs)
        # what is impossible stays so, whatever changes a little
        g = torch.where(found.total.isfinite(), gradient, 0.0)[:, None]
        alpha, weight, slope = (torch.where(is_real, part, 0.0) for part in found[1:])
        pairs = (g * alpha[:-1]).flatten(0, 1).T @ weight[1:].flatten(0, 1)
        return (g * weight[0]).sum(0), pairs, g * slope, None, None


def log_likelihood(
    start: Tensor,
    transition: Tensor,
    x: Tensor,
    is_real: NDArray[np.bool_] | None,
    *,
    in_logs: bool,
) -> Tensor:
    """Logarithms of the sums over all paths, differentiable.

    Args:
        start: Probabilities, shape ``(K,)``.
        transition: Probabilities, shape ``(K, K)``.
        x: Likelihoods relative to the best state's, shape ``(T, B, K)``.
        is_real: False beyond the end of a sequence, shape ``(T, B)``.
        in_logs: Whether ``x`` are logarithms.

    Returns:
        Shape ``(B,)``.
    """
    real = np.ones((*x.shape[:2], 1), bool) if is_real is None else is_real[..., None]
    found: tuple[Tensor, ...] = LogLikelihood.apply(
        start, transition, x, torch.from_numpy(real), in_logs
    )
    return found[0]


def _by_sweeping(
    start: Tensor, transition: Tensor, relative: Tensor, in_logs: bool
) -> Slopes | None:
    """By the scaled recursions; ``None`` where they lose something."""
    pi, A, b = (part.detach().numpy() for part in (start, transition, relative))
    ahead, back = sweep(pi, A, b, needs_back=True)
    assert back is not None
    if not is_exact(A, ahead, back):
        return None
    if in_logs:
        slope = ahead.alpha * back.beta
    else:
        before = np.concatenate([np.broadcast_to(pi, b[:1].shape), ahead.alpha[:-1] @ A])
        slope = before * back.beta / ahead.scale
    total = np.log(ahead.scale[..., 0]).sum(0)
    parts = (total, ahead.alpha, back.weight, slope)
    return Slopes(*(torch.from_numpy(np.ascontiguousarray(part)) for part in parts))


def _with_graph(
    start: Tensor, transition: Tensor, x: Tensor, is_real: Tensor, in_logs: bool
) -> Slopes:
    """By recursions that autograd follows, scaled where that loses nothing."""
    b = torch.where(is_real, x.exp() if in_logs else x, 1.0)
    coming, before, scales, alphas = start.expand_as(b[0]), [], [], []
    for now in b:
        before.append(coming)
        joint = coming * now
        scales.append(joint.sum(1, keepdim=True))
        alphas.append(joint / scales[-1])
        coming = alphas[-1] @ transition
    betas = [torch.ones_like(b[0])]
    for now, scale in zip(b.flip(0)[:-1], scales[:0:-1], strict=True):
        betas.append((now * betas[-1] / scale) @ transition.T)
    alpha, beta, scale = torch.stack(alphas), torch.stack(betas[::-1]), torch.stack(scales)
    if not (scale.detach().min() > 0 and beta.detach().max() < LIMIT):
        return _in_logs(start, transition, x, is_real, in_logs)
    slope = alpha * beta if in_logs else torch.stack(before) * beta / scale
    return Slopes(scale.log().sum((0, 2)), alpha, b * beta / scale, slope)


def _in_logs(
    start: Tensor, transition: Tensor, x: Tensor, is_real: Tensor, in_logs: bool
) -> Slopes:
    """In logarithms: slower, and nothing is ever lost."""
    pi, A = safe_log(start), safe_log(transition)
    logs = torch.where(is_real, x if in_logs else safe_log(x), 0.0)
    alpha, beta = log_forward(pi, A, logs), log_backward(A, logs)
    total = log_sum(alpha[-1], 1)
    base = torch.where(total.isfinite(), total, 0.0)[:, None]
    scale = alpha.detach().amax(2, keepdim=True).clamp(min=-1e300)  # (T, B, 1)
    before = torch.cat([torch.zeros_like(scale[:1]), scale[:-1]])
    weight = (logs + beta - base + before).clamp(max=LARGEST).exp()
    if in_logs:
        slope = (alpha + beta - base).exp()
    else:
        coming = torch.cat([pi.expand_as(alpha[:1]), log_sum(alpha[:-1, :, :, None] + A, 2)])
        slope = (coming + beta - base).clamp(max=LARGEST).exp()
    return Slopes(total, (alpha - scale).exp(), weight, slope)
