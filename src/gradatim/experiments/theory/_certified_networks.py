"""Digits, and the networks that get a certificate on them."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.data import load, random_affine, random_elastic
from gradatim.experiments._digits import split_digits
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.theory import Certificate, pac_bayes_certificate

Pair = tuple[Tensor, Tensor]


def load_digits(name: str, rows: int, seed: int) -> tuple[Pair, Pair]:
    """Images ``(N, 1, H, W)`` in [0, 1] to train and test: MNIST's own parts, or the small digits, a sixth to test."""
    if name == "digits":
        return split_digits(seed, test_size=1 / 6)
    data = load(name)
    (X, y), (X_test, y_test) = data.train, data.test
    train = torch.as_tensor(X)[:rows], torch.as_tensor(y)[:rows].long()
    return train, (torch.as_tensor(X_test), torch.as_tensor(y_test).long())


def coarse(pair: Pair) -> Pair:
    """Rows of pixels, averaged 2 × 2 where there are many: fewer weights, and no look at the data."""
    X, y = pair
    return (functional.avg_pool2d(X, 2) if X.shape[-1] > 14 else X).flatten(1), y


def dense_network(side: int, width: int, seed: int) -> nn.Sequential:
    with seeded(seed):
        return nn.Sequential(nn.Flatten(), MLP((side**2, width, width, 10)))


def convolutional_network(side: int, seed: int) -> nn.Sequential:
    """Two convolutions and two dense layers; on small images one convolution less."""
    with seeded(seed):
        if side < 16:
            layers: list[nn.Module] = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            return nn.Sequential(*layers, nn.Flatten(), MLP((16 * (side // 2) ** 2, 64, 10)))
        layers = [nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Conv2d(12, 32, 5), nn.ReLU(), nn.MaxPool2d(2)]
        return nn.Sequential(*layers, nn.Flatten(), MLP((32 * (side // 4 - 2) ** 2, 128, 10)))


def distort(images: Tensor, side: int) -> Tensor:
    """Small affine and elastic distortions, as large as the image allows."""
    moved = random_affine(images, degrees=10.0, shift=side / 14, scale=0.1, shear=0.1)
    return random_elastic(moved, strength=side / 56, smoothness=side / 7)


def certify_random(train: Pair, test: Pair, *, stds: tuple[float, ...], epochs: int, tried: int, seed: int) -> dict[float, Certificate]:  # fmt: skip
    """Certificates from priors around random weights, by standard deviation."""
    rows, judged = coarse(train), coarse(test)
    with seeded(seed):
        model = MLP((rows[0].shape[1], 30, 10))
    batch_size = 250 if len(rows[0]) > 10_000 else 50
    return {std: pac_bayes_certificate(model, rows, test=judged, prior_std=std, epochs=epochs, batch_size=batch_size, tried=tried, seed=seed) for std in stds}  # fmt: skip


def certify_learned(model: nn.Module, train: Pair, test: Pair, *, epochs: int, tried: int, seed: int) -> Certificate:  # fmt: skip
    """A certificate from a prior that half of the rows have taught."""
    augment = partial(distort, side=train[0].shape[-1])
    batch_size = 125 if len(train[0]) > 10_000 else 25
    return pac_bayes_certificate(model, train, prior="learned", test=test, prior_epochs=epochs, batch_size=batch_size, augment=augment, tried=tried, seed=seed)  # fmt: skip
