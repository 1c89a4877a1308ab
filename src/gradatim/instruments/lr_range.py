"""Find a learning rate by raising it during a short run until the loss explodes."""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.losses import Loss
from gradatim.optim.named import OptimizerFactory
from gradatim.training.callbacks import Callback
from gradatim.training.health import NonFiniteError
from gradatim.training.objectives.objective import ObjectiveFunction
from gradatim.training.trainer import Trainer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LRRange:
    """Losses of a run whose rate grew with every batch.

    Attributes:
        lrs: Rates, one a batch, growing by a constant factor.
        losses: Loss of each batch, before the step with that rate.
        smoothed: Their average over neighbouring batches, an explosion counted as its threshold.
        suggestion: Rate at which the smoothed loss fell most steeply.
        lowest: Rate at which the smoothed loss was lowest; too large to train with.
        diverged: Whether the loss exploded before the last rate was reached.
    """

    lrs: list[float]
    losses: list[float]
    smoothed: list[float]
    suggestion: float
    lowest: float
    diverged: bool

    def __repr__(self) -> str:
        end = f"diverged at {self.lrs[-1]:.2g}" if self.diverged else "never diverged"
        return f"LRRange(suggestion={self.suggestion:.2g}, lowest={self.lowest:.2g}, {end})"

    def figure(self) -> "Figure":
        """Draw the losses against the rate, with the suggestion."""
        from gradatim.plots.optim import lr_range_figure

        return lr_range_figure(self)


class _Probe(Callback):
    """Counts batches, keeps their losses, and stops the run once the loss has exploded."""

    any_layout = True

    def __init__(self, steps: int, explosion: float) -> None:
        self.steps, self.explosion = steps, explosion
        self.losses: list[float] = []

    def on_batch_end(self, trainer: Trainer, loss: Tensor | None) -> None:
        if loss is None:
            raise InvalidValue("lr_range_test: objective must return a loss, got none.")
        self.losses.append(loss.item())
        rise = self.losses[-1] - min(self.losses)
        if len(self.losses) >= self.steps or rise > self.explosion * abs(self.losses[0]):
            trainer.stop()


def smooth(values: Sequence[float], memory: float) -> list[float]:
    r"""Average over past and future: weighted means with weights :math:`\beta^{|k-j|}`, first one way, then back.

    One way alone would lag behind the values, and start with a mean of a single one.

    >>> smooth([1.0, 1.0, 1.0], memory=0.5)
    [1.0, 1.0, 1.0]
    """
    return _running_means(_running_means(values, memory)[::-1], memory)[::-1]


def _running_means(values: Sequence[float], memory: float) -> list[float]:
    r"""Return :math:`\sum_{j\le k}\beta^{k-j}l_j/\sum_{j\le k}\beta^{k-j}` for every :math:`k`."""
    total, weight, means = 0.0, 0.0, []
    for value in values:
        total, weight = memory * total + value, memory * weight + 1
        means.append(total / weight)
    return means


def lr_range_test(
    model: nn.Module,
    data: object,
    loss: str | Loss | None = None,
    optimizer: str | OptimizerFactory = "adam",
    *,
    low: float = 1e-6,
    high: float = 10.0,
    steps: int = 100,
    batch_size: int = 128,
    weight_decay: float = 0.0,
    smoothing: float = 0.8,
    explosion: float = 3.0,
    objective: ObjectiveFunction | None = None,
    device: str | torch.device = "auto",
    seed: int = 0,
) -> LRRange:
    r"""Train a copy of ``model`` with the rate :math:`\eta_k=\eta_{\text{low}}(\eta_{\text{high}}/\eta_{\text{low}})^{k/(K-1)}`.

    Args:
        model: Left as it is.
        data: As in :meth:`Trainer.fit`.
        loss: As in :class:`Trainer`.
        optimizer: Name or factory, as in :class:`Trainer`.
        low: First rate.
        high: Last rate.
        steps: Batches :math:`K`; the data are gone through as often as needed.
        batch_size: Rows per batch.
        weight_decay: As in :class:`Trainer`.
        smoothing: Memory :math:`\beta` of the average, in [0, 1).
        explosion: Stop when the loss is this many first losses above the lowest.
        objective: As in :class:`Trainer`.
        device: As in :class:`Trainer`.
        seed: Fixes shuffling and dropout.

    Example:
        >>> X = torch.linspace(-1, 1, 256).unsqueeze(1)
        >>> found = lr_range_test(nn.Linear(1, 1), (X, 3 * X + 1), "mse", "sgd", batch_size=32)
        >>> 1e-3 < found.suggestion < found.lowest < 3
        True

    Reference:
        Smith, Cyclical Learning Rates for Training Neural Networks, 2017, section 3.3.
    """
    _check(low, high, steps, smoothing)
    probe = _Probe(steps, explosion)
    growth = (high / low) ** (1 / (steps - 1))
    trainer = Trainer(
        copy.deepcopy(model),
        loss,
        optimizer,
        lr=low,
        weight_decay=weight_decay,
        schedule=lambda t, T: growth ** len(probe.losses),
        epochs=steps,
        batch_size=batch_size,
        callbacks=[probe],
        objective=objective,
        device=device,
        seed=seed,
        progress=False,
    )
    diverged = _diverges(trainer, data, probe)
    lrs = [low * growth**k for k in range(len(probe.losses))]
    return _summary(lrs, probe.losses, diverged, smoothing, explosion)


def _check(low: float, high: float, steps: int, smoothing: float) -> None:
    if not 0 < low < high or not math.isfinite(high):
        raise InvalidValue(
            f"lr_range_test: low and high must be 0 < low < high, got {low} and {high}. "
            "Try low=1e-6, high=10."
        )
    if steps < 10:
        raise InvalidValue(f"lr_range_test: steps must be at least 10, got {steps}. Try 100.")
    if not 0 <= smoothing < 1:
        raise InvalidValue(
            f"lr_range_test: smoothing must be in [0, 1), got {smoothing}. Try smoothing=0.8."
        )


def _diverges(trainer: Trainer, data: object, probe: _Probe) -> bool:
    """Train, and say whether the loss exploded on the way."""
    try:
        trainer.fit(data)
    except NonFiniteError:
        return True
    return len(probe.losses) < probe.steps


def _summary(
    lrs: list[float], losses: list[float], diverged: bool, smoothing: float, explosion: float
) -> LRRange:
    if len(losses) < 3:
        raise InvalidValue(
            "lr_range_test: low must be a rate that can train, got one at which the loss explodes "
            "within three batches. Try a smaller one, or scale the inputs."
        )
    ceiling = losses[0] + explosion * abs(losses[0])
    smoothed = smooth([min(loss, ceiling) for loss in losses], smoothing)
    lowest = int(np.argmin(smoothed))
    slopes = np.gradient(np.asarray(smoothed))
    steepest = int(np.argmin(slopes[: max(lowest, 1)]))
    return LRRange(lrs, losses, smoothed, lrs[steepest], lrs[lowest], diverged)
