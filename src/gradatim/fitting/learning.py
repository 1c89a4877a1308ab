"""How every kind of data trains its network."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from torch import nn

from gradatim.events import CancelToken
from gradatim.randomness import seeded
from gradatim.training import Callback, Checkpoint, History, Trainer

Network = TypeVar("Network", bound=nn.Module)


class Target(NamedTuple):
    r"""How targets become what a network learns: classes stay as they are, values become :math:`(y - \mu)/\sigma`.

    Args:
        classes: Number of classes; 0 for regression.
        center: :math:`\mu`.
        scale: :math:`\sigma`.
    """

    classes: int
    center: float
    scale: float

    @property
    def loss(self) -> str:
        """Name of the loss."""
        return "cross_entropy" if self.classes else "mse"

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Classes ``(N,)``, or scaled values ``(N, 1)``."""
        return y if self.classes else ((y - self.center) / self.scale).astype(np.float32)[:, None]


def read_target(y: np.ndarray, classes: int) -> Target:
    """Learn the scale of targets from those of the training rows.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.

    Example:
        >>> read_target(np.array([1.0, 3.0]), 0).encode(np.array([4.0])).tolist()
        [[2.0]]
    """
    if classes:
        return Target(classes, 0.0, 1.0)
    return Target(0, float(y.mean()), float(y.std()) or 1.0)


def train_network(
    build: Callable[[], Network],
    train: object,
    validation: object = None,
    *,
    seed: int,
    optimizer: str = "adamw",
    schedule: Any = "cosine",
    device: str = "cpu",
    callbacks: Sequence[Callback] = (),
    checkpoint: Path | None = None,
    cancel: CancelToken | None = None,
    **settings: Any,
) -> tuple[Network, History]:
    """Build a network and train it, or go on from the file that an earlier run left.

    Args:
        build: Makes the network, with weights drawn from ``seed``.
        train: What it learns from.
        validation: What it is watched on.
        seed: Fixes weights, order and dropout.
        optimizer: As in :class:`~gradatim.training.Trainer`.
        schedule: As there.
        device: As there.
        callbacks: As there.
        checkpoint: File that is written after every epoch; if it is there, training goes on from it.
        cancel: Ends the run after the current batch, once it is cancelled.
        settings: Further arguments of the Trainer, which refuses what it does not know.

    Raises:
        NonFiniteError: Training diverged.
        Cancelled: Training was interrupted or cancelled; half a training must not pass for a result.
    """
    with seeded(seed):
        network = build()
    saving = [] if checkpoint is None else [Checkpoint(checkpoint)]
    trainer = Trainer(
        network, optimizer=optimizer, schedule=schedule, device=device, seed=seed, progress=False,
        callbacks=[*callbacks, *saving], **settings,
    )  # fmt: skip
    if checkpoint is not None and checkpoint.is_file():
        trainer.resume(checkpoint)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what does not learn: the score tells
        return network, trainer.fit(train, validation, cancel=cancel)
