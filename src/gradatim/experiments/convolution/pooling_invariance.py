"""Pooling forgets where, a little at a time: small shifts change little, and none at all in the end."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, on_canvas, split_digits
from gradatim.experiments.convolution._small_networks import fit_small, is_right
from gradatim.instruments import equivariance_error
from gradatim.models import MLP
from gradatim.nn import correlate, translation
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E2", "E3")
KEYWORDS = "max pooling, average pooling, subsampling, translation invariance"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    side: int = 16
    filters: int = 8
    pools: tuple[int, ...] = (1, 2, 4, 8, 16)
    shifts: int = 4
    trained_pools: tuple[int, ...] = (1, 4, 16)
    channels: int = 16
    epochs: int = 20
    repeats: int = 3


QUICK = Settings(channels=12, epochs=8, repeats=1)


def claim_by_hand(report: Report, settings: Settings) -> None:
    rows = [[1.0, 2.0, 5.0, 3.0], [3.0, 0.0, 1.0, 2.0], [2.0, 1.0, 3.0, 4.0], [1.0, 1.0, 2.0, 0.0]]
    found = F.max_pool2d(torch.tensor([[rows]]), 2).int().flatten().tolist()
    report.claim(
        "the maxima of 1253/3012/2134/1120 in blocks of 2 × 2",
        ", ".join(map(str, found)),
        equals="3, 5, 2, 4",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    blocks = torch.randn(100, 8, 8, 4, generator=generator)  # the last axis is one window
    order = torch.rand(blocks.shape, generator=generator).argsort(-1)
    is_same = torch.equal(blocks.amax(-1), blocks.gather(-1, order).amax(-1))
    report.claim(
        "pixels change places within their windows",
        "the same" if is_same else "different",
        equals="the same",
    )


def pool_name(pool: int, side: int) -> str:
    return {1: "no pool", side: "whole image"}.get(pool, f"{pool} × {pool} pool")


def representation_changes(settings: Settings, x: Tensor) -> dict[str, list[float]]:
    """Relative change of pooled answers of random filters, by pool and shift."""
    generator = torch.Generator().manual_seed(settings.seed)
    w = torch.randn(settings.filters, 1, 3, 3, generator=generator)
    changes = {}
    for pool in settings.pools:

        def f(x: Tensor, pool: int = pool) -> Tensor:
            return F.max_pool2d(correlate(x, w, mode="circular").relu(), pool)

        changes[pool_name(pool, settings.side)] = [
            equivariance_error(f, translation(0, shift), x, on_output=lambda y: y)
            for shift in range(settings.shifts + 1)
        ]
    return changes


def claim_changes(report: Report, settings: Settings, changes: dict[str, list[float]]) -> None:
    for shift in (1, 2):
        found = [values[shift] for values in changes.values()]
        report.claim(
            f"change after a shift by {shift}, by size of the pool",
            expected="smaller with every larger pool",
            measured=", ".join(f"{value:.2g}" for value in found),
            holds=found == sorted(found, reverse=True) and found[-1] < found[0],
        )
    last = max(list(changes.values())[-1])
    report.claim("the maximum over the whole image, after a circular convolution", last, below=1e-6)


def networks(settings: Settings) -> dict[str, nn.Module]:
    """A dense network, and two convolutions that differ in nothing but the pool after them."""
    c, side = settings.channels, settings.side
    found: dict[str, nn.Module] = {"dense": nn.Sequential(nn.Flatten(), MLP((side**2, 128, 10)))}
    for pool in settings.trained_pools:
        found[f"convolution, {pool_name(pool, side)}"] = nn.Sequential(
            *(nn.Conv2d(1, c, 5, padding=2), nn.ReLU(), nn.Conv2d(c, 2 * c, 3, padding=1)),
            *(nn.ReLU(), nn.MaxPool2d(pool), nn.Flatten()),
            nn.Linear(2 * c * (side // pool) ** 2, 10),
        )
    return found


@torch.inference_mode()
def shifted_accuracies(model: nn.Module, test: Pair, shifts: int) -> list[float]:
    """Accuracy in per cent by the size of a shift, the mean over its four directions."""
    images, labels = test
    found = []
    for t in range(shifts + 1):
        moves = {(0, t), (0, -t), (t, 0), (-t, 0)}
        right = [
            is_right(model, translation(*move)(images), labels).mean().item()
            for move in sorted(moves)
        ]
        found.append(100 * sum(right) / len(right))
    return found


def train(settings: Settings, seed: int) -> dict[str, list[float]]:
    """Train on digits in the middle, test on digits moved out of it."""
    (X, y), (X_test, y_test) = split_digits(seed)
    X, X_test = on_canvas(X, settings.side), on_canvas(X_test, settings.side)
    accuracies = {}
    with seeded(seed):
        models = networks(settings)
    for name, model in models.items():
        fit_small(model, (X, y), lr=5e-3, epochs=settings.epochs, seed=seed)
        accuracies[name] = shifted_accuracies(model, (X_test, y_test), settings.shifts)
    return accuracies


def claim_training(report: Report, accuracies: dict[str, list[float]], margin: int) -> None:
    least = min(values[0] for values in accuracies.values())
    report.claim(
        "digits in the middle, where they were learned", least, "every network {} %", at_least=90
    )
    for shift in (1, 2):
        pooled = [values[shift] for name, values in accuracies.items() if name != "dense"]
        report.claim(
            f"convolutions on digits moved by {shift}, by size of the pool",
            expected="better with every larger pool",
            measured=", ".join(f"{value:.1f}" for value in pooled),
            holds=pooled == sorted(pooled),
        )
    dense, *_, whole = accuracies.values()
    report.claim("a dense network on digits moved by 2", dense[2], "{} %", at_most=30)
    inside = whole[:margin]  # further out, filters meet the zeros beyond the canvas
    report.claim(
        f"pooled over the whole image, digits moved by up to {margin - 1}",
        max(inside) - min(inside),
        below=1,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Pooling and invariance",
        summary="Convolution moves with its input; pooling then forgets where. The larger the pool, the less a "
        "shift changes, and a network pooled to one place knows digits wherever they are.",
    )
    claim_by_hand(report, settings)
    images = on_canvas(split_digits(settings.seed)[0][0][:200], settings.side)
    changes = representation_changes(settings, images)
    claim_changes(report, settings, changes)
    runs = [train(settings, settings.seed + k) for k in range(settings.repeats)]
    accuracies = {
        name: torch.tensor([run[name] for run in runs]).mean(0).tolist() for name in runs[0]
    }
    claim_training(report, accuracies, margin=(settings.side - 8) // 2)
    shifts = list(range(settings.shifts + 1))
    report.figure(
        "shifts",
        curve_panels(
            [
                CurvePanel("Random filters, pooled", "shift, pixels", "relative change", {name: (shifts, values) for name, values in changes.items()}),
                CurvePanel("Networks trained on the middle", "shift, pixels", "test accuracy, %", {name: (shifts, values) for name, values in accuracies.items()}, {"chance": ([0, settings.shifts], [10, 10])}),
            ],
            width=5.2,
            height=4.0,
        ),
        caption=f"Digits of 8 × 8 on a canvas of {settings.side} × {settings.side}. Left: how much the pooled answers of "
        "random filters change. Right: networks that saw digits only in the middle.",
    )  # fmt: skip
    report.table(
        "Test accuracy in per cent by shift",
        columns=["network", *map(str, shifts)],
        rows=[[name, *values] for name, values in accuracies.items()],
    )
    return report
