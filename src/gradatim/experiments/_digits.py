"""The digits, split to train and test, and put on a larger canvas."""

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import load

Pair = tuple[Tensor, Tensor]
Rows = tuple[np.ndarray, np.ndarray]


def digit_images() -> Pair:
    """All digits, shape ``(1797, 1, 8, 8)`` in [0, 1], and their labels."""
    data = load("digits")
    return torch.as_tensor(data.X).reshape(-1, 1, 8, 8), torch.as_tensor(data.y)


def split_digits(seed: int, test_size: float = 0.4, *, is_flat: bool = False) -> tuple[Pair, Pair]:
    """Digits to train and digits to test, as images or as rows of 64 pixels."""
    X, y = digit_images()
    X = X.flatten(1) if is_flat else X
    train, test = train_test_split(
        torch.arange(len(y)), test_size=test_size, random_state=seed, stratify=y
    )
    return (X[train], y[train]), (X[test], y[test])


def standard_digits(seed: int) -> tuple[Rows, Rows]:
    """Three quarters to train, a quarter to test; pixels of mean zero and deviation one in training."""
    data = load("digits")
    X, X_test, y, y_test = train_test_split(data.X, data.y, stratify=data.y, random_state=seed)
    mean, deviation = X.mean(), X.std()
    return ((X - mean) / deviation, y), ((X_test - mean) / deviation, y_test)


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
