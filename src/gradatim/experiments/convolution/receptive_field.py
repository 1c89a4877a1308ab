"""What a unit sees: counted and measured, growing with depth, and weighted towards the middle."""

from collections import OrderedDict
from dataclasses import dataclass
from itertools import takewhile
from math import log, sqrt

import torch
from torch import Tensor, nn

from gradatim.instruments import measure_receptive_field, receptive_fields
from gradatim.models import LeNet
from gradatim.plots.convolution import sensitivity_maps
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E3",)
KEYWORDS = "field of view, dilation, effective receptive field, stride"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    shown: tuple[int, ...] = (2, 8, 16, 32)
    channels: int = 16
    images: int = 16
    repeats: int = 8


QUICK = Settings(depths=(1, 2, 4, 8, 16), shown=(2, 4, 8, 16), channels=8, images=8, repeats=6)


def chains() -> dict[str, tuple[nn.Sequential, int]]:
    """Stacks of layers, and the field that pencil and paper give."""
    return {
        "three 3 × 3": (nn.Sequential(*(nn.Conv2d(1, 1, 3) for _ in range(3))), 7),
        "one 7 × 7": (nn.Sequential(nn.Conv2d(1, 1, 7)), 7),
        "3 × 3, dilations 1, 2, 4, 8": (nn.Sequential(*(nn.Conv2d(1, 1, 3, dilation=2**i) for i in range(4))), 31),
        "3 × 3, strides 2, 2, 2": (nn.Sequential(*(nn.Conv2d(1, 1, 3, stride=2) for _ in range(3))), 15),
        "3 × 3 and 2 × 2 pooling, twice": (nn.Sequential(nn.Conv2d(1, 1, 3), nn.AvgPool2d(2), nn.Conv2d(1, 1, 3), nn.AvgPool2d(2)), 10),
    }  # fmt: skip


def claim_counts(report: Report) -> None:
    for name, (chain, expected) in chains().items():
        counted = receptive_fields(chain)[-1].size[0]
        measured = measure_receptive_field(chain, torch.randn(2, 1, 64, 64)).size[0]
        report.claim(
            f"{name}: by counting, and by the gradient",
            f"{counted}, {measured}",
            equals=f"{expected}, {expected}",
        )
    lenet = LeNet()
    cut = nn.Sequential(
        OrderedDict(takewhile(lambda link: link[0] != "flatten", lenet.named_children()))
    )
    rows = receptive_fields(cut)
    size = rows[-1].size[0]
    seen = measure_receptive_field(cut, torch.rand(64, 1, 28, 28), place=(2, 2)).size[0]
    report.claim(
        "LeNet, up to its dense layers: maxima and rectifiers, over 64 images",
        f"{size}, {seen}",
        equals="16, 16",
    )
    report.table(
        "LeNet, layer by layer",
        columns=["layer", "kind", "field", "jump", "centre of the first unit"],
        rows=[[row.name, row.kind, row.size[0], row.jump[0], row.centre[0]] for row in rows],
    )


def stack(depth: int, channels: int, *, rectified: bool) -> nn.Sequential:
    """Convolutions of 3 × 3 with zeros around, of variance-preserving random weights."""
    layers: list[nn.Module] = []
    for layer in range(depth):
        conv = nn.Conv2d(1 if layer == 0 else channels, channels, 3, padding=1, bias=False)
        nn.init.kaiming_normal_(conv.weight, nonlinearity="relu" if rectified else "linear")
        layers += [conv, nn.ReLU()] if rectified else [conv]
    return nn.Sequential(*layers)


def spread(energy: Tensor) -> float:
    """Standard deviation of the places along one axis, weighted by their energy."""
    weights = energy.sum(0) / energy.sum()
    place = torch.arange(len(weights), dtype=weights.dtype)
    middle = (weights * place).sum()
    return (weights * (place - middle) ** 2).sum().sqrt().item()


