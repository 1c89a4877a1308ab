"""From 20 to 200 layers: without a way around each layer the gradient is lost, and so is the input."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP, DenselyConnectedMLP, HighwayMLP, ResidualMLP
from gradatim.nn import ResidualLayer
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("B2", "C5")
KEYWORDS = "residual connection, skip connection, shortcut, highway network, DenseNet, very deep networks, degradation, vanishing gradient problem"
PLAIN, IDENTITY, SCALED, PROJECTION = (
    "plain",
    "residual",
    "residual, weights / √L",
    "residual, projected",
)
HIGHWAY, CARRYING, DENSE = "highway, bias −2", "highway, bias −ln L", "densely connected"
WIDTH, GROWTH = 24, 4


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depths: tuple[int, ...] = (20, 50, 100, 200)
    epochs: int = 20
    repeats: int = 3


QUICK = Settings(depths=(15, 80), epochs=6, repeats=1)

# Each builds a network of so many hidden layers for the digits; the first brings 64 numbers to the width.
NETWORKS: dict[str, Callable[[int], nn.Module]] = {
    PLAIN: lambda depth: MLP((64, *[WIDTH] * depth, 10), activation="tanh"),
    IDENTITY: lambda depth: ResidualMLP((64, *[WIDTH] * depth, 10), activation="tanh"),
    SCALED: lambda depth: scale_branches(NETWORKS[IDENTITY](depth), depth**-0.5),
    PROJECTION: lambda depth: ResidualMLP((64, *[WIDTH + k % 2 for k in range(depth)], 10), activation="tanh"),
    HIGHWAY: lambda depth: HighwayMLP((64, *[WIDTH] * depth, 10), activation="tanh"),
    CARRYING: lambda depth: HighwayMLP((64, *[WIDTH] * depth, 10), activation="tanh", gate_bias=-log(depth)),
    DENSE: lambda depth: DenselyConnectedMLP((64, *[GROWTH] * depth, 10), activation="tanh"),
}  # fmt: skip


def scale_branches(model: nn.Module, factor: float) -> nn.Module:
    """Make the weights of the branches smaller, where the shortcut is the identity."""
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, ResidualLayer) and isinstance(layer.shortcut, nn.Identity):
                layer.linear.weight.mul_(factor)
    return model


def build(name: str, depth: int, seed: int) -> nn.Module:
    with seeded(seed):
        return NETWORKS[name](depth)


def gradient_sizes(model: nn.Module, x: Tensor, y: Tensor) -> list[float]:
    """Norm of the error's gradient with respect to what leaves each hidden layer, over that at the last."""
    h, leaving = x, []
    for stage in model:  # type: ignore[attr-defined]  # a chain
        h = stage(h)
        if not (isinstance(model, MLP) and isinstance(stage, nn.Linear)):  # its activation follows
            leaving.append(h)
    loss = F.cross_entropy(h, y)
    hidden = leaving if isinstance(model, MLP) else leaving[:-1]  # without the read-out
    sizes = [gradient.norm().item() for gradient in torch.autograd.grad(loss, hidden)]
    return [size / sizes[-1] for size in sizes]


def error(model: nn.Module, data: Pair) -> float:
    """Test error in per cent."""
    model.eval()
    with torch.inference_mode():
        return 100 * (model(data[0]).argmax(1) != data[1]).double().mean().item()


def train(settings: Settings, data: Pair, test: Pair) -> dict[str, list[float]]:
    """Mean test error of every kind of network by depth."""
    found: dict[str, list[float]] = {name: [] for name in NETWORKS}
    for depth in settings.depths:
        for name in NETWORKS:
            errors = []
            for seed in range(settings.seed, settings.seed + settings.repeats):
                model = build(name, depth, seed)
                Trainer(model, lr=3e-3, schedule="cosine", epochs=settings.epochs, batch_size=64, clip_norm=1.0, seed=seed, progress=False).fit(data)  # fmt: skip
                errors.append(error(model, test))
            found[name].append(float(np.mean(errors)))
    return found


def claim_gradients(report: Report, settings: Settings, data: Pair) -> dict[str, list[float]]:
    depth = settings.depths[-1]
    sizes = {name: gradient_sizes(build(name, depth, settings.seed), *data) for name in NETWORKS}
    first = {name: rows[0] for name, rows in sizes.items()}
    words = "gradient at the first layer, over that at the last"
    report.claim(f"{depth} plain layers lose most of the gradient", first[PLAIN], words, below=0.5)
    report.claim("with shortcuts and small branches it comes through as it is", first[SCALED], words, at_least=0.3, at_most=5)  # fmt: skip
    report.claim("with branches of full size it grows from layer to layer", first[IDENTITY], words, at_least=20)  # fmt: skip
    report.claim("a highway carries it if its gates open less the deeper it is", first[CARRYING], words, at_least=0.1, at_most=10)  # fmt: skip
    report.claim("a gate bias of −2 carries 0.88 of the input through a layer, and nothing through many", first[HIGHWAY], words, below=first[CARRYING] / 100)  # fmt: skip
    return sizes


