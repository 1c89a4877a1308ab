"""MNIST: a small convolutional network errs on fewer than one digit in two hundred."""

from dataclasses import dataclass
from functools import partial

import torch

from gradatim.data import random_affine, random_elastic
from gradatim.experiments.convolution._image_record import (
    Goal,
    Recipe,
    RecordSettings,
    build_report,
    load_split,
    same,
    train,
)
from gradatim.models import build
from gradatim.reports import Report

COVERS = ("E4", "E3", "D6")
KEYWORDS = "LeNet, convolutional neural network CNN, handwritten digits, image classification"


@dataclass(frozen=True)
class Settings(RecordSettings):
    averaged_epochs: int = 3


QUICK = Settings(
    train_rows=3_000, validation_rows=500, test_rows=1_000, epochs=2, averaged_epochs=0
)


def run(settings: Settings) -> Report:
    is_full = settings.train_rows >= 50_000
    split = load_split("mnist", settings)
    recipe = Recipe(
        augment=[
            partial(random_affine, degrees=10.0, shift=2.0, scale=0.1, shear=0.1),
            partial(random_elastic, strength=0.5, smoothness=4.0),
        ],
        views=[same],
        optimizer="adam",
        lr=4e-3,
        weight_decay=0.0,
        batch_size=128,
    )
    torch.manual_seed(settings.seed)
    model = build("vgg", ((24,), (48, 48), (96, 96)), 10, in_channels=1)
    goal = Goal(error=0.5, core_minutes=50.0) if is_full else Goal(error=15.0, core_minutes=5.0)
    trained = train(model, split, recipe, settings)
    return build_report("MNIST: a small convolutional network", split, trained, recipe, goal)
