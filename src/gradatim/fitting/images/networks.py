"""The network candidates: a small convolutional network, a residual one, or a vision Transformer."""

import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from torch import Tensor, nn

from gradatim.data import mixup
from gradatim.fitting.images.distortions import distortions
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.inputs import PictureBatches, as_inputs, batch_of, cut_tiles
from gradatim.fitting.learning import Target, read_target, train_network
from gradatim.models import VGG, CifarResNet, HybridViT, ViT
from gradatim.training import Augmented, Distillation, History, Objective

EPOCHS = (2, 40)
UNTIMED_EPOCHS = 6
PROBED = 256  # pictures of 64 × 64 or less on which the network's speed is measured
SMALL = 64  # pixels a side up to which all pictures are scaled before training
TRANSFORMERS = ("vit", "hybrid")


@dataclass(frozen=True)
class ImageSettings:
    """What tuning chooses.

    Args:
        architecture: ``"cnn"`` (stages of 3 × 3 convolutions), ``"resnet"``, ``"vit"`` (a Transformer on patches) or
            ``"hybrid"`` (a Transformer on the map of a few convolutions).
        width: Channels of the first stage of a ``"cnn"``; the second has twice, the third four times as many, which is
            also the width of a Transformer's tokens.
        depth: Layers of a ``"resnet"``: 8, 14 or 20; a Transformer has half as many blocks.
        distortion: ``"shift"``, ``"affine"`` (shift, turn, scale), ``"flip"`` (shift and mirror) or ``"random"``
            (RandAugment, for Transformers).
        mixing: Alpha of MixUp; 0 mixes nothing.
        weight_decay: Decoupled penalty on weights.
        lr: Largest learning rate; it falls to zero along a cosine.
        views: How an image is looked at: 1 as it is, 2 mirrored too, 4 upside down as well.
    """

    architecture: str = "cnn"
    width: int = 16
    depth: int = 8
    distortion: str = "shift"
    mixing: float = 0.0
    weight_decay: float = 0.05
    lr: float = 4e-3
    views: int = 1


def draw_settings(trial: int, seed: int, architecture: str | None = None) -> ImageSettings:
    """Settings of trial number ``trial``; the first are the defaults, then every distortion, then random ones.

    Args:
        trial: Number of the trial.
        seed: Fixes the draws.
        architecture: The only one to try; a small convolutional network or a residual one by default.

    Example:
        >>> [draw_settings(k, 0).distortion for k in range(3)]
        ['shift', 'affine', 'flip']
    """
    is_transformer = architecture in TRANSFORMERS
    lr = 2e-3 if is_transformer else ImageSettings.lr
    kinds = ("shift", "affine", "random" if is_transformer else "flip")
    if trial < 3:
        kind, mixing = architecture or ImageSettings.architecture, 0.2 * (kinds[trial] == "random")
        return ImageSettings(kind, distortion=kinds[trial], mixing=mixing, lr=lr)
    rng = np.random.default_rng([seed, trial])
    drawn = str(rng.choice(["cnn", "cnn", "resnet"]))
    settings = ImageSettings(
        architecture=architecture or drawn,
        width=int(rng.choice([16, 24, 32])),
        depth=int(rng.choice([8, 14])),
        distortion=str(rng.choice(["shift", "affine", "flip"])),
        weight_decay=float(np.round(10 ** rng.uniform(-2.5, -0.5), 4)),
        lr=float(np.round(lr / ImageSettings.lr * 10 ** rng.uniform(-2.8, -2.0), 5)),
    )
    return replace(settings, **_strong(rng)) if is_transformer else settings


def _strong(rng: np.random.Generator) -> dict[str, Any]:
    """Distortion and mixing for networks that know little of images by themselves."""
    kind = str(rng.choice(["shift", "affine", "flip", "random", "random"]))
    return {"distortion": kind, "mixing": float(rng.choice([0.0, 0.2]))}


def relative_cost(settings: ImageSettings) -> float:
    """Time of a step in units of that of the default settings, about.

    Example:
        >>> relative_cost(ImageSettings(width=32))
        4.0
    """
    if settings.architecture == "resnet":
        return 3.0 * (settings.depth - 2) / 6
    if settings.architecture in TRANSFORMERS:
        return 2.0 * settings.depth / ImageSettings.depth * settings.width / ImageSettings.width
    return (settings.width / ImageSettings.width) ** 2


