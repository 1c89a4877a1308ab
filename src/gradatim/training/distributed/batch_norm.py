r"""Batch normalization over the rows of all processes.

.. math:: \mu = \frac{1}{N}\sum_p n_p \mu_p, \qquad
    \sigma^2 = \frac{1}{N}\sum_p \bigl(M_p + n_p (\mu_p - \mu)^2\bigr), \qquad \hat x = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}}

with :math:`n_p` numbers of process :math:`p` in a channel, their mean :math:`\mu_p` and sum of squared deviations
:math:`M_p`. One sum in the forward pass, one in the backward pass, on any device.

Reference:
    Ioffe and Szegedy, Batch Normalization, 2015; merging of means and variances as in Chan et al., 1979.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from gradatim.errors import require
from gradatim.training.distributed.group import Group

TOLD = "Trainer: batch normalization sees only the rows of {0}, so the result depends on how many there are. {1}"


class Rows:
    """Whose rows are normalized.

    Args:
        group: The processes.

    Attributes:
        are_counted: Whether those of this process count; one that stands in for none does not.
    """

    def __init__(self, group: Group) -> None:
        self.group, self.are_counted = group, True


class _Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, mean: Tensor, scale: Tensor, count: float, rows: Rows) -> Tensor:  # fmt: skip
        hat = (x - _along(mean, x)) * _along(scale, x)
        ctx.save_for_backward(hat, scale)
        ctx.count, ctx.rows = count, rows
        return hat

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None, None, None]:
        (delta,), (hat, scale) = gradients, ctx.saved_tensors
        if not ctx.rows.are_counted:
            ctx.rows.group.sum(torch.zeros(2, len(scale), dtype=delta.dtype, device=delta.device))
            return torch.zeros_like(delta), None, None, None, None
        sums = torch.stack([_over_rows(delta), _over_rows(delta * hat)])
        mean, slope = ctx.rows.group.sum(sums) / ctx.count
        return _along(scale, hat) * (delta - _along(mean, hat) - hat * _along(slope, hat)), None, None, None, None  # fmt: skip


def _along(values: Tensor, x: Tensor) -> Tensor:
    """Values of channels, as they stand in ``x``."""
    return values.view(1, -1, *[1] * (x.ndim - 2))


def _over_rows(x: Tensor) -> Tensor:
    return x.transpose(0, 1).flatten(1).sum(1)


def normalize(module: _BatchNorm, x: Tensor, rows: Rows) -> Tensor:
    """What a layer makes of its share of a batch in training mode; its running figures follow.

    Args:
        module: The layer.
        x: Shape ``(B, C, ...)``.
        rows: Whose rows are normalized.
    """
    mean, variance, count = moments(x, rows)
    if module.running_mean is not None and module.num_batches_tracked is not None:
        module.num_batches_tracked.add_(1)
        momentum = module.momentum
        if momentum is None:
            momentum = 1.0 / float(module.num_batches_tracked)
        assert module.running_var is not None
        with torch.no_grad():
            module.running_mean.lerp_(mean, momentum)
            module.running_var.lerp_(variance * (count / max(count - 1.0, 1.0)), momentum)
    hat = _Normalize.apply(x, mean, torch.rsqrt(variance + module.eps), count, rows)
    if module.weight is None:
        return hat
    return torch.addcmul(_along(module.bias, hat), hat, _along(module.weight, hat))


@torch.no_grad()
def moments(x: Tensor, rows: Rows) -> tuple[Tensor, Tensor, float]:
    """Mean and variance of every channel over all processes, and of how many numbers.

    Args:
        x: What this process has.
        rows: Whose rows count.

    Example:
        >>> mean, variance, count = moments(torch.tensor([[1.0], [3.0]]), Rows(Group()))
        >>> mean.item(), variance.item(), count
        (2.0, 1.0, 2.0)
    """
    group, channels = rows.group, x.transpose(0, 1).flatten(1)
    parts = x.new_zeros(group.world_size, 3, len(channels))
    if rows.are_counted:
        mean = channels.mean(1)
        spread = (channels - mean.unsqueeze(1)).square().sum(1)
        parts[group.rank] = torch.stack([mean, spread, torch.full_like(mean, channels.shape[1])])
    means, spreads, counts = group.sum(parts).unbind(1)
    count = counts.sum(0)
    mean = (counts * means).sum(0) / count
    variance = (spreads + counts * (means - mean).square()).sum(0) / count
    return mean, variance, float(count[0])


@contextmanager
def synced(model: nn.Module, rows: Rows, *, is_wanted: bool, parts: int) -> Iterator[None]:
    """While inside, layers of batch normalization see the rows of all processes, if that is wanted.

    Args:
        model: The model.
        rows: Whose rows are normalized.
        is_wanted: Whether they should.
        parts: Parts of a batch in a process, one after the other.
    """
    layers = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    rule = "Trainer: sync_batch_norm must come with a model that has batch normalization"
    require(layers or not is_wanted, rule, type(model).__name__, "Leave it out.")
    if layers and parts > 1:
        warnings.warn(TOLD.format("a part", "Try accumulate=1."), stacklevel=2)
    if layers and not is_wanted and not rows.group.is_alone:
        warnings.warn(TOLD.format("one process", "Try sync_batch_norm=True."), stacklevel=2)
    if not is_wanted or rows.group.is_alone:
        yield
        return

    def forward_of(module: _BatchNorm) -> Any:
        usual = module.forward

        def forward(x: Tensor) -> Tensor:
            return normalize(module, x, rows) if module.training else usual(x)

        return forward

    for layer in layers:
        vars(layer)["forward"] = forward_of(layer)
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward
