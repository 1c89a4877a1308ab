"""Two kinds of attention inside a convolutional network, where they help and where they do not."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.experiments.convolution._small_networks import fit_small, is_right
from gradatim.nn import ImageSelfAttention, SqueezeExcitation
from gradatim.plots.bars import comparison_bars
from gradatim.plots.style import DIVERGING, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E3", "G1")
KEYWORDS = "squeeze-and-excitation, channel attention, self-attention in a CNN, non-local networks, gating, hybrid"
COLOURS = ("red", "green")
PLAIN, GATED, LOOKING = "convolutions only", "squeeze and excitation", "self-attention"
WIDTH = 32


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    images: int = 6_000
    test_images: int = 1_000
    epochs: int = 16
    repeats: int = 3


QUICK = Settings(images=1_600, test_images=400, epochs=10, repeats=1)

# What stands after the first and after the second convolution, by the number of maps there.
PARTS: dict[str, Callable[[int], nn.Module]] = {
    PLAIN: lambda width: nn.Identity(),
    GATED: SqueezeExcitation,
    LOOKING: lambda width: (
        ImageSelfAttention(width, num_heads=4) if width == WIDTH else nn.Identity()
    ),
}


def build(part: str, seed: int) -> nn.Sequential:
    """Three convolutions and the mean of their maps, with a part after the first and after the second."""
    with seeded(seed):
        return nn.Sequential(
            *(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            PARTS[part](16),
            *(nn.Conv2d(16, WIDTH, 3, padding=1), nn.BatchNorm2d(WIDTH), nn.ReLU()),
            PARTS[part](WIDTH),
            *(nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.BatchNorm2d(WIDTH), nn.ReLU()),
            *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTH, 10)),
        )


def two_digits(digits: Pair, count: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """A red and a green digit in two corners, and in a third the colour of the one to be read.

    Returns:
        Images ``(count, 3, 16, 16)``, the digit to be read, and which colour it has.
    """
    rng = np.random.default_rng(seed)
    X, y = digits[0].numpy(), digits[1].numpy()
    rows, asked = rng.integers(0, len(X), (count, 2)), rng.integers(0, 2, count)
    corners = rng.permuted(np.tile(np.arange(4), (count, 1)), axis=1)
    images = np.zeros((count, 3, 4, 8, 8), np.float32)
    every = np.arange(count)
    for colour in range(2):
        images[every, colour, corners[:, colour]] = X[rows[:, colour], 0]
    images[every, asked, corners[:, 2]] = 1.0
    laid = images.reshape(count, 3, 2, 2, 8, 8).swapaxes(3, 4).reshape(count, 3, 16, 16)
    return torch.from_numpy(laid), torch.from_numpy(y[rows[every, asked]]), torch.from_numpy(asked)


def one_digit(digits: Pair) -> Pair:
    """Digits alone, the same in all colours: nothing to choose."""
    return digits[0].repeat(1, 3, 1, 1), digits[1]


def train(settings: Settings) -> tuple[dict[str, np.ndarray], dict[str, nn.Sequential]]:
    """Accuracy in per cent of each network on both tasks, shape ``(repeats, 2)``, and the last networks that choose."""
    found: dict[str, list[list[float]]] = {name: [] for name in PARTS}
    models: dict[str, nn.Sequential] = {}
    for seed in range(settings.seed, settings.seed + settings.repeats):
        digits, others = split_digits(seed)
        X, y, _ = two_digits(digits, settings.images, 2 * seed)
        X_test, y_test, _ = two_digits(others, settings.test_images, 2 * seed + 1)
        single, single_test = one_digit(digits), one_digit(others)
        for name in PARTS:
            chooser, reader = build(name, seed), build(name, seed)
            fit_small(chooser, (X, y), lr=1e-2, epochs=settings.epochs, seed=seed, batch_size=50)
            fit_small(reader, single, lr=4e-3, epochs=settings.epochs, seed=seed)
            right = (is_right(chooser, X_test, y_test), is_right(reader, *single_test))
            found[name].append([100 * part.mean().item() for part in right])
            models[name] = chooser
    return {name: np.array(rows) for name, rows in found.items()}, models


def claim_figures(report: Report, figures: dict[str, np.ndarray]) -> None:
    chosen = {name: float(rows[:, 0].mean()) for name, rows in figures.items()}
    alone = {name: float(rows[:, 1].mean()) for name, rows in figures.items()}
    report.claim("which of two digits? Weighing maps by the whole image finds it", chosen[GATED] - chosen[PLAIN], "{} points more than convolutions alone", at_least=10)  # fmt: skip
    report.claim("and so does looking at all places", chosen[LOOKING] - chosen[PLAIN], "{} points more", at_least=10)  # fmt: skip
    report.claim("where there is nothing to choose, weighing maps gains next to nothing", alone[GATED] - alone[PLAIN], "{} points more", at_least=-3, at_most=3)  # fmt: skip
    report.claim("nor does looking around", alone[LOOKING] - alone[PLAIN], "{} points more", at_least=-3, at_most=3)  # fmt: skip


@torch.no_grad()
def gates_by_colour(model: nn.Sequential, digits: Pair, settings: Settings) -> np.ndarray:
    """Mean weight of every map, for each colour that is asked for, shape ``(2, WIDTH)``."""
    X, _, asked = two_digits(digits, settings.test_images, 2 * settings.seed + 1)
    place, gate = max(
        (k, part) for k, part in enumerate(model) if isinstance(part, SqueezeExcitation)
    )
    weights = gate.weights(model[:place](X))
    return np.stack([weights[asked == colour].mean(0).numpy() for colour in range(2)])


@torch.no_grad()
def with_mean_gates(model: nn.Sequential, X: Tensor) -> Tensor:
    """Scores of a network whose maps are weighed for all images alike, by the mean."""
    for part in model:
        X = X * part.weights(X).mean(0)[:, None, None] if isinstance(part, SqueezeExcitation) else part(X)  # fmt: skip
    return X


def claim_gates(report: Report, model: nn.Sequential, digits: Pair, settings: Settings) -> None:
    X, y, _ = two_digits(digits, settings.test_images, 2 * settings.seed + 1)
    own = 100 * is_right(model, X, y).mean().item()
    alike = 100 * (with_mean_gates(model, X).argmax(1) == y).double().mean().item()
    report.claim("it is the weights that choose: with their means in their place it fails", own - alike, "{} points less", at_least=10)  # fmt: skip


def claim_cost(report: Report) -> None:
    extra = {
        name: sum(p.numel() for p in PARTS[name](WIDTH).parameters()) for name in (GATED, LOOKING)
    }
    conv = sum(p.numel() for p in nn.Conv2d(WIDTH, WIDTH, 3).parameters())
    report.claim("neither costs more weights than half a convolution", max(extra.values()) / conv, "of {} of one", at_most=0.5)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Attention inside convolutional networks",
        summary="Weights for maps, or a look at all places, let one part of an image decide how another is read. Where nothing has to be "
        "decided they bring nothing.",
    )
    figures, models = train(settings)
    claim_figures(report, figures)
    _, others = split_digits(settings.seed + settings.repeats - 1)
    claim_gates(report, models[GATED], others, settings)
    gates = gates_by_colour(models[GATED], others, settings)
    claim_cost(report)
    report.table(
        f"Right on test images, per cent, means of {settings.repeats} runs",
        columns=["between the convolutions", "one of two digits", "a digit alone", "parameters"],
        rows=[[name, *rows.mean(0), sum(p.numel() for p in models[name].parameters())] for name, rows in figures.items()],
    )  # fmt: skip
    report.figure("accuracy", comparison_bars({name: float(rows[:, 0].mean()) for name, rows in figures.items()}, label="one of two digits: right on test images, %"), caption="Chance is 10 %; reading either of them gives 55 %.")  # fmt: skip
    X, y, asked = two_digits(others, 6, 2 * settings.seed + 1)
    report.figure("gates", draw(X, y, asked, gates), caption="Above: the square says which digit is asked for. Below: how much the maps count, by that colour.")  # fmt: skip
    return report


def draw(X: Tensor, y: Tensor, asked: Tensor, gates: np.ndarray) -> Figure:
    figure, panels = new_figure(2, len(X), width=10.0, height=4.2)
    for panel, image, digit, colour in zip(panels[0], X, y.tolist(), asked.tolist(), strict=True):
        panel.imshow(image.permute(1, 2, 0).numpy(), interpolation="nearest")
        panel.set(xticks=[], yticks=[], title=f"{COLOURS[colour]}: {digit}")
        panel.grid(False)
    grid = panels[1, 0].get_gridspec()
    for panel in panels[1]:
        panel.remove()
    wide = figure.add_subplot(grid[1, :])
    order = np.argsort(gates[1] - gates[0])
    apart = (gates - gates.mean(0))[:, order]
    most = float(np.abs(apart).max())
    shown = wide.imshow(apart, cmap=DIVERGING, vmin=-most, vmax=most, aspect="auto")
    wide.set_yticks(range(2), COLOURS)
    wide.set(xticks=[], xlabel="maps")
    wide.grid(False)
    figure.colorbar(shown, ax=wide, label="weight, less its mean").outline.set_visible(False)
    return figure