def build_network(settings: ImageSettings, classes: int, channels: int, side: int) -> nn.Module:
    """Build the module for pictures of ``side`` × ``side`` pixels."""
    if settings.architecture == "resnet":
        return CifarResNet(settings.depth, classes, in_channels=channels)
    w = settings.width
    if settings.architecture in TRANSFORMERS:
        size = {"in_channels": channels, "dim": 4 * w, "num_layers": settings.depth // 2}
        if settings.architecture == "hybrid":
            return HybridViT(side, classes, **size)
        return ViT(side, _patch(side), classes, last_drop=0.1, **size)
    stages = ((w,), (2 * w, 2 * w), (4 * w, 4 * w), (4 * w,))
    return VGG(stages[: 4 if side > 40 else 3], classes, in_channels=channels)


def _patch(side: int) -> int:
    """Pixels along a patch: about four patches along the image.

    Smaller ones make a step so much dearer that a network learns less in the same time.

    Example:
        >>> [_patch(side) for side in (16, 28, 32, 64)]
        [4, 7, 8, 16]
    """
    return min((p for p in range(2, side + 1) if side % p == 0), key=lambda p: abs(side / p - 4))


def fit_network(
    images: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: ImageSettings,
    epochs: int,
    seed: int,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
    teacher: ImageNetwork | None = None,
    *,
    tiles: int = 1,
) -> tuple[ImageNetwork, History]:
    """Train the network on pictures; ``validation`` are pictures and targets to watch.

    With a ``teacher``, half of the loss is to agree with its odds on the distorted pictures. Of pictures in ``tiles`` × ``tiles``
    parts, each part is learned as a picture of its own.

    Raises:
        NonFiniteError: Training diverged.
    """
    target = read_target(y, classes)
    pieces, truths = cut_tiles(images, tiles), np.repeat(target.encode(y), tiles**2, axis=0)
    mean, spread, side = float(pieces.mean()), float(pieces.std()) or 1.0, pieces.shape[1]
    objective = _objective(settings, target, side, mean, spread, teacher)
    batch = min(batch_of(side), len(pieces))

    def build() -> nn.Module:
        module = build_network(settings, target.outputs, images.shape[-1], side)
        forget_faster(module, epochs * -(-len(pieces) // batch))
        return module

    def source(some: np.ndarray, values: np.ndarray) -> Any:
        if side <= SMALL:
            return as_inputs(some, mean, spread), values
        return PictureBatches(some, values, batch, lambda part: as_inputs(part, mean, spread))

    watched = None if validation is None else (cut_tiles(validation[0], tiles), np.repeat(target.encode(validation[1]), tiles**2, axis=0))  # fmt: skip
    module, history = train_network(
        build,
        source(pieces, truths),
        None if watched is None else source(*watched),
        lr=settings.lr,
        weight_decay=settings.weight_decay,
        epochs=epochs,
        batch_size=batch,
        objective=objective,
        seed=seed,
        loss=None if target.loss == "cross_entropy" else target.loss,
    )
    chosen = {**asdict(settings), "mean": mean, "spread": spread, "epochs": epochs}
    return ImageNetwork.of(module, target, y, chosen, tiles), history


def _objective(
    settings: ImageSettings,
    target: Target,
    side: int,
    mean: float,
    spread: float,
    teacher: ImageNetwork | None,
) -> Objective:
    """Distorted pictures, mixed in pairs where classes are learned; half of it a teacher's odds, where there is one."""
    changes = distortions(settings.distortion, side, mean, spread)
    is_mixed = settings.mixing > 0 and target.loss == "cross_entropy"
    mixing = partial(mixup, alpha=settings.mixing, num_classes=target.classes) if is_mixed else None
    if teacher is None:
        return Augmented(changes, mixing=mixing)
    odds = _Rescaled(teacher, mean, spread)
    return Distillation(odds, temperature=2.0, mix=0.5, augment=changes, mixing=mixing)


class _Rescaled(nn.Module):
    """A teacher that takes pictures on the scale of its student."""

    def __init__(self, teacher: ImageNetwork, mean: float, spread: float) -> None:
        super().__init__()
        self.module = teacher.module
        self.factor = spread / teacher.settings["spread"]
        self.shift = (mean - teacher.settings["mean"]) / teacher.settings["spread"]

    def forward(self, x: Tensor) -> Tensor:
        return self.module(x * self.factor + self.shift)


def forget_faster(module: nn.Module, steps: int) -> None:
    """Let batch normalization's running statistics follow a short training: momentum 10 / steps, at least 0.1."""
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.momentum = min(max(0.1, 10.0 / steps), 1.0)


def training_speed(
    images: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: ImageSettings,
    teacher: ImageNetwork | None = None,
    *,
    tiles: int = 1,
) -> float:
    """Images per second that the network trains on."""
    rows = max(int(PROBED * min(1.0, (SMALL / images.shape[1]) ** 2)), 16)
    probe, labels = images[:rows], y[:rows]
    for _ in range(2):  # the first time is slower
        started = time.perf_counter()
        fit_network(probe, labels, classes, settings, 1, 0, teacher=teacher, tiles=tiles)
    return len(probe) / (time.perf_counter() - started)
