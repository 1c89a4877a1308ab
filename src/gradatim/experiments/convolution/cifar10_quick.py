"""CIFAR-10: how far half an hour on two processor cores goes."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.data import random_crop, random_flip
from gradatim.experiments.convolution._image_record import (
    Goal,
    Recipe,
    RecordSettings,
    build_report,
    load_split,
    mirrored,
    same,
    train,
)
from gradatim.models import FastCNN
from gradatim.reports import Report

COVERS = ("E3", "E4", "D6")
KEYWORDS = "object recognition, ResNet, residual network, flip and crop, color images"


@dataclass(frozen=True)
class Settings(RecordSettings):
    train_rows: int = 48_000
    batch_size: int = 256
    widths: tuple[int, ...] = (48, 160, 160)


QUICK = Settings(
    train_rows=2_000,
    validation_rows=500,
    test_rows=500,
    epochs=3,
    averaged_epochs=0,
    batch_size=64,
    widths=(16, 64, 64),
)


def up_left(images: Tensor) -> Tensor:
    """The image moved by one pixel up and left."""
    return F.pad(images, (0, 1, 0, 1), "replicate")[..., 1:, 1:]


def down_right(images: Tensor) -> Tensor:
    """The image moved by one pixel down and right."""
    return F.pad(images, (1, 0, 1, 0), "replicate")[..., :-1, :-1]


def mirrored_up_left(images: Tensor) -> Tensor:
    return mirrored(up_left(images))


def mirrored_down_right(images: Tensor) -> Tensor:
    return mirrored(down_right(images))


def run(settings: Settings) -> Report:
    is_full = settings.train_rows >= 45_000
    split = load_split("cifar10", settings)
    recipe = Recipe(
        augment=[random_flip, random_crop],
        views=[same, mirrored, up_left, down_right, mirrored_up_left, mirrored_down_right],
        smoothing=0.2,
        lr=0.375 * settings.batch_size / 256,
        batch_size=settings.batch_size,
    )
    torch.manual_seed(settings.seed)
    model = FastCNN(10, widths=settings.widths)
    model.whiten(split.train[0][:2000])
    goal = Goal(error=15.0, core_minutes=60.0) if is_full else Goal(error=80.0, core_minutes=5.0)
    trained = train(model, split, recipe, settings)
    return build_report("CIFAR-10 in half an hour on two cores", split, trained, recipe, goal)