def spread(model: nn.Module, x: Tensor) -> float:
    """How far apart two inputs still are before the read-out, relative to their size: 0 where all became one."""
    with torch.inference_mode():
        h = nn.Sequential(*list(model)[:-1])(x)  # type: ignore[call-overload]
    unit = F.normalize(h, dim=1)
    return float(1 - (unit @ unit.T).abs().mean())


def claim_forms(report: Report, settings: Settings, data: Pair) -> None:
    """What becomes of the inputs, and what ReLU does to their size."""
    depth = settings.depths[-1]
    x = data[0][:200]
    seeds = range(6 * settings.seed, 6 * settings.seed + 6)
    kept = {name: float(np.mean([spread(build(name, depth, seed), x) for seed in seeds])) for name in (PLAIN, SCALED)}  # fmt: skip
    report.claim("plain layers turn all inputs to one line", kept[PLAIN], "one less the mean |cosine| of two digits, mean of six networks", at_most=0.2)  # fmt: skip
    report.claim("shortcuts keep them further apart", kept[SCALED] / kept[PLAIN], "times as far as plain layers do", at_least=1.5)  # fmt: skip
    with seeded(settings.seed):
        relu = ResidualMLP((64, *[WIDTH] * 50, 10))
    with torch.inference_mode():
        h = relu[0](x)
        start = h.norm()
        for layer in list(relu)[1:-1]:
            h = layer(h)
    per_layer = 2 ** (torch.log2(h.norm() / start).item() / 49)
    report.claim("with ReLU and He's weights the input grows in every layer", per_layer, "by the factor {}", at_least=1.3, at_most=2.0)  # fmt: skip
    report.text(f"At that rate {depth} ReLU layers multiply the input by 10^{depth * np.log10(per_layer):.0f}; a norm in every branch, or branches that begin at zero, prevent it. Here tanh bounds each branch.")  # fmt: skip


def claim_errors(report: Report, settings: Settings, errors: dict[str, list[float]]) -> None:
    depth = settings.depths[-1]
    last = {name: rows[-1] for name, rows in errors.items()}
    words = "test error {} %"
    report.claim(f"{depth} plain layers learn next to nothing", last[PLAIN], words, at_least=50)
    report.claim(f"{depth} residual layers with small branches learn", last[SCALED], words, at_most=15)  # fmt: skip
    report.claim("densely connected ones too, since the read-out sees the input", last[DENSE], words, at_most=8)  # fmt: skip
    report.claim("and highways that carry", last[CARRYING], words, at_most=35)
    report.claim("a projection in the place of the identity goes the way of plain layers", last[PROJECTION], words, at_least=50)  # fmt: skip
    report.claim("and so do highways whose gates are a little open everywhere", last[HIGHWAY], words, at_least=50)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Depth and shortcuts",
        summary="With a way around each layer gradients and inputs pass through any number of them: shortcuts with small branches, highways that "
        "start nearly closed, dense connections. A learned projection in the place of the identity is no such way.",
    )
    data, test = split_digits(settings.seed, is_flat=True)
    sizes = claim_gradients(report, settings, data)
    claim_forms(report, settings, data)
    errors = train(settings, data, test)
    claim_errors(report, settings, errors)
    depths = list(settings.depths)
    panels = [
        CurvePanel(f"Gradient in {depths[-1]} layers, before training", "layer", "size, over that at the last", {name: (range(1, len(rows) + 1), np.maximum(rows, 1e-12)) for name, rows in sizes.items()}, is_log_y=True),
        CurvePanel("Digits", "hidden layers", "test error, %", {name: (depths, rows) for name, rows in errors.items()}, is_log_x=True),
    ]  # fmt: skip
    report.figure("depth", curve_panels(panels, width=5.4, height=4.4), caption="Left: how much of the gradient reaches each layer. Right: the error after training.")  # fmt: skip
    report.table("Test error, per cent", columns=["network", *(f"{d} layers" for d in depths)], rows=[[name, *rows] for name, rows in errors.items()])  # fmt: skip
    return report
