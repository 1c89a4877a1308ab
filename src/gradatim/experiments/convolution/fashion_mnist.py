"""Fashion-MNIST: a network that trains in minutes tells ten kinds of clothing apart."""

from dataclasses import dataclass
from functools import partial

import torch

from gradatim.data import cutout, random_crop, random_flip
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

COVERS = ("E4",)
KEYWORDS = "clothing images, image classification, convolutional network CNN"


@dataclass(frozen=True)
class Settings(RecordSettings):
    epochs: int = 10
    batch_size: int = 256
    widths: tuple[int, ...] = (32, 128, 128)


QUICK = Settings(
    train_rows=2_000,
    validation_rows=500,
    test_rows=1_000,
    epochs=3,
    averaged_epochs=0,
    batch_size=64,
    widths=(16, 64, 64),
)


def run(settings: Settings) -> Report:
    is_full = settings.train_rows >= 50_000
    split = load_split("fashion-mnist", settings)
    recipe = Recipe(
        augment=[random_flip, random_crop, partial(cutout, size=8)],
        views=[same, mirrored],
        lr=0.375 * settings.batch_size / 256,
        batch_size=settings.batch_size,
    )
    torch.manual_seed(settings.seed)
    model = FastCNN(10, in_channels=1, widths=settings.widths)
    model.whiten(split.train[0][:2000])
    goal = Goal(error=7.0, core_minutes=50.0) if is_full else Goal(error=35.0, core_minutes=5.0)
    trained = train(model, split, recipe, settings)
    return build_report(
        "Fashion-MNIST: a network that trains in minutes", split, trained, recipe, goal
    )
