"""Random changes of pictures that leave what is to be said of them as it is."""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor

from gradatim.data import (
    colour_jitter,
    quarter_turns,
    rand_augment,
    random_affine,
    random_crop,
    random_flip,
    stain_jitter,
)

Change = Callable[[Tensor], Tensor]
Scale = float | Sequence[float]  # of all channels, or of each


def distortions(name: str, side: int, mean: Scale, spread: Scale) -> list[Change]:
    """Random changes of a batch, scaled by ``mean`` and ``spread``, that do not change the class.

    Args:
        name: ``"shift"``, ``"affine"``, ``"flip"``, ``"random"``, ``"colour"`` (mirrored, under other light) or ``"stain"``
            (mirrored and turned, tissue that was stained more or less).
        side: Pixels along each side.
        mean: What was subtracted from pixels.
        spread: What they were divided by.
    """
    if name == "random":
        low, high = (_scaled(torch.full((1, 1, 1, 1), v), mean, spread) for v in (0.0, 255.0))
        return [partial(rand_augment, value_range=(float(low.min()), float(high.max())))]
    reach = max(side // 14, 1)
    if name == "affine":
        return [partial(random_affine, degrees=10.0, shift=float(reach), scale=0.1)]
    crop = partial(random_crop, padding=reach)
    if name == "stain":
        return [partial(_on_pixels, stain_jitter, mean, spread), _turned, crop]
    if name == "colour":
        return [partial(_on_pixels, colour_jitter, mean, spread), random_flip, crop]
    return [random_flip, crop] if name == "flip" else [crop]


def as_column(scale: Scale) -> Tensor | float:
    """A number of all channels as it is, those of each so that they meet images ``(B, C, H, W)``."""
    return scale if isinstance(scale, float | int) else torch.tensor(scale)[:, None, None]


def _scaled(pixels: Tensor, mean: Scale, spread: Scale) -> Tensor:
    return (pixels - as_column(mean)) / as_column(spread)


def _on_pixels(change: Change, mean: Scale, spread: Scale, x: Tensor) -> Tensor:
    """Change pixels from 0 to 1 of pictures that were scaled."""
    pixels = (x * as_column(spread) + as_column(mean)) / 255.0
    return _scaled(255.0 * change(pixels), mean, spread)


def _turned(x: Tensor) -> Tensor:
    """Mirror some, and turn each by any number of right angles."""
    turns = torch.randint(4, (len(x),), device=x.device)
    return quarter_turns(random_flip(x), turns)
