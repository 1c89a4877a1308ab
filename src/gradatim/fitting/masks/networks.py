"""The network candidate: a small U-Net, stopped where images that it does not learn from say so."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.data import flip_pairs
from gradatim.evaluation.splits import split_test
from gradatim.fitting.images.inputs import as_inputs, scale_pixels
from gradatim.fitting.images.networks import forget_faster
from gradatim.fitting.learning import train_network
from gradatim.fitting.network import FittedNetwork
from gradatim.losses import dice_cross_entropy
from gradatim.models import UNet
from gradatim.training import Augmented, Callback, EarlyStopping, History

EPOCHS = (3, 60)
UNTIMED_STEPS = 200
BATCH = 4  # images; each has thousands of pixels
INNER = 0.15  # of the images, that tell when to stop
FEWEST = 6  # images of which some may tell
PATIENCE = 0.3  # of the epochs, without improvement
FLIPS = ("none", "horizontal", "both")


@dataclass(frozen=True)
class MaskSettings:
    """What tuning chooses.

    Args:
        width: Channels at the top; each level below has twice as many.
        depth: Levels, 2 to 4: the image is halved between them.
        flips: How training images are mirrored: ``"none"``, ``"horizontal"`` or ``"both"``.
        dice: Share of the Dice loss; the rest is cross-entropy.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
    """

    width: int = 16
    depth: int = 3
    flips: str = "horizontal"
    dice: float = 0.5
    weight_decay: float = 0.01
    lr: float = 8e-3


def draw_settings(trial: int, seed: int) -> MaskSettings:
    """Settings of trial number ``trial``; the first are the defaults, then without flips and deeper, then random ones.

    Example:
        >>> [draw_settings(k, 0).flips for k in range(3)]
        ['horizontal', 'none', 'both']
    """
    if trial < 3:
        return (MaskSettings(), MaskSettings(flips="none"), MaskSettings(flips="both", depth=4))[trial]  # fmt: skip
    rng = np.random.default_rng([seed, trial])
    return MaskSettings(
        width=int(rng.choice([12, 16, 16, 24])),
        depth=int(rng.choice([3, 3, 4])),
        flips=str(rng.choice(FLIPS)),
        dice=float(rng.choice([0.0, 0.5, 0.8])),
        weight_decay=float(np.round(10 ** rng.uniform(-3, -1), 4)),
        lr=float(np.round(10 ** rng.uniform(-2.5, -1.8), 5)),
    )


def relative_cost(settings: MaskSettings) -> float:
    """Time of a step in units of that of the default settings, about.

    Example:
        >>> relative_cost(MaskSettings(width=16)), relative_cost(MaskSettings(width=32))
        (1.0, 2.0)
    """
    return settings.width / MaskSettings.width * (1.25 if settings.depth > 3 else 1.0)


def plan_epochs(images: int) -> int:
    """Passes over so many images where time plays no part.

    Example:
        >>> plan_epochs(20), plan_epochs(200), plan_epochs(100_000)
        (40, 4, 3)
    """
    return int(np.clip(UNTIMED_STEPS * BATCH / images, *EPOCHS))


@dataclass(eq=False, repr=False)
class MaskNetwork(FittedNetwork):
    """A trained U-Net with the scale of its inputs.

    Args:
        module: Pictures to logits of every pixel.
        classes: Number of classes.
        settings: What was chosen, ``mean`` and ``spread`` of the training pixels and ``epochs`` among it.
    """

    block = 4

    classes: int
    settings: dict[str, Any]

    def compute(self, *rows: Tensor) -> Tensor:
        """Probabilities of every pixel of pictures."""
        inputs = scale_pixels(rows[0], self.settings["mean"], self.settings["spread"])
        # grey ones would pass for channels last, and give other bits
        return self.module(inputs.clone(memory_format=torch.contiguous_format)).softmax(1)

    def outputs(self, images: np.ndarray) -> np.ndarray:
        """Return probabilities ``(N, classes, side, side)``."""
        parts = [self.run(images[k : k + 64]).astype(np.float32) for k in range(0, len(images), 64)]
        return np.concatenate(parts)


def build_network(settings: MaskSettings, classes: int, channels: int) -> UNet:
    """Build the module."""
    widths = [settings.width * 2**level for level in range(settings.depth)]
    return UNet(channels, classes, widths=widths, is_normalized=True)


def hold_back(images: int, seed: int, groups: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Images to learn from, and images that tell when to stop; none where there are few.

    Args:
        images: How many there are.
        seed: Fixes the draw.
        groups: Group of every image, if groups must stay together.

    Example:
        >>> [len(part) for part in hold_back(20, 0)], [len(part) for part in hold_back(4, 0)]
        ([17, 3], [4, 0])
    """
    if images < FEWEST or (groups is not None and len(np.unique(groups)) < 2):
        return np.arange(images), np.arange(0)
    rng = np.random.default_rng([seed, 6])
    return split_test(np.zeros(images, dtype=int), INNER, rng, groups=groups, keep_groups=1)


