"""Pictures of two shapes, and the words that describe them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

SIZES = ("small", "large")
COLOURS = ("red", "green", "blue", "yellow")
KINDS = ("square", "cross", "ring")
RELATIONS = ("above", "left of")
SIDE = 24  # pixels
_PAINT = np.array([[0.9, 0.15, 0.1], [0.1, 0.7, 0.2], [0.15, 0.3, 0.95], [0.95, 0.85, 0.1]])
_RADII = np.array([3.0, 5.2])
Scene = tuple[
    int, int, int, int, int, int, int
]  # size, colour, kind of the first; of the second; relation


class Pictures(NamedTuple):
    """Pictures ``(N, 3, 24, 24)`` in [0, 1], and a description of each."""

    images: Tensor
    captions: list[str]


def describe_scene(scene: Sequence[int]) -> str:
    """Put a scene into words.

    >>> describe_scene((0, 0, 0, 1, 2, 1, 0))
    'small red square above large blue cross'
    """
    first, second = (f"{SIZES[s]} {COLOURS[c]} {KINDS[k]}" for s, c, k in (scene[:3], scene[3:6]))
    return f"{first} {RELATIONS[scene[6]]} {second}"


def draw_scenes(count: int, rng: np.random.Generator) -> np.ndarray:
    """Scenes drawn with equal chances, shape ``(count, 7)``."""
    limits = [len(SIZES), len(COLOURS), len(KINDS)] * 2 + [len(RELATIONS)]
    return rng.integers(0, limits, (count, 7))


def has_pair(scenes: np.ndarray, colour: int, kind: int) -> np.ndarray:
    """Whether a shape of this kind and colour is in a scene."""
    return ((scenes[:, [1, 4]] == colour) & (scenes[:, [2, 5]] == kind)).any(1)


def paint(scenes: np.ndarray, rng: np.random.Generator) -> Pictures:
    """Draw scenes: the places within each half, and a little noise, by chance."""
    images = np.full((len(scenes), SIDE, SIDE, 3), 0.08)
    for half in (0, 1):
        size, colour, kind = scenes[:, 3 * half : 3 * half + 3].T
        along = SIDE * (0.25 + 0.5 * half) + rng.uniform(-0.7, 0.7, len(scenes))
        across = SIDE / 2 + rng.uniform(-5, 5, len(scenes))
        is_above = scenes[:, 6] == 0
        y, x = np.where(is_above, along, across), np.where(is_above, across, along)
        inside = _inside(y, x, _RADII[size], kind)
        images[inside] = np.broadcast_to(_PAINT[colour][:, None, None], images.shape)[inside]
    images = np.clip(images + rng.normal(0, 0.03, images.shape), 0, 1)
    return Pictures(torch.from_numpy(images.astype(np.float32)).permute(0, 3, 1, 2).contiguous(), [describe_scene(s) for s in scenes.tolist()])  # fmt: skip


def _inside(y: np.ndarray, x: np.ndarray, radius: np.ndarray, kind: np.ndarray) -> np.ndarray:
    """Pixels of one shape in each picture, shape ``(N, 24, 24)``."""
    grid = np.arange(SIDE) + 0.5
    down = (grid[None, :, None] - y[:, None, None]) / radius[:, None, None]
    right = (grid[None, None, :] - x[:, None, None]) / radius[:, None, None]
    square = np.maximum(np.abs(down), np.abs(right)) <= 0.9
    cross = square & (np.minimum(np.abs(down), np.abs(right)) <= 0.3)
    ring = (down**2 + right**2 <= 1.1) & (down**2 + right**2 >= 0.4)
    return np.choose(kind[:, None, None], [square, cross, ring])
