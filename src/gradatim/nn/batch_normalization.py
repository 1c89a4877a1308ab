r"""Batch normalization by its equations, the reference for PyTorch's ``nn.BatchNorm1d`` and ``2d``.

.. math::
    \mu=\frac1m\sum_i z_i, \quad \sigma^2=\frac1m\sum_i(z_i-\mu)^2, \quad
    y_i=\gamma\,\frac{z_i-\mu}{\sqrt{\sigma^2+\epsilon}}+\beta, \qquad
    r \leftarrow (1-\alpha)\,r+\alpha\,\text{(batch statistic)}

At inference the running averages stand in for :math:`\mu,\sigma^2`. A bias before the layer is cancelled
by :math:`\mu`, and a scale of the weights by :math:`\sigma`; a batch of one gives :math:`y=\beta`.

PyTorch normalizes with the biased :math:`\sigma^2` above, but feeds its running variance the unbiased
:math:`\frac{m}{m-1}\sigma^2`; ``unbiased=False`` here keeps the equations as they are written.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


class BatchMoments(NamedTuple):
    """Mean and biased variance of every feature over the batch, and how many values made them."""

    mean: Tensor
    variance: Tensor
    size: int


class RunningMoments(NamedTuple):
    """Running averages that inference uses; 0 and 1 before the first batch."""

    mean: Tensor
    variance: Tensor


@takes_arrays
def batch_moments(z: Tensor) -> BatchMoments:
    """Measure every feature (axis 1) over all other axes.

    Args:
        z: Pre-activations, shape ``(B, D)`` or ``(B, C, ...)``.

    Example:
        >>> batch_moments(torch.tensor([[1.0], [3.0]]))
        BatchMoments(mean=tensor([2.]), variance=tensor([1.]), size=2)
    """
    require(z.numel(), "batch_moments: z must hold at least one sample", f"shape {tuple(z.shape)}")
    axes = [axis for axis in range(z.ndim) if axis != 1]
    variance, mean = torch.var_mean(z, axes, correction=0)
    return BatchMoments(mean, variance, z.numel() // z.shape[1])


@takes_arrays
def batch_normalize(
    z: Tensor, mean: Tensor, variance: Tensor, gain: Tensor, shift: Tensor, eps: float = 1e-5
) -> Tensor:
    r"""Standardize every feature by the moments given, then scale and shift it.

    Args:
        z: Pre-activations, shape ``(B, D)`` or ``(B, C, ...)``.
        mean: :math:`\mu`, shape ``(D,)``: of the batch in training, running at inference.
        variance: :math:`\sigma^2`, shape ``(D,)``.
        gain: :math:`\gamma`, shape ``(D,)``.
        shift: :math:`\beta`, shape ``(D,)``.
        eps: :math:`\epsilon`.

    Example:
        >>> z, mean, variance = torch.tensor([[5.0]]), torch.tensor([2.0]), torch.tensor([9.0])
        >>> batch_normalize(z, mean, variance, gain=torch.tensor([3.0]), shift=torch.tensor([2.0]), eps=0.0)
        tensor([[5.]])
    """
    column = (-1, *[1] * (z.ndim - 2))
    scale = gain / torch.sqrt(variance + eps)
    return (z - mean.view(column)) * scale.view(column) + shift.view(column)


def update_running(
    running: RunningMoments, batch: BatchMoments, *, rate: float = 0.1, unbiased: bool = True
) -> RunningMoments:
    r"""Move the running averages towards a batch.

    Args:
        running: Averages so far.
        batch: Moments of the batch.
        rate: :math:`\alpha`, PyTorch's ``momentum``.
        unbiased: Whether the variance is corrected by :math:`m/(m-1)`, as in PyTorch.

    Example:
        >>> start = RunningMoments(torch.zeros(1), torch.ones(1))
        >>> update_running(start, batch_moments(torch.tensor([[1.0], [3.0]])), unbiased=False)
        RunningMoments(mean=tensor([0.2000]), variance=tensor([1.]))
    """
    factor = batch.size / (batch.size - 1) if unbiased else 1.0
    return RunningMoments(
        (1 - rate) * running.mean + rate * batch.mean,
        (1 - rate) * running.variance + rate * factor * batch.variance,
    )
