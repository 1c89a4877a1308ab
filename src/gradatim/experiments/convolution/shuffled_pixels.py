"""Shuffle the pixels of all images alike: a convolutional network loses its edge, a dense one nothing."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, scatter, split_digits
from gradatim.experiments.convolution._small_networks import fit_small, is_right
from gradatim.models import MLP
from gradatim.nn import permutation
from gradatim.plots.bars import comparison_bars
from gradatim.plots.images import image_grid
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E1", "E3")
KEYWORDS = "permuted pixels, inductive bias, locality"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    side: int = 12
    copies: int = 4
    epochs: int = 20
    repeats: int = 3


QUICK = Settings(copies=2, epochs=12)


def convolutional(side: int) -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(24 * (side // 4) ** 2, 64), nn.ReLU(), nn.Linear(64, 10)),
    )


def dense(side: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), MLP((side**2, 256, 10)))


NETWORKS: dict[str, Callable[[int], nn.Module]] = {"convolutional": convolutional, "dense": dense}


def build(name: str, side: int, seed: int) -> nn.Module:
    with seeded(seed):
        return NETWORKS[name](side)


def shuffle(images: Tensor, order: Tensor) -> Tensor:
    """Move the pixels of every image in one and the same way."""
    return permutation(order)(images.flatten(2)).reshape(images.shape)


def scattered(settings: Settings, seed: int) -> tuple[Pair, Pair, Tensor]:
    """Digits at random places, several copies of each to train on, and an order of the pixels."""
    generator = torch.Generator().manual_seed(seed)
    (X, y), (X_test, y_test) = split_digits(seed)
    X = scatter(X.repeat(settings.copies, 1, 1, 1), settings.side, generator)
    X_test = scatter(X_test, settings.side, generator)
    order = torch.randperm(settings.side**2, generator=generator)
    return (X, y.repeat(settings.copies)), (X_test, y_test), order


def accuracy(name: str, train: Pair, test: Pair, settings: Settings, seed: int) -> float:
    model = build(name, settings.side, seed)
    fit_small(model, train, lr=4e-3, epochs=settings.epochs, seed=seed)
    return 100 * is_right(model, *test).mean().item()


def measure(settings: Settings) -> dict[str, list[float]]:
    """Test accuracies in per cent by network and kind of image, one for each repeat."""
    found: dict[str, list[float]] = {}
    for seed in range(settings.seed, settings.seed + settings.repeats):
        (X, y), (X_test, y_test), order = scattered(settings, seed)
        for name in NETWORKS:
            plain = accuracy(name, (X, y), (X_test, y_test), settings, seed)
            mixed = accuracy(
                name, (shuffle(X, order), y), (shuffle(X_test, order), y_test), settings, seed
            )
            found.setdefault(f"{name}, images as they are", []).append(plain)
            found.setdefault(f"{name}, pixels shuffled", []).append(mixed)
    return found


def claim_accuracies(report: Report, means: dict[str, float]) -> None:
    cnn, cnn_shuffled, mlp, mlp_shuffled = means.values()
    report.claim(
        "on images as they are, convolution is ahead", cnn - mlp, "by {} points", at_least=4
    )
    report.claim(
        "shuffling costs the convolutional network", cnn - cnn_shuffled, "{} points", at_least=10
    )
    report.claim(
        "shuffling costs the dense network", mlp - mlp_shuffled, "{} points", at_least=-3, at_most=3
    )
    report.claim(
        "on shuffled pixels, the dense network is ahead", mlp_shuffled - cnn_shuffled, at_least=4
    )


def claim_symmetry(report: Report, settings: Settings) -> None:
    """A dense network with its first weights shuffled alike is the same function of shuffled images."""
    _, (X, _), order = scattered(settings, settings.seed)
    model = build("dense", settings.side, settings.seed)
    with torch.no_grad():
        before = model(X)
        first = next(module for module in model.modules() if isinstance(module, nn.Linear))
        first.weight.copy_(first.weight[:, order])
        gap = (model(shuffle(X, order)) - before).abs().max().item()
    report.claim("shuffle a dense network's first weights like the pixels", gap, below=1e-4)


def run(settings: Settings) -> Report:
    report = Report(
        title="Shuffled pixels",
        summary="To a dense network the order of the pixels is a name for its weights. A convolutional network "
        "expects neighbours to belong together, wins by it, and loses where they do not.",
    )
    found = measure(settings)
    means = {name: sum(values) / len(values) for name, values in found.items()}
    claim_accuracies(report, means)
    claim_symmetry(report, settings)
    _, (X, y), order = scattered(settings, settings.seed)
    report.figure(
        "images",
        image_grid(torch.cat([X[:8], shuffle(X[:8], order)]), columns=8),
        caption=f"Digits at random places ({', '.join(map(str, y[:8].tolist()))}), and the same with shuffled "
        "pixels. The order is one for all images: no information is lost.",
    )
    report.figure(
        "accuracy",
        comparison_bars(means, label="test accuracy, %"),
        caption=f"Mean of {settings.repeats} run{'s' * (settings.repeats > 1)}.",
    )
    report.table(
        "Test accuracy in per cent, by run",
        columns=["network", *(f"run {k + 1}" for k in range(settings.repeats))],
        rows=[[name, *values] for name, values in found.items()],
    )
    return report
