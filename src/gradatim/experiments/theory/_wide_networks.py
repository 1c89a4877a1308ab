"""Rows on a sphere, and many wide networks of one size that descend together from starts of their own."""

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.evaluation.intervals import Interval, corrected_interval
from gradatim.models import NTKMLP
from gradatim.theory import log_log_slope
from gradatim.training import train_replicas


class Descended(NamedTuple):
    """Networks before and after training, and the training error they ended with."""

    before: tuple[NTKMLP, ...]
    after: tuple[NTKMLP, ...]
    losses: tuple[float, ...]


def sphere_rows(count: int, dim: int, generator: torch.Generator) -> Tensor:
    """Random rows of length √dim, so that every coordinate has size 1."""
    rows = torch.randn(count, dim, generator=generator)
    return rows * dim**0.5 / rows.norm(dim=1, keepdim=True)


def safe_rate(K: Tensor) -> float:
    r"""The rate 1/λ of descent on the mean squared error, λ the largest eigenvalue of its Hessian, (2/N)K."""
    return len(K) / (2 * float(torch.linalg.eigvalsh(K)[-1]))


def descend_together(
    sizes: Sequence[int], activation: str, x: Tensor, y: Tensor, *, lr: float, steps: int, seeds: Sequence[int]
) -> Descended:  # fmt: skip
    """Gradient descent on all rows at once, one network for every seed, as one stacked computation."""
    before: list[NTKMLP] = []

    def build() -> NTKMLP:
        model = NTKMLP(sizes, activation=activation)
        before.append(deepcopy(model))
        return model

    found = train_replicas(
        build, (x, y[:, None]), loss="mse", optimizer="sgd", lr=lr, epochs=steps, batch_size=len(x), seed=list(seeds)
    )  # fmt: skip
    after = tuple(model for model in found.models if isinstance(model, NTKMLP))
    losses = tuple(history["train_loss"][-1] for history in found.histories)
    return Descended(tuple(before), after, losses)


def slope_interval(widths: Sequence[int], figures: Sequence[Sequence[float]]) -> Interval:
    """The power of the width, one of every network's seed, with the 95 % interval of their mean.

    Args:
        widths: Shape ``(W,)``.
        figures: One row for every width, one column for every seed.
    """
    return corrected_interval(
        [log_log_slope(widths, column) for column in zip(*figures, strict=True)], 0.0
    )
