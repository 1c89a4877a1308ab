r"""Backpropagation without autograd for plain chains of dense layers.

A step of a small network is mostly overhead: a graph is recorded, walked and thrown away. For a chain the
walk is known beforehand, so forward and backward are two short loops into buffers that are reused:

.. math::
    z_\ell = W_\ell h_{\ell-1} + b_\ell, \quad h_\ell = \phi(z_\ell), \qquad
    \nabla_{W_\ell} = \delta_\ell^\top h_{\ell-1}, \quad
    \delta_{\ell-1} = (\delta_\ell W_\ell) \odot \phi'(z_{\ell-1})

The kernels are those autograd calls, so the numbers are the same.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.losses import LOSSES, align
from gradatim.models import MLP
from gradatim.training.batches import Batch, weight_of
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.flat import FlatOptimizer

_aten = torch.ops.aten
_threshold_backward = _aten.threshold_backward.grad_input
_nll_loss = _aten.nll_loss_forward.default
_nll_loss_backward = _aten.nll_loss_backward.grad_input
# multiplications of a step below which a second thread costs more than it gives
SMALL_STEP = 4_000_000


class _Dense:
    def __init__(self, layer: nn.Linear, rows: int, is_first: bool) -> None:
        self.layer, self.is_first = layer, is_first
        self.above: Tensor | None = None
        self.out_buffer = layer.weight.new_empty(rows, layer.out_features)
        self.in_buffer = layer.weight.new_empty(0 if is_first else rows, layer.in_features)

    def resize(self, rows: int) -> None:
        self.out, self.delta = self.out_buffer[:rows], self.in_buffer[:rows]
        self.weight = self.layer.weight.detach()
        self.weight_t = self.weight.t()
        self.bias = None if self.layer.bias is None else self.layer.bias.detach()
        assert self.layer.weight.grad is not None
        self.weight_grad = self.layer.weight.grad
        self.bias_grad = None if self.bias is None else self.layer.bias.grad

    def forward(self, x: Tensor) -> Tensor:
        self.x = x
        if self.bias is None:
            return torch.mm(x, self.weight_t, out=self.out)
        return torch.addmm(self.bias, x, self.weight_t, out=self.out)

    def backward(self, delta: Tensor) -> Tensor:
        if delta is not self.above:  # below a hidden layer it is the same buffer every time
            self.above, self.above_t = delta, delta.t()
        torch.mm(self.above_t, self.x, out=self.weight_grad)
        if self.bias_grad is not None:
            torch.sum(delta, 0, out=self.bias_grad)
        return delta if self.is_first else torch.mm(delta, self.weight, out=self.delta)


class Activation:
    """In place on the dense layer's output, which that layer does not need again."""

    def __init__(self, kind: type[nn.Module]) -> None:
        self.infer, self.derivative = _ACTIVATIONS[kind]

    def resize(self, rows: int) -> None:
        return

    def forward(self, x: Tensor) -> Tensor:
        self.out = self.infer(x)
        return self.out

    def backward(self, delta: Tensor) -> Tensor:
        return self.derivative(delta, self.out, grad_input=delta)


class _Dropout:
    def __init__(self, p: float, rows: int, width: int, like: Tensor) -> None:
        self.keep, self.mask_buffer = 1.0 - p, like.new_empty(rows, width)
        self.out_buffer = like.new_empty(rows, width)

    def resize(self, rows: int) -> None:
        self.mask, self.out = self.mask_buffer[:rows], self.out_buffer[:rows]

    def forward(self, x: Tensor) -> Tensor:
        self.mask.bernoulli_(self.keep).div_(self.keep)
        return torch.mul(x, self.mask, out=self.out)

    def backward(self, delta: Tensor) -> Tensor:
        return delta.mul_(self.mask)


def _relu_backward(delta: Tensor, out: Tensor, *, grad_input: Tensor) -> Tensor:
    return _threshold_backward(delta, out, 0, grad_input=grad_input)


_ACTIVATIONS: dict[type[nn.Module], tuple[Callable[[Tensor], Tensor], Callable[..., Tensor]]] = {
    nn.ReLU: (torch.relu_, _relu_backward),
    nn.Tanh: (torch.tanh_, _aten.tanh_backward.grad_input),
    nn.Sigmoid: (torch.sigmoid_, _aten.sigmoid_backward.grad_input),
}


