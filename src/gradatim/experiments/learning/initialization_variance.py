"""The right initial variance carries a signal through many layers; any other loses it exponentially."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments._digits import standard_digits
from gradatim.instruments import LayerStatistics, variance_profile
from gradatim.models import MLP
from gradatim.nn import ACTIVATIONS, initialize
from gradatim.nn import activation as build_activation
from gradatim.plots.activations import variance_profiles
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("C5",)
KEYWORDS = "weight initialization, Xavier Glorot initialization, He Kaiming initialization, LeCun, orthogonal, variance propagation, signal propagation"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    width: int = 512
    depth: int = 40
    batch: int = 512
    trained_depth: int = 8
    epochs: int = 20


QUICK = Settings(width=256, depth=12, batch=128, trained_depth=6, epochs=12)


def network(settings: Settings, activation: str, scheme: str, scale: float = 1.0) -> MLP:
    """A square MLP whose weights are those of the scheme times ``scale``."""
    model = MLP((settings.width,) * (settings.depth + 1), activation=activation)
    initialize(model, scheme, generator=torch.Generator().manual_seed(settings.seed))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(scale)
    return model


def factor(profile: list[LayerStatistics], quantity: str) -> float:
    """Geometric mean of the ratio of second moments from one dense layer to the next."""
    moments = [
        getattr(row, f"{quantity}_variance") + getattr(row, f"{quantity}_mean") ** 2
        for row in profile
        if row.kind == "Linear"
    ]
    first, last = (
        (moments[0], moments[-1]) if quantity == "activation" else (moments[-1], moments[0])
    )
    return (last / first) ** (1 / (len(moments) - 1))


def check_factors(report: Report, settings: Settings, x: torch.Tensor) -> None:
    networks = {
        "He (ReLU)": ("relu", "he", 1.0, 1.0),
        "Xavier (ReLU)": ("relu", "xavier", 1.0, 0.5),
        "He × 1.5 (ReLU)": ("relu", "he", 1.5, 2.25),
        "orthogonal (linear)": ("identity", "orthogonal", 1.0, 1.0),
    }
    profiles = {}
    for label, (activation, scheme, scale, expected) in networks.items():
        profile = variance_profile(network(settings, activation, scheme, scale), x)
        profiles[label] = profile
        for direction, quantity in (("forward", "activation"), ("backward", "gradient")):
            measured = factor(profile, quantity)
            report.claim(
                f"{label}, {direction} factor a layer", measured, near=(expected, 0.15 * expected)
            )
    report.figure(
        "variance-by-layer",
        variance_profiles(profiles),
        caption=f"Variance in {settings.depth} layers of {settings.width} units, forwards and backwards. "
        "A factor a layer is a straight line on this scale: He and orthogonal weights keep it at one.",
    )


def check_relu_moments(report: Report, settings: Settings, x: torch.Tensor) -> None:
    layer = initialize(
        nn.Linear(settings.width, 4096),
        "lecun",
        generator=torch.Generator().manual_seed(settings.seed),
    )
    with torch.inference_mode():
        z = layer(x)
        h = torch.relu(z)
    for name, value, expected in (
        ("E[h²] / Var[z] after ReLU", h.square().mean() / z.var(), 0.5),
        ("Var[h] / Var[z] after ReLU", h.var() / z.var(), 0.5 - 1 / (2 * torch.pi)),
    ):
        measured = value.item()
        report.claim(name, measured, near=(expected, 0.02 * expected))


def check_gains(report: Report, settings: Settings, x: torch.Tensor) -> None:
    factors = {}
    for name in ACTIVATIONS:
        if name == "prelu":
            continue  # it starts as a leaky ReLU
        generator = torch.Generator().manual_seed(settings.seed)
        model = nn.Sequential(
            *(
                module
                for _ in range(8)
                for module in (nn.Linear(settings.width, settings.width), build_activation(name))
            )
        )
        initialize(model, "lecun", activation=name, generator=generator)
        initialize(model[0], "lecun", generator=generator)  # its input has variance one already
        factors[name] = factor(variance_profile(model, x), "activation")
    report.table(
        "Growth of E[z²] a layer with the gain of each activation",
        columns=["activation", "factor"],
        rows=[[name, round(value, 3)] for name, value in factors.items()],
    )
    worst = max(factors.values(), key=lambda value: abs(value - 1))
    report.claim(
        "the gain of every activation keeps E[z²]", worst, "factor a layer", near=(1, 0.15)
    )


def draw_histograms(report: Report, settings: Settings, x: torch.Tensor) -> None:
    layers = {}
    for label, scale in (("weights × 0.3", 0.3), ("Xavier", 1.0), ("weights × 5", 5.0)):
        model = network(settings, "tanh", "xavier", scale)
        hidden, values = x, []
        with torch.inference_mode():
            for module in list(model)[:12]:
                hidden = module(hidden)
                if isinstance(module, nn.Tanh):
                    values.append(hidden)
        layers[label] = values
    report.figure(
        "tanh-histograms",
        layer_histograms(layers),
        caption="Outputs of the first six tanh layers. Small weights let the signal die (mind the "
        "scales), large ones press it against ±1, where tanh has no slope.",
    )


def check_training(report: Report, settings: Settings) -> None:
    train, test = standard_digits(settings.seed)
    accuracy = {}
    for label, scale in (("He", 1.0), ("He × 0.1", 0.1)):
        with seeded(settings.seed):
            model = MLP((64, *[64] * settings.trained_depth, 10))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(scale)
        trainer = Trainer(
            model, optimizer="sgd", lr=0.05, schedule="cosine", epochs=settings.epochs, batch_size=32,
            metrics=["accuracy"], seed=settings.seed, progress=False,
        )  # fmt: skip
        history = trainer.fit(train, validation=test)
        accuracy[label] = history["validation_accuracy"][-1]
    report.table(
        f"Digits after {settings.epochs} epochs, {settings.trained_depth} hidden layers, plain SGD",
        columns=["weights", "test accuracy"],
        rows=[[label, value] for label, value in accuracy.items()],
    )
    learned, stuck = accuracy["He"], accuracy["He × 0.1"]
    report.claim("He weights learn", learned, "accuracy", at_least=0.9)
    report.claim("ten times smaller weights do not", stuck, "accuracy", at_most=0.2)


def run(settings: Settings) -> Report:
    report = Report(
        title="Initial weights",
        summary="He's variance keeps a ReLU network's signal alive forwards and backwards; Xavier's "
        "halves it with every layer.",
    )
    generator = torch.Generator().manual_seed(settings.seed + 1)
    x = torch.randn(settings.batch, settings.width, generator=generator)
    check_factors(report, settings, x)
    check_relu_moments(report, settings, x)
    check_gains(report, settings, x)
    draw_histograms(report, settings, x)
    check_training(report, settings)
    return report


def layer_histograms(layers: Mapping[str, Sequence[Tensor]]) -> Figure:
    """Draw the distribution of values in a few layers, one row a network.

    Args:
        layers: Values of the layers by label, in order of depth; the same number for every label.

    Example:
        >>> figure = layer_histograms({"net": [torch.randn(100), torch.randn(100)]})
        >>> len(figure.axes)
        2
    """
    depth = len(next(iter(layers.values())))
    figure, axes = new_figure(len(layers), depth, 1.6 * depth + 0.8, 1.35 * len(layers) + 0.5)
    grid = np.reshape(axes, (len(layers), depth))
    for row, (label, values) in enumerate(layers.items()):
        for column, (panel, layer) in enumerate(zip(grid[row], values, strict=True)):
            spread = max(float(layer.abs().max()), 1e-12)
            counts, edges = np.histogram(
                layer.detach().numpy(), bins=61, range=(-1.05 * spread, 1.05 * spread)
            )
            panel.stairs(counts, edges, fill=True, color=PALETTE[row % len(PALETTE)])
            panel.set_ylim(bottom=0)
            panel.set_yticks([])
            panel.grid(False)
            panel.locator_params(axis="x", nbins=3)
            panel.ticklabel_format(axis="x", style="sci", scilimits=(-2, 3), useMathText=True)
            panel.xaxis.get_offset_text().set_fontsize(8)
            panel.xaxis.get_offset_text().set_color(MUTED)
            if row == 0:
                panel.set_title(f"layer {column + 1}", fontsize=9, loc="center")
        grid[row, 0].set_ylabel(label, fontsize=9, color=INK)
    return figure