def effective_fields(settings: Settings, *, rectified: bool) -> dict[int, Tensor]:
    """Mean squared sensitivity of the middle unit by depth, over several random networks."""
    fields = {}
    for depth in settings.depths:
        side = 2 * depth + 5
        total = torch.zeros(side, side)
        for _ in range(settings.repeats):
            net = stack(depth, settings.channels, rectified=rectified)
            images = torch.randn(settings.images if rectified else 1, 1, side, side)
            total += measure_receptive_field(net, images).sensitivity.square()
        fields[depth] = total / settings.repeats
    return fields


def claim_box(report: Report) -> None:
    """Equal weights: the sensitivity is the distribution of a sum of steps −1, 0, 1."""
    depth = 12
    chain = stack(depth, 1, rectified=False).double()
    for parameter in chain.parameters():
        nn.init.constant_(parameter, 1 / 9)
    field = measure_receptive_field(chain, torch.zeros(1, 1, 29, 29, dtype=torch.float64))
    gap = abs(spread(field.sensitivity) - sqrt(2 * depth / 3))
    report.claim(
        f"{depth} averages over 3 × 3: standard deviation of what the unit sees",
        expected="√(2L/3) = 2.828427, to 1e-9",
        measured=f"{spread(field.sensitivity):.6f}",
        holds=gap < 1e-9,
    )


def claim_growth(report: Report, settings: Settings, spreads: dict[str, list[float]]) -> None:
    depths = settings.depths
    for name, values in spreads.items():
        slope = log(values[-1] / values[0]) / log(depths[-1] / depths[0])
        report.claim(
            f"the effective field of random {name} networks grows with depth to the power",
            slope,
            near=(0.5, 0.15),
        )
    worst = max(
        abs(value / sqrt(2 * depth / 3) - 1)
        for depth, value in zip(depths, spreads["linear"], strict=True)
    )
    report.claim("linear networks: standard deviation against √(2L/3)", worst, below=0.25)


def run(settings: Settings) -> Report:
    report = Report(
        title="Receptive fields",
        summary="Layers widen the field by counting; dilation and strides widen it fast. But most of what a unit "
        "hears comes from the middle, whose width grows only with the square root of depth.",
    )
    with seeded(settings.seed):
        claim_counts(report)
        claim_box(report)
        fields = {
            "linear": effective_fields(settings, rectified=False),
            "rectified": effective_fields(settings, rectified=True),
        }
    spreads = {
        name: [spread(each[depth]) for depth in settings.depths] for name, each in fields.items()
    }
    claim_growth(report, settings, spreads)
    titles = {f"{depth} layers": depth for depth in settings.shown}
    report.figure(
        "fields",
        sensitivity_maps(
            {title: fields["rectified"][depth].sqrt() for title, depth in titles.items()},
            {title: 2 * depth + 1 for title, depth in titles.items()},
        ),
        caption="What the middle unit of a random network of 3 × 3 convolutions and rectifiers sees, in the square "
        "that counting allows.",
    )
    depths = list(settings.depths)
    dilated = [2 ** (depth + 1) - 1 for depth in depths if depth <= 8]
    report.figure(
        "growth",
        curve_panels(
            [
                CurvePanel("Field by counting", "layers of 3 × 3", "side, pixels", {"plain": (depths, [2 * d + 1 for d in depths]), "dilation doubled each layer": (depths[: len(dilated)], dilated)}, is_log_x=True, is_log_y=True),
                CurvePanel("Field by weight", "layers of 3 × 3", "standard deviation, pixels", {name: (depths, values) for name, values in spreads.items()}, {"√(2L/3)": (depths, [sqrt(2 * d / 3) for d in depths])}, is_log_x=True, is_log_y=True),
            ],
            width=5.0,
            height=3.9,
        ),
        caption="Left: dilation makes the field grow exponentially. Right: the width of what really counts.",
    )  # fmt: skip
    return report