@cache
def _one(dtype: torch.dtype) -> Tensor:
    return torch.ones((), dtype=dtype)


def _cross_entropy(z: Tensor, y: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    log_p = torch.log_softmax(z, 1)
    loss, total = _nll_loss(log_p, y, None, 1, -100)  # 1: mean; -100: the label that is left out

    def delta() -> Tensor:  # z serves as a buffer: nobody needs it again
        seed = _nll_loss_backward(_one(z.dtype), log_p, y, None, 1, -100, total, grad_input=z)
        return torch._log_softmax_backward_data(seed, log_p, 1, z.dtype)

    return loss, delta


def _mse(z: Tensor, y: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    gap = z - align(z, y)
    return gap.square().mean(), lambda: gap.mul_(2.0 / gap.numel())


def _bce(z: Tensor, y: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    y = align(z, y).to(z.dtype)
    loss = F.binary_cross_entropy_with_logits(z, y)
    return loss, lambda: torch.sigmoid(z).sub_(y).mul_(1.0 / z.numel())


def _weighted_cross_entropy(z: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    log_p, label, share = torch.log_softmax(z, 1), y.unsqueeze(1), (w / len(w)).unsqueeze(1)
    share = share * (label != -100)
    label = label.clamp(min=0)
    loss = -(log_p.gather(1, label) * share).sum()
    return loss, lambda: log_p.exp_().mul_(share).scatter_add_(1, label, -share)


def _weighted_mse(z: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    gap, share = z - align(z, y), (w / z.numel()).unsqueeze(1)
    return (gap.square() * share).sum(), lambda: gap.mul_(2.0 * share)


def _weighted_bce(z: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, Callable[[], Tensor]]:
    y, share = align(z, y).to(z.dtype), (w / z.numel()).unsqueeze(1)
    loss = (F.binary_cross_entropy_with_logits(z, y, reduction="none") * share).sum()
    return loss, lambda: torch.sigmoid(z).sub_(y).mul_(share)


def _weighted_pinball(z: Tensor, y: Tensor, w: Tensor, quantile: float = 0.5) -> tuple[Tensor, Callable[[], Tensor]]:  # fmt: skip
    gap = align(z, y) - z
    slope = torch.where(gap > 0, quantile, quantile - 1.0).mul_((w / z.numel()).unsqueeze(1))
    return (gap * slope).sum(), slope.neg_


def _pinball(z: Tensor, y: Tensor, quantile: float = 0.5) -> tuple[Tensor, Callable[[], Tensor]]:
    return _weighted_pinball(z, y, z.new_ones(len(z)), quantile)


_WEIGHTED: dict[Any, Callable[..., Any]] = {LOSSES["cross_entropy"]: _weighted_cross_entropy, LOSSES["mse"]: _weighted_mse, LOSSES["bce"]: _weighted_bce, LOSSES["pinball"]: _weighted_pinball}  # fmt: skip
_HEADS: dict[Any, Callable[..., Any]] = {LOSSES["cross_entropy"]: _cross_entropy, LOSSES["mse"]: _mse, LOSSES["bce"]: _bce, LOSSES["pinball"]: _pinball}  # fmt: skip


def bare(loss: Any) -> tuple[Any, dict[str, Any]]:
    """A loss without the arguments that ``partial`` fixes, and these.

    >>> from gradatim.losses import pinball_loss
    >>> bare(partial(pinball_loss, quantile=0.9))[1]
    {'quantile': 0.9}
    """
    if isinstance(loss, partial) and not loss.args:
        return loss.func, dict(loss.keywords)
    return loss, {}


def _is_watched(module: nn.Module) -> bool:
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name) for name in hooks) or hasattr(module, "parametrizations")


def is_chain(model: nn.Module, loss: object) -> bool:
    """Whether ``model`` is dense layers, each followed by at most one known activation, then dropout."""
    if not isinstance(model, nn.Sequential) or type(model) not in (nn.Sequential, MLP):
        return False
    if bare(loss)[0] not in _HEADS:
        return False
    if any(_is_watched(module) for module in model.modules()):
        return False
    layers = [m for m in model if not (type(m) is nn.Dropout and m.p == 0)]
    kinds = [type(layer) for layer in layers]
    parameters = [p for layer in layers for p in layer.parameters()]
    is_blind = loss is LOSSES["cross_entropy"] and parameters and len(parameters[-1]) == 1
    return (
        bool(kinds)
        and not is_blind  # of one class: the loss itself has the words for that
        and kinds[0] is nn.Linear
        and kinds[-1] is nn.Linear
        and all(kind in (nn.Linear, nn.Dropout) or kind in _ACTIVATIONS for kind in kinds)
        and all(a is nn.Linear for a, b in pairwise(kinds) if b in _ACTIVATIONS)
        and all(p.requires_grad and p.device.type == "cpu" for p in parameters)
        and len(set(map(id, parameters))) == len(parameters) == len(list(model.parameters()))
    )


class Chain:
    """Loss and gradients of a chain; gradients land in the ``.grad`` of its parameters.

    Args:
        model: A model for which :func:`is_chain` is true, whose parameters have a ``.grad``.
        loss: One of the named losses it knows.
        rows: Largest batch.
    """

    def __init__(self, model: nn.Sequential, loss: object, rows: int) -> None:
        self.stages: list[_Dense | Activation | _Dropout] = []
        kind, fixed = bare(loss)
        self.head: Callable[..., Any] = partial(_HEADS[kind], **fixed) if fixed else _HEADS[kind]
        self.weighted_head: Callable[..., Any] = partial(_WEIGHTED[kind], **fixed)
        self.rows, self.multiplications = -1, 0
        width, like = 0, torch.empty(0)
        for layer in model:
            if isinstance(layer, nn.Linear):
                self.stages.append(_Dense(layer, rows, is_first=not self.stages))
                width, like = layer.out_features, layer.weight.detach()
                self.multiplications += rows * layer.weight.numel()
            elif isinstance(layer, nn.Dropout) and layer.p:
                self.stages.append(_Dropout(layer.p, rows, width, like))
            elif type(layer) in _ACTIVATIONS:
                self.stages.append(Activation(type(layer)))

    def forward(self, x: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch, whose rows may weigh, and remember what the backward pass needs."""
        if x.shape[0] != self.rows:
            self.rows = x.shape[0]
            for stage in self.stages:
                stage.resize(self.rows)
        h = x if x.ndim == 2 else x.flatten(1)
        for stage in self.stages:
            h = stage.forward(h)
        loss, self.delta = self.head(h, y) if weight is None else self.weighted_head(h, y, weight)
        return loss

    def backward(self) -> None:
        """Fill the gradients of the batch last seen by :meth:`forward`."""
        delta = self.delta()
        for stage in reversed(self.stages):
            delta = stage.backward(delta)


class ChainEngine(Engine):
    """The numbers of the general engine for a chain, by :class:`Chain` and :class:`FlatOptimizer`.

    Args:
        run: What to move, for which nothing speaks against a chain.
    """

    def __init__(self, run: Run) -> None:
        assert isinstance(run.model, nn.Sequential)
        self.run = run
        self.optimizer = FlatOptimizer(run.optimizer)
        self.chain = Chain(run.model, run.objective.loss, run.batch_size)
        small = self.chain.multiplications < SMALL_STEP
        self.threads = 1 if small else torch.get_num_threads()

    def mode(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def __call__(self, batch: Batch) -> Tensor:
        x, y = batch
        run, chain = self.run, self.chain
        loss = chain.forward(x, y, weight_of(batch))
        run.observe(loss, batch, {}, x.shape[0])
        chain.backward()
        if run.clip_value is not None:
            self.optimizer.clip_value(run.clip_value)
        if run.clip_norm is not None:
            self.optimizer.clip_norm(run.clip_norm)
        if run.on_gradients is not None:
            with torch.inference_mode(False):
                run.on_gradients(loss)
        self.optimizer.step()
        return loss

    def sync(self) -> None:
        self.optimizer.sync()

    def close(self) -> None:
        self.optimizer.close()
