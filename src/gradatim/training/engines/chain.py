r"""Backpropagation without autograd for plain chains of dense layers.

A step of a small network is mostly overhead: a graph is recorded, walked and thrown away. For a chain the
walk is known beforehand, so forward and backward are two short loops into buffers that are reused (:class:`Walk`).

"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.losses import LOSSES, align
from gradatim.training.batches import Batch, weight_of
from gradatim.training.engines.engine import Engine, Run
from gradatim.training.engines.flat import FlatOptimizer
from gradatim.training.engines.walk import Walk, is_walkable

_aten = torch.ops.aten
_nll_loss = _aten.nll_loss_forward.default
_nll_loss_backward = _aten.nll_loss_backward.grad_input
# multiplications of a step below which a second thread costs more than it gives
SMALL_STEP = 4_000_000


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


def is_chain(model: nn.Module, loss: object) -> bool:
    """Whether a model is plain dense layers, and its loss one whose derivative is known here."""
    if bare(loss)[0] not in _HEADS or not is_walkable(model):
        return False
    is_blind = loss is LOSSES["cross_entropy"] and len(list(model.parameters())[-1]) == 1
    return not is_blind  # of one class: the loss itself has the words for that


class Chain:
    """Loss and gradients of a chain; gradients land in the ``.grad`` of its parameters.

    Args:
        model: A model for which :func:`is_chain` is true, whose parameters have a ``.grad``.
        loss: One of the named losses it knows.
        rows: Largest batch.
    """

    def __init__(self, model: nn.Sequential, loss: object, rows: int) -> None:
        self.walk = Walk(model, rows)
        kind, fixed = bare(loss)
        self.head: Callable[..., Any] = partial(_HEADS[kind], **fixed) if fixed else _HEADS[kind]
        self.weighted_head: Callable[..., Any] = partial(_WEIGHTED[kind], **fixed)
        self.multiplications = self.walk.multiplications

    def forward(self, x: Tensor, y: Tensor, weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch, whose rows may weigh, and remember what the backward pass needs."""
        z = self.walk.forward(x)
        loss, self.delta = self.head(z, y) if weight is None else self.weighted_head(z, y, weight)
        return loss

    def backward(self, factor: float = 1.0) -> None:
        """Fill the gradients of the batch last seen by :meth:`forward`, times a factor."""
        delta = self.delta()
        if factor == 0.0:  # of a part that counts nothing, whatever its loss
            delta.zero_()
        elif factor != 1.0:
            delta.mul_(factor)
        self.walk.backward(delta)


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
