"""How every kind of data trains its network."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.special import expit, softmax
from torch import nn

from gradatim.events import CancelToken
from gradatim.randomness import seeded
from gradatim.training import Callback, Checkpoint, History, Trainer

Network = TypeVar("Network", bound=nn.Module)


class Target(NamedTuple):
    r"""How targets become what a network learns: classes stay as they are, values become :math:`(y - \mu)/\sigma`.

    Args:
        classes: Number of classes, or of labels of which a row may have several; 0 for regression.
        center: :math:`\mu`.
        scale: :math:`\sigma`.
        is_tagged: Whether a row may have several labels, or none.
    """

    classes: int
    center: float = 0.0
    scale: float = 1.0
    is_tagged: bool = False

    @property
    def loss(self) -> str:
        """Name of the loss."""
        if self.is_tagged:
            return "bce"
        return "cross_entropy" if self.classes else "mse"

    @property
    def outputs(self) -> int:
        """Outputs of a network for it."""
        return self.classes or 1

    def decode(self, outputs: np.ndarray) -> np.ndarray:
        """What a network's outputs ``(N, K)`` mean: probabilities ``(N, K)``, or values ``(N,)``."""
        if self.is_tagged:
            return expit(outputs)
        return softmax(outputs, 1) if self.classes else outputs[:, 0] * self.scale + self.center

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Classes ``(N,)``, marks ``(N, labels)``, or scaled values ``(N, 1)``."""
        if self.is_tagged:
            return y.astype(np.float32)
        return y if self.classes else ((y - self.center) / self.scale).astype(np.float32)[:, None]


def read_target(y: np.ndarray, classes: int) -> Target:
    """Learn the scale of targets from those of the training rows.

    Args:
        y: Class codes, marks ``(N, labels)`` of several labels, or values.
        classes: Number of classes or labels; 0 for regression.

    Example:
        >>> read_target(np.array([1.0, 3.0]), 0).encode(np.array([4.0])).tolist()
        [[2.0]]
    """
    if classes:
        return Target(classes, is_tagged=y.ndim == 2)
    return Target(0, float(y.mean()), float(y.std()) or 1.0)


def train_network(
    build: Callable[[], Network],
    train: object,
    validation: object = None,
    *,
    seed: int,
    optimizer: Any = "adamw",
    schedule: Any = "cosine",
    device: str = "cpu",
    callbacks: Sequence[Callback] = (),
    checkpoint: Path | None = None,
    cancel: CancelToken | None = None,
    sample_weight: np.ndarray | None = None,
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
        sample_weight: Weight of every row of ``train``.
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
        return network, trainer.fit(train, validation, sample_weight=sample_weight, cancel=cancel)