def fit_network(
    images: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: MaskSettings,
    epochs: int,
    seed: int,
    *,
    groups: np.ndarray | None = None,
    stops_early: bool = True,
    watched: tuple[np.ndarray, np.ndarray] | None = None,
    callbacks: Sequence[Callback] = (),
) -> tuple[MaskNetwork, History]:
    """Train the network on pictures and the classes of their pixels.

    Args:
        images: Shape ``(N, side, side, channels)``.
        y: Shape ``(N, side, side)``.
        classes: Number of classes.
        settings: What was chosen.
        epochs: Passes over the images, at the most.
        seed: Fixes weights, order, flips and which images tell when to stop.
        groups: Group of every image, if groups must stay together.
        stops_early: Whether some images are held back to tell when to stop; the best weights are taken.
        watched: Pictures and classes to watch instead, to the end.
        callbacks: As in :class:`~gradatim.training.Trainer`.

    Raises:
        NonFiniteError: Training diverged.
    """
    learn, look = np.arange(len(images)), np.arange(0)
    if watched is None and stops_early:
        learn, look = hold_back(len(images), seed, groups)
        watched = (images[look], y[look]) if len(look) else None
    mean, spread = float(images[learn].mean()), float(images[learn].std()) or 1.0
    stopping = EarlyStopping(patience=max(round(PATIENCE * epochs), 2))

    def build() -> nn.Module:
        module = build_network(settings, classes, images.shape[-1])
        forget_faster(module, epochs * -(-len(learn) // BATCH))
        return module

    module, history = train_network(
        build,
        (as_inputs(images[learn], mean, spread), y[learn].astype(np.int64)),
        None if watched is None else (as_inputs(watched[0], mean, spread), watched[1].astype(np.int64)),
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        batch_size=min(BATCH, len(learn)),
        objective=_objective(settings),
        seed=seed,
        callbacks=[*callbacks, *([stopping] if len(look) else [])],
    )  # fmt: skip
    done = stopping.best_epoch if len(look) else len(history)
    chosen = {**asdict(settings), "mean": mean, "spread": spread, "epochs": max(int(done), 1)}
    return MaskNetwork(module, classes, chosen), history


def _objective(settings: MaskSettings) -> Augmented:
    flips = None
    if settings.flips != "none":
        flips = partial(flip_pairs, vertical=settings.flips == "both")
    return Augmented((), dice_cross_entropy(settings.dice), mixing=flips)


def training_speed(images: np.ndarray, y: np.ndarray, classes: int, settings: MaskSettings) -> float:  # fmt: skip
    """Images per second that the network trains on."""
    probe, labels = images[: 6 * BATCH], y[: 6 * BATCH]
    for _ in range(2):  # the first time is slower
        started = time.perf_counter()
        fit_network(probe, labels, classes, settings, 1, 0, stops_early=False)
    return len(probe) / (time.perf_counter() - started)
