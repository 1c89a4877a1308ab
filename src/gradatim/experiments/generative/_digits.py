"""What the experiments on drawn digits share: images from -1 to 1, a classifier that judges, a diffusion model."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from sklearn.model_selection import train_test_split
from torch import Tensor, nn

from gradatim.data import load, random_affine
from gradatim.experiments._digits import digit_images
from gradatim.experiments._fastest_step import FastestStep
from gradatim.generative import (
    ClassifierFeatures,
    Diffusion,
    DiffusionObjective,
    class_agreement,
    frechet_distance,
)
from gradatim.models import TimeMLP, TimeUNet, build
from gradatim.optim.schedules import warm_up
from gradatim.randomness import seeded
from gradatim.training import EMA, Augmented, Trainer

Pair = tuple[Tensor, Tensor]
CLASSES = 10


@dataclass(frozen=True)
class DigitSettings:
    """The data, the networks and how long they learn; quick versions take the digits of 8 × 8 pixels and dense layers."""

    seed: int = 0
    data: str = "mnist"
    widths: tuple[int, ...] = (32, 64)
    num_blocks: int = 1
    epochs: int = 6
    batch_size: int = 64
    lr: float = 2e-3
    judge_epochs: int = 6
    samples: int = 5_000


@dataclass(frozen=True)
class Digits:
    """Images from -1 to 1 with their labels."""

    train: Pair
    test: Pair

    @property
    def side(self) -> int:
        return self.train[0].shape[-1]


def load_digits(settings: DigitSettings) -> Digits:
    if settings.data == "digits":
        X, y = digit_images()
        rows = train_test_split(torch.arange(len(y)), test_size=0.4, random_state=settings.seed, stratify=y)  # fmt: skip
        return Digits(*((2 * X[part] - 1, y[part].long()) for part in rows))
    parts = (load(settings.data).train, load(settings.data).test)
    pairs = ((torch.as_tensor(X), torch.as_tensor(y)) for X, y in parts)
    return Digits(*((2 * X - 1, y.long()) for X, y in pairs))


def judge(digits: Digits, settings: DigitSettings) -> nn.Module:
    """A small convolutional network, trained on distorted digits; its features measure distances too."""
    small = digits.side < 16
    widths = ((24,), (48,)) if small else ((16, 16), (32, 32), (64, 64))
    with seeded(settings.seed):
        model = build("vgg", widths, CLASSES, in_channels=1)
    shift = 0.4 if small else 1.5
    distort = partial(random_affine, degrees=8.0, shift=shift, scale=0.08, shear=0.08)
    trainer = Trainer(
        model, objective=Augmented([lambda x: distort((x + 1) / 2) * 2 - 1]), lr=4e-3, schedule=warm_up(epochs=0.5),
        epochs=settings.judge_epochs, batch_size=128, callbacks=[EMA(decay=0.99)], seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit(digits.train)
    return model


def build_network(digits: Digits, settings: DigitSettings) -> nn.Module:
    """Dense layers on flat digits for few pixels, else a U-Net."""
    with seeded(settings.seed):
        if digits.side < 16:
            return Flat(TimeMLP(digits.side**2, CLASSES, hidden_dim=settings.widths[-1]), digits.side)  # fmt: skip
        return TimeUNet(1, digits.side, CLASSES, widths=settings.widths, num_blocks=settings.num_blocks)  # fmt: skip


class Flat(nn.Module):
    """A network on rows that is given images."""

    def __init__(self, network: TimeMLP, side: int) -> None:
        super().__init__()
        self.network, self.sample_shape = network, (1, side, side)
        self.num_classes = network.num_classes

    def forward(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        return self.network(x.flatten(1), time, label).view_as(x)


def train_diffusion(
    digits: Digits, settings: DigitSettings, *, rows: int | None = None, epochs: int | None = None
) -> tuple[Diffusion, float]:
    """A trained model, and the minutes of one core that it took, of steps as fast as the fastest."""
    model = Diffusion(build_network(digits, settings), schedule="cosine", predict="v", clip=1.0)
    X, y = (part[:rows] for part in digits.train)
    steps = len(X) // settings.batch_size * (epochs or settings.epochs)
    fastest = FastestStep()
    trainer = Trainer(
        model, optimizer="adamw", objective=DiffusionObjective(), lr=settings.lr, schedule=warm_up(epochs=0.05 * settings.epochs),
        epochs=epochs or settings.epochs, batch_size=settings.batch_size, clip_norm=1.0,
        callbacks=[EMA(decay=0.999 if steps > 3000 else 0.99), fastest], seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit((X, y))
    return model, fastest.minutes


def even_labels(count: int) -> Tensor:
    return torch.arange(count) % CLASSES


@dataclass(frozen=True)
class Judge:
    """How samples are measured: agreement with the class asked, and distance to test images in the classifier's features."""

    classifier: nn.Module
    digits: Digits

    def agreement(self, samples: Tensor, labels: Tensor) -> float:
        return class_agreement(self.classifier, samples, labels).value

    def accuracy(self) -> float:
        return self.agreement(*self.digits.test)

    def distance(self, samples: Tensor) -> float:
        see: Callable[[Tensor], Tensor] = ClassifierFeatures(self.classifier)
        return float(frechet_distance(see(samples), see(self.digits.test[0][: len(samples)])))

    def spread(self, samples: Tensor, labels: Tensor) -> float:
        """Mean squared distance of features from the mean of their class."""
        seen = ClassifierFeatures(self.classifier)(samples)
        parts = (seen[labels == k] for k in range(CLASSES))
        return float(torch.stack([(p - p.mean(0)).square().sum(1).mean() for p in parts]).mean())


def make_judge(digits: Digits, settings: DigitSettings) -> Judge:
    return Judge(judge(digits, settings), digits)
