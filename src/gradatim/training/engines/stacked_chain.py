r"""Backpropagation of K equal chains of dense layers as batched matrix products, without autograd.

.. math::
    Z^k_\ell = H^k_{\ell-1} W_\ell^{k\top} + b^k_\ell, \qquad
    \nabla_{W^k_\ell} = \Delta_\ell^{k\top} H^k_{\ell-1}, \qquad k = 1 \dots K

The last layer is kept transposed, outputs before rows: few outputs in the last dimension are slow.
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.losses import LOSSES, Loss
from gradatim.training.engines.chain import bare
from gradatim.training.engines.stacked_parameters import StackedParameters
from gradatim.training.engines.walk import Activation


class _Dense:
    """A hidden layer, shape ``(K, B, width)``."""

    def __init__(self, stack: StackedParameters, name: str, rows: int, is_first: bool) -> None:
        self.weight, self.gradient = (
            stack.views[f"{name}.weight"],
            stack.gradients[f"{name}.weight"],
        )
        self.weight_t, self.is_first = self.weight.transpose(1, 2), is_first
        bias = stack.views.get(f"{name}.bias")
        self.bias = None if bias is None else bias.unsqueeze(1)
        self.bias_gradient = stack.gradients.get(f"{name}.bias")
        replicas, self.width, n_in = self.weight.shape
        self.out = self.weight.new_empty(replicas, rows, self.width)
        self.delta = self.weight.new_empty(replicas, 0 if is_first else rows, n_in)

    def infer(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        if self.bias is None:
            return torch.bmm(x, self.weight_t, out=out)
        return torch.baddbmm(self.bias, x, self.weight_t, out=out)

    def forward(self, x: Tensor) -> Tensor:
        self.x = x
        return self.infer(x, self.out)

    def backward(self, delta: Tensor) -> Tensor:
        torch.bmm(delta.transpose(1, 2), self.x, out=self.gradient)
        if self.bias_gradient is not None:
            torch.sum(delta, 1, out=self.bias_gradient)
        return delta if self.is_first else torch.bmm(delta, self.weight, out=self.delta)


class _Last(_Dense):
    """The output layer, shape ``(K, outputs, B)``."""

    def infer(self, x: Tensor, out: Tensor | None = None) -> Tensor:
        x_t = x.transpose(1, 2)
        if self.bias is None:
            return torch.bmm(self.weight, x_t, out=out)
        return torch.baddbmm(self.bias.transpose(1, 2), self.weight, x_t, out=out)

    def forward(self, x: Tensor) -> Tensor:
        self.x = x
        return self.infer(x)

    def backward(self, delta: Tensor) -> Tensor:
        torch.bmm(delta, self.x, out=self.gradient)
        if self.bias_gradient is not None:
            torch.sum(delta, 2, out=self.bias_gradient)
        if self.is_first:
            return delta
        return torch.bmm(delta.transpose(1, 2), self.weight, out=self.delta)


class _Dropout:
    """Every replica draws from its own generator, for the rows it has: as it would alone."""

    def __init__(self, p: float, like: Tensor, generators: Sequence[torch.Generator]) -> None:
        self.keep, self.generators = 1.0 - p, generators
        self.mask, self.out = torch.zeros_like(like), torch.empty_like(like)

    def draw(self, counts: list[int]) -> None:
        if min(counts) < self.mask.shape[1]:
            self.mask.zero_()
        for mask, count, generator in zip(self.mask, counts, self.generators, strict=True):
            if count:
                mask[:count].bernoulli_(self.keep, generator=generator)
        self.mask.div_(self.keep)

    def infer(self, x: Tensor) -> Tensor:
        return x

    def forward(self, x: Tensor) -> Tensor:
        return torch.mul(x, self.mask, out=self.out)

    def backward(self, delta: Tensor) -> Tensor:
        return delta.mul_(self.mask)


# Heads: outputs z (…, outputs, B), targets and row weights; delta is dL/dz, losses are L before summing.


def _labels(y: Tensor) -> Tensor:
    return y.unsqueeze(-2)


def _values(y: Tensor) -> Tensor:
    return y.unsqueeze(-2) if y.ndim < 4 else y.transpose(-1, -2)


def _cross_entropy_delta(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return torch.softmax(z, -2).mul_(weight).scatter_add_(-2, y, -weight)


def _cross_entropy(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return torch.log_softmax(z, -2).gather(-2, y).mul_(-weight)


def _mse_delta(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return (z - y).mul_(weight).mul_(2.0 / z.shape[-2])


def _mse(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return (z - y).square_().mul_(weight).div_(z.shape[-2])


def _bce_delta(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return torch.sigmoid(z).sub_(y).mul_(weight).div_(z.shape[-2])


def _bce(z: Tensor, y: Tensor, weight: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(z, y, reduction="none").mul_(weight).div_(z.shape[-2])


def _pinball_delta(z: Tensor, y: Tensor, weight: Tensor, quantile: float = 0.5) -> Tensor:
    return torch.where(y > z, -quantile, 1.0 - quantile).mul_(weight).div_(z.shape[-2])


def _pinball(z: Tensor, y: Tensor, weight: Tensor, quantile: float = 0.5) -> Tensor:
    gap = y - z
    return torch.maximum(quantile * gap, (quantile - 1.0) * gap).mul_(weight).div_(z.shape[-2])


_Head = tuple[Callable[[Tensor], Tensor], Callable[..., Tensor], Callable[..., Tensor]]
_HEADS: dict[Loss, _Head] = {
    LOSSES["cross_entropy"]: (_labels, _cross_entropy_delta, _cross_entropy),
    LOSSES["mse"]: (_values, _mse_delta, _mse),
    LOSSES["bce"]: (_values, _bce_delta, _bce),
    LOSSES["pinball"]: (_values, _pinball_delta, _pinball),
}


class StackedChain:
    """Losses and gradients of K chains.

    Args:
        model: Any of the networks, for which :func:`gradatim.training.engines.chain.is_chain` holds.
        loss: One of the named losses it knows.
        stack: Values and gradients of all networks.
        rows: Rows per batch.
        generators: Randomness of every replica.
    """

    def __init__(
        self,
        model: nn.Sequential,
        loss: Loss,
        stack: StackedParameters,
        *,
        rows: int,
        generators: Sequence[torch.Generator],
    ) -> None:
        kind, fixed = bare(loss)
        self.align, delta, own = _HEADS[kind]
        self.delta, self.loss = partial(delta, **fixed), partial(own, **fixed)
        layers = [
            (n, m) for n, m in model.named_children() if not (type(m) is nn.Dropout and m.p == 0)
        ]
        self.stages: list[_Dense | Activation | _Dropout] = []
        for name, layer in layers:
            if isinstance(layer, nn.Linear):
                kind = _Last if layer is layers[-1][1] else _Dense
                dense = kind(stack, name, rows, is_first=not self.stages)
                self.stages.append(dense)
            elif isinstance(layer, nn.Dropout):
                self.stages.append(_Dropout(layer.p, dense.out, generators))
            else:
                self.stages.append(Activation(type(layer)))
        self.dropouts = [stage for stage in self.stages if isinstance(stage, _Dropout)]
        self.multiplications = rows * stack.values.numel()

    def prepare(self, y: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Bring targets and weights of a chunk to the outputs' shape."""
        return self.align(y), weight.unsqueeze(-2)

    def gradients(self, x: Tensor, y: Tensor, weight: Tensor, counts: list[int]) -> Tensor:
        """Fill the gradients of a batch and return its outputs, from which :meth:`losses` counts."""
        for dropout in self.dropouts:
            dropout.draw(counts)
        for stage in self.stages:
            x = stage.forward(x)
        delta = self.delta(x, y, weight)
        for stage in reversed(self.stages):
            delta = stage.backward(delta)
        return x

    def losses(self, traces: list[Tensor], y: Tensor, weight: Tensor) -> Tensor:
        """Return the loss of every step and replica of a chunk."""
        return self.loss(torch.stack(traces), y, weight).sum((-1, -2))

    def evaluate(self, x: Tensor, y: Tensor, weight: Tensor) -> Tensor:
        """Return the weighted loss of every replica, without dropout."""
        for stage in self.stages:
            x = stage.infer(x)
        y, weight = self.prepare(y.unsqueeze(0), weight.unsqueeze(0))
        return self.loss(x.unsqueeze(0), y, weight).sum((-1, -2))[0]
