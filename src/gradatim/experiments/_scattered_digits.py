"""The digits at random places of a larger canvas, as experiments on invariance train on them."""

import torch
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import load

Pair = tuple[Tensor, Tensor]


def digit_images() -> Pair:
    """All digits, shape ``(1797, 1, 8, 8)`` in [0, 1], and their labels."""
    data = load("digits")
    return torch.as_tensor(data.X).reshape(-1, 1, 8, 8), torch.as_tensor(data.y)


def split_digits(seed: int, test_size: float = 0.4) -> tuple[Pair, Pair]:
    """Digits to train and digits to test."""
    X, y = digit_images()
    train, test = train_test_split(
        torch.arange(len(y)), test_size=test_size, random_state=seed, stratify=y
    )
    return (X[train], y[train]), (X[test], y[test])


def on_canvas(images: Tensor, side: int) -> Tensor:
    """Put images into the middle of a black canvas."""
    before = (side - images.shape[-1]) // 2
    after = side - images.shape[-1] - before
    return F.pad(images, [before, after, before, after])


def scatter(images: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """Put every image at a random place of its own canvas, whole."""
    canvas = F.pad(images, [0, side - images.shape[-1], 0, side - images.shape[-2]])
    room = side - images.shape[-1] + 1
    down, right = torch.randint(room, (2, len(images), 1), generator=generator)
    rows = (torch.arange(side) - down) % side  # (B, side)
    columns = (torch.arange(side) - right) % side
    batch = torch.arange(len(images))[:, None, None]
    return canvas[:, 0][batch, rows[:, :, None], columns[:, None, :]].unsqueeze(1)
