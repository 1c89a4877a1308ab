"""Fine-tuning of a published network: all its weights go on learning, the first layers slowly."""

from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import torch

from gradatim.fitting.images.distortions import distortions
from gradatim.fitting.images.fitted import ImageNetwork
from gradatim.fitting.images.heads import (
    PIXEL_MEAN,
    PIXEL_STD,
    Head,
    Published,
    published_inputs,
    put_on,
)
from gradatim.fitting.images.inputs import PictureBatches, as_inputs, cut_tiles
from gradatim.fitting.learning import read_target, train_network
from gradatim.training import Augmented, History, freeze, layerwise_groups, unfreeze

BATCH = 16
ROOM = 16 * 224 * 224  # pixels of a step at most


@dataclass(frozen=True)
class PretrainedSettings:
    """What tuning chooses.

    Args:
        distortion: ``"flip"`` (shift and mirror), ``"colour"`` (other light as well) or ``"stain"`` (tissue that was stained
            more or less, mirrored and turned).
        lr: Largest learning rate, that of the head; it falls to zero along a cosine.
        decay: Factor of the rate from one part of the network to the one before it.
        weight_decay: Decoupled penalty on weights.
        views: How an image is looked at: 1 as it is, 2 mirrored too, 4 upside down as well.
    """

    distortion: str = "flip"
    lr: float = 3e-4
    decay: float = 0.8
    weight_decay: float = 0.02
    views: int = 1


def draw_pretrained(trial: int, seed: int) -> PretrainedSettings:
    """Settings of trial number ``trial``: the defaults, then every distortion, then random ones.

    Example:
        >>> [draw_pretrained(trial, 0).distortion for trial in range(3)]
        ['flip', 'colour', 'stain']
    """
    kinds = ("flip", "colour", "stain")
    if trial < len(kinds):
        return PretrainedSettings(kinds[trial])
    rng = np.random.default_rng([seed, trial])
    return PretrainedSettings(
        distortion=str(rng.choice(kinds)),
        lr=float(np.round(10 ** rng.uniform(-4.0, -3.2), 6)),
        decay=float(rng.choice([0.6, 0.7, 0.8, 0.9])),
        weight_decay=float(rng.choice([0.0, 0.02, 0.1])),
    )


def fine_tune(
    module: Published,
    head: Head,
    images: np.ndarray,
    y: np.ndarray,
    classes: int,
    settings: PretrainedSettings,
    epochs: int,
    seed: int,
    *,
    side: int,
    tiles: int = 1,
    validation: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[ImageNetwork, History]:
    """Train a copy of a published network from where a head on its features is; ``validation`` are pictures to watch.

    Batch normalization keeps the averages that it learned from many photographs.

    Args:
        module: The published network.
        head: Where its readout starts from.
        images: Pictures, shape ``(N, H, W, 3)``.
        y: Their targets.
        classes: Number of classes or labels; 0 for values.
        settings: What was chosen.
        epochs: Passes over the pictures.
        seed: Fixes order and distortions.
        side: Pixels along each side that the network sees.
        tiles: Parts along each side of a picture, each of which is learned as a picture of its own.
        validation: Pictures and targets to watch.

    Raises:
        NonFiniteError: Training diverged.
    """
    target = read_target(y, classes)
    built: list[Published] = []

    def build() -> Published:
        built[:] = [unfreeze(freeze(put_on(module, head), statistics=True))]
        return built[0]

    def optimizer(groups: object, lr: float) -> torch.optim.Optimizer:
        own = layerwise_groups(built[0], lr, decay=settings.decay, weight_decay=settings.weight_decay)  # fmt: skip
        return torch.optim.AdamW(own, lr=lr)

    read = partial(as_inputs, mean=PIXEL_MEAN, spread=PIXEL_STD, side=side)

    def source(some: np.ndarray, truths: np.ndarray) -> PictureBatches:
        pieces, batch = cut_tiles(some, tiles), int(np.clip(ROOM // (side * side), 2, BATCH))
        return PictureBatches(pieces, np.repeat(target.encode(truths), tiles**2, axis=0), batch, read)  # fmt: skip

    tuned, history = train_network(
        build,
        source(images, y),
        None if validation is None else source(*validation),
        optimizer=optimizer,
        lr=settings.lr,
        epochs=epochs,
        clip_norm=1.0,
        objective=Augmented(distortions(settings.distortion, side, PIXEL_MEAN, PIXEL_STD)),
        loss=target.loss,
        seed=seed,
    )
    chosen = asdict(settings) | published_inputs(side) | {"epochs": epochs}
    return ImageNetwork.of(tuned.eval(), target, y, chosen, tiles), history
