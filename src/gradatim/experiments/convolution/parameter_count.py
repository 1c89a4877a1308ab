"""How many numbers a layer needs: dense layers grow with the image, convolutions do not."""

from dataclasses import dataclass
from math import exp, log

import numpy as np
import torch
from torch import nn

from gradatim.experiments._digits import split_digits
from gradatim.experiments.convolution._small_networks import fit_small, is_right
from gradatim.models import MLP, AlexNet, LeNet
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E1",)
KEYWORDS = (
    "AlexNet, weight sharing, number of parameters, dense layer, convolution layer, pointwise"
)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sides: tuple[int, ...] = (8, 16, 32, 64, 128, 256, 512, 1024)
    channels: tuple[int, ...] = (1, 2, 4, 8, 16)
    hidden: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    epochs: int = 60


QUICK = Settings(channels=(1, 2, 4, 8), hidden=(4, 8, 16, 32), epochs=24)


def count(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def dense_count(inputs: int, outputs: int) -> int:
    """Weights and biases of a dense layer, without building it."""
    return inputs * outputs + outputs


def claim_formulas(report: Report) -> None:
    with torch.device("meta"):  # counted, not built
        alexnet = count(AlexNet())
        conv_part = alexnet - sum(
            dense_count(*pair) for pair in ((9216, 4096), (4096, 4096), (4096, 1000))
        )
    million = dense_count(1000 * 1000, 1000)
    conv = count(nn.Conv2d(1, 1000, 5))
    lenet = LeNet()
    first = next(module for module in lenet if isinstance(module, nn.Conv2d))
    replaced = dense_count(28 * 28, 6 * 28 * 28)
    separable = count(
        nn.Sequential(
            nn.Conv2d(256, 256, 3, groups=256, bias=False), nn.Conv2d(256, 256, 1, bias=False)
        )
    )
    ordinary = count(nn.Conv2d(256, 256, 3, bias=False))
    stacked = 3 * count(nn.Conv2d(64, 64, 3, bias=False))
    large = count(nn.Conv2d(64, 64, 7, bias=False))
    for name, expected, measured in (
        ("dense, an image of 1000 × 1000 to 1000 units", 1_000_001_000, million),
        ("convolution, 1000 filters of 5 × 5 on any image", 26_000, conv),
        ("LeNet-5, all of it", 61_706, count(lenet)),
        ("LeNet's first layer, 6 filters of 5 × 5", 156, count(first)),
        ("… and a dense layer in its place", 3_692_640, replaced),
        ("AlexNet, which won ImageNet in 2012, all of it", 60_965_224, alexnet),
        ("… its five convolutions", 2_334_080, conv_part),
        ("256 channels to 256, 3 × 3", 589_824, ordinary),
        ("… depthwise, then pointwise", 67_840, separable),
        ("64 channels, one 7 × 7", 200_704, large),
        ("… three 3 × 3, which see as far", 110_592, stacked),
    ):
        report.claim(name, f"{measured:,}", equals=f"{expected:,}")


def claim_growth(report: Report, settings: Settings) -> dict[str, list[int]]:
    """One layer from an image to eight maps of its size."""
    layer = nn.Conv2d(1, 8, 3, padding=1)
    growth = {
        "dense": [dense_count(side**2, 8 * side**2) for side in settings.sides],
        "convolution, 3 × 3": [count(layer)] * len(settings.sides),
    }
    small = [side for side in settings.sides if side <= 128]
    shapes = [tuple(layer(torch.zeros(1, 1, side, side)).shape) for side in small]
    report.claim(
        f"one convolution of {count(layer)} parameters takes images of every size",
        expected=f"8 maps of the image's size, for sides {', '.join(map(str, small))}",
        measured=f"for {', '.join(str(shape[-1]) for shape in shapes)}",
        holds=count(layer) == 80 and shapes == [(1, 8, side, side) for side in small],
    )
    ratio = growth["dense"][-1] / growth["dense"][-2]
    report.claim(
        "doubling the side multiplies the parameters of a dense layer", ratio, near=(16, 0.016)
    )
    return growth


def networks(settings: Settings) -> dict[str, list[nn.Module]]:
    """Networks for digits of 8 × 8, from small to large."""
    convolutional: list[nn.Module] = [
        nn.Sequential(
            *(nn.Conv2d(1, c, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(c, 2 * c, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(8 * c, 10)),
        )
        for c in settings.channels
    ]
    dense: list[nn.Module] = [
        nn.Sequential(nn.Flatten(), MLP((64, h, 10))) for h in settings.hidden
    ]
    return {"convolutional": convolutional, "dense": dense}


def train(settings: Settings) -> dict[str, list[tuple[int, float]]]:
    """Parameters and test error in per cent of every network."""
    data, test = split_digits(settings.seed)
    with seeded(settings.seed):
        built = networks(settings)
    found: dict[str, list[tuple[int, float]]] = {}
    for kind, models in built.items():
        for model in models:
            fit_small(model, data, lr=5e-3, epochs=settings.epochs, seed=settings.seed)
            wrong = (1 - is_right(model, *test)).mean().item()
            found.setdefault(kind, []).append((count(model), 100 * wrong))
    return found


def claim_training(report: Report, found: dict[str, list[tuple[int, float]]]) -> None:
    """Compare errors at equal sizes, along straight lines between the points on logarithmic scales."""
    sizes, errors = (np.log(column) for column in zip(*found["convolutional"], strict=True))
    inside = [(n, e) for n, e in found["dense"] if sizes[0] <= log(n) <= sizes[-1]]
    ratios = [exp(np.interp(log(n), sizes, errors)) / e for n, e in inside]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    report.claim(
        f"convolutional over dense error with as many parameters, mean over {len(ratios)} sizes",
        mean,
        below=0.9,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Counting parameters",
        summary="A dense layer pays for every pair of pixels, a convolution for its kernel once. The saving is a "
        "prior that images agree with: with as many numbers, smaller errors.",
    )
    claim_formulas(report)
    growth = claim_growth(report, settings)
    found = train(settings)
    claim_training(report, found)
    sides = list(settings.sides)
    curves = {
        kind: ([size for size, _ in rows], [error for _, error in rows])
        for kind, rows in found.items()
    }
    report.figure(
        "parameters",
        curve_panels(
            [
                CurvePanel("One layer, to eight maps", "side of the image, pixels", "parameters", {name: (sides, values) for name, values in growth.items()}, is_log_x=True, is_log_y=True),
                CurvePanel("Whole networks, digits", "parameters", "test error, %", curves, is_log_x=True, is_log_y=True),
            ],
            width=5.0,
            height=3.9,
        ),
        caption="Left: a dense layer grows with the fourth power of the side. Right: networks for digits of 8 × 8.",
    )  # fmt: skip
    report.table(
        "Networks for the digits",
        columns=["kind", "parameters", "test error, %"],
        rows=[[kind, size, error] for kind, rows in found.items() for size, error in rows],
    )
    return report
