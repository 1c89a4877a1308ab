"""Small kernels that find edges and stripes, and the same kernels learned from examples."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from sklearn.datasets import load_sample_image
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.experiments.convolution._small_networks import fit_small, is_right
from gradatim.instruments import feature_maps
from gradatim.models import LeNet
from gradatim.nn import correlate
from gradatim.plots.convolution import feature_map_grid, filter_grid, picture_panels, show_picture
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("E1", "E3")
KEYWORDS = "edge detection, Sobel, Gabor, kernel, feature maps, cross-correlation"
ANGLES = (0, 45, 90, 135)
SOBEL = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
LAPLACE = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])
BINOMIAL = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0]) / 16


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    stripes: int = 600
    noise: float = 1.0
    epochs: int = 15
    digit_epochs: int = 25


QUICK = Settings(stripes=300, epochs=12, digit_epochs=18)


def photograph() -> Tensor:
    """A grey photograph in [0, 1], shape ``(213, 320)``."""
    colours = torch.tensor(load_sample_image("china.jpg")) / 255  # (H, W, 3)
    grey = colours @ torch.tensor([0.299, 0.587, 0.114])
    return F.avg_pool2d(grey[None], 2)[0]


def wave(degrees: float, size: int, period: float) -> Tensor:
    """Stripes; 0° are upright, and the angle turns them counter-clockwise."""
    place = torch.arange(size) - (size - 1) / 2
    angle = torch.tensor(degrees * pi / 180)
    along = place[None] * angle.cos() - place[:, None] * angle.sin()
    return (2 * pi * along / period).cos()


def gabor(degrees: float, size: int = 9, period: float = 4.0) -> Tensor:
    """Stripes under a bump, of mean zero: a detector of stripes of one direction."""
    place = torch.arange(size) - (size - 1) / 2
    bump = (-(place[None] ** 2 + place[:, None] ** 2) / (2 * (size / 4.5) ** 2)).exp()
    kernel = wave(degrees, size, period) * bump
    kernel = kernel - bump * kernel.sum() / bump.sum()
    return kernel / kernel.norm()


def claim_edges(report: Report) -> None:
    step = (torch.arange(16) >= 8).float().expand(16, 16)  # dark left, bright right
    upright, lying = correlate(step, SOBEL), correlate(step.T, SOBEL)
    columns = upright.abs().amax(0).nonzero().flatten().tolist()
    report.claim(
        "the Sobel filter on one upright edge",
        expected="4 in the two columns beside it, 0 elsewhere",
        measured=f"{upright.max():.0f} in {len(columns)} columns",
        holds=columns == [6, 7] and bool((upright[:, 6:8] == 4).all()),
    )
    report.claim("… and on one lying edge", lying.abs().max().item(), equals=0)
    ramp = torch.arange(16.0)[None] * 2 + torch.arange(16.0)[:, None]
    report.claim(
        "the Laplace filter on an even slope", correlate(ramp, LAPLACE).abs().max().item(), equals=0
    )


def claim_blur(report: Report, image: Tensor) -> None:
    whole = correlate(image, BINOMIAL[:, None] * BINOMIAL, mode="same")
    # One pass along the rows, one along the columns.
    passes = correlate(correlate(image, BINOMIAL, mode="same").T, BINOMIAL, mode="same").T
    gap = (whole - passes).abs().max().item()
    report.claim("a blur of 5 × 5 is two blurs of 5: 10 products for 25", gap, below=1e-6)


def claim_stripes(report: Report) -> None:
    answers = torch.stack(
        [
            torch.stack([correlate(wave(b, 32, 4.0), gabor(a)).abs().mean() for b in ANGLES])
            for a in ANGLES
        ]
    )
    matched = answers.argmax(1).tolist()
    rest = answers.clone().fill_diagonal_(0).amax(1)
    lead = (answers.diagonal() / rest).min().item()
    report.claim(
        "four stripe filters answer most to stripes of their own direction",
        expected="all four, by at least 3 times",
        measured=f"{sum(m == i for i, m in enumerate(matched))}, by {lead:.1f} times",
        holds=matched == [0, 1, 2, 3] and lead > 3,
    )


def learn_sobel(report: Report, settings: Settings) -> Tensor:
    """Show a layer images and their edges; it finds the filter."""
    generator = torch.Generator().manual_seed(settings.seed)
    images = torch.randn(32, 1, 16, 16, generator=generator)
    edges = correlate(images, SOBEL[None, None])
    layer = nn.Conv2d(1, 1, 3)
    Trainer(
        layer, "mse", "sgd", lr=0.2, epochs=10, batch_size=8, seed=settings.seed, progress=False
    ).fit((images, edges))  # fmt: skip
    found = layer.weight.detach()[0, 0]
    gap = (found - SOBEL).abs().max().item()
    report.claim(
        "a layer that is shown images and their edges learns the Sobel filter", gap, below=0.001
    )
    return found


def striped(settings: Settings, count: int, generator: torch.Generator) -> Pair:
    """Faint stripes in noise, at any phase: label 0 upright, 1 lying."""
    phase = 2 * pi * torch.rand(count, generator=generator)
    labels = torch.randint(2, (count,), generator=generator)
    place = torch.arange(16.0)
    lines = (2 * pi * place / 4 + phase[:, None]).cos()  # (N, 16)
    images = torch.where(labels[:, None, None] == 0, lines[:, None, :], lines[:, :, None])
    noise = settings.noise * torch.randn(count, 16, 16, generator=generator)
    return (images + noise).unsqueeze(1), labels


def learn_stripes(report: Report, settings: Settings) -> Tensor:
    """Show a network stripes and their names; it finds filters for them."""
    generator = torch.Generator().manual_seed(settings.seed)
    train, test = (striped(settings, count, generator) for count in (settings.stripes, 500))
    with seeded(settings.seed):
        layers = nn.Conv2d(1, 4, 5), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
        model = nn.Sequential(*layers, nn.Linear(4, 2))
    fit_small(model, train, lr=0.02, epochs=settings.epochs, batch_size=32, seed=settings.seed)
    accuracy = is_right(model, *test).mean().item()
    report.claim(
        "four learned filters tell upright from lying stripes in noise", accuracy, at_least=0.95
    )
    weights, vote = (model.get_parameter(f"{k}.weight").detach() for k in (0, 4))
    prefers_upright = vote[0] > vote[1]
    # Power at the stripes' frequency, 1/4 a pixel, across and down.
    basis = torch.exp(-2j * pi * torch.arange(5) / 4)
    across = (weights[:, 0].sum(1) @ basis.real).square() + (weights[:, 0].sum(1) @ basis.imag) ** 2
    down = (weights[:, 0].sum(2) @ basis.real).square() + (weights[:, 0].sum(2) @ basis.imag) ** 2
    agrees = (across > down) == prefers_upright
    report.claim(
        "a filter that votes for a direction is striped in that direction",
        f"{int(agrees.sum())} of 4",
        equals="4 of 4",
    )
    return weights


def learn_digits(report: Report, settings: Settings) -> tuple[nn.Module, Tensor]:
    """A small network on enlarged digits, whose filters and maps are worth a look."""
    train, (X_test, y_test) = (
        (F.interpolate(images, scale_factor=2, mode="bilinear"), labels)
        for images, labels in split_digits(settings.seed)
    )
    with seeded(settings.seed):
        model = LeNet(image_size=16)
    epochs = settings.digit_epochs
    fit_small(model, train, lr=3e-3, weight_decay=1e-3, epochs=epochs, seed=settings.seed)
    accuracy = is_right(model, X_test, y_test).mean().item()
    report.claim("LeNet on digits, with learned filters", accuracy, "accuracy", at_least=0.95)
    return model, X_test[y_test == 3][:1]


def draw(report: Report, image: Tensor, learned: dict[str, Tensor]) -> None:
    kernels = {
        "upright edges": SOBEL,
        "lying edges": SOBEL.T,
        "all edges": LAPLACE,
        "blur": (wide := torch.ones(9, 9) / 81),
        "what blur takes away": F.pad(torch.ones(1, 1), [4, 4, 4, 4]) - wide,
    }
    answers = {
        name: (kernel, correlate(image, kernel, mode="same")[4:-4, 4:-4])
        for name, kernel in kernels.items()
    }
    report.figure(
        "photograph",
        filtered_images(image[4:-4, 4:-4], answers),
        caption="A photograph and what five filters answer: red is positive, blue negative, white nothing.",
    )
    titles = [name for name, w in learned.items() for _ in range(len(w))]
    filters = torch.cat([F.pad(w / w.abs().max(), [(5 - w.shape[-1]) // 2] * 4) for w in learned.values()])  # fmt: skip
    report.figure(
        "learned",
        filter_grid(filters, titles, columns=5, size=1.25),
        caption="Learned, not drawn: the Sobel filter from pairs of images, stripe filters from names alone.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Filters",
        summary="A kernel is a small picture of what it looks for. Edges and stripes have theirs, and gradient "
        "descent finds them from examples.",
    )
    image = photograph()
    claim_edges(report)
    claim_blur(report, image)
    claim_stripes(report)
    sobel, stripes = learn_sobel(report, settings), learn_stripes(report, settings)
    draw(report, image, {"edges": sobel[None], "stripes": stripes[:, 0]})
    model, digit = learn_digits(report, settings)
    maps = feature_maps(model, digit, ("conv1", "relu1", "pool1", "conv2", "relu2"))
    report.figure(
        "feature-maps",
        feature_map_grid(digit[0, 0], {name: values[0] for name, values in maps.items()}),
        caption="A digit on its way through LeNet, the strongest maps of each layer first.",
    )
    weights = next(module for module in model.modules() if isinstance(module, nn.Conv2d)).weight
    report.figure(
        "lenet-filters",
        filter_grid(weights.detach(), columns=6, size=1.1),
        caption="The six filters of its first layer.",
    )
    return report


def filtered_images(
    image: ArrayLike, responses: Mapping[str, tuple[ArrayLike, ArrayLike]]
) -> Figure:
    """Draw an image, and what filters answer to it, each filter in the corner of its answer.

    Args:
        image: Shape ``(H, W)``.
        responses: By name, the filter ``(h, w)`` and its answer ``(H, W)``.

    Example:
        >>> import numpy as np
        >>> figure = filtered_images(np.zeros((8, 8)), {"blur": (np.ones((3, 3)), np.zeros((8, 8)))})
    """
    pictures = {"input": np.asarray(image)}
    pictures |= {name: np.asarray(answer) for name, (_, answer) in responses.items()}
    figure = picture_panels(pictures, columns=3, size=3.0)
    for panel, (kernel, _) in zip(figure.axes[1:], responses.values(), strict=True):
        values = np.asarray(kernel, dtype=float)
        height, width = pictures["input"].shape[:2]
        corner = panel.inset_axes((0.02, 0.02, 0.2, 0.2 * width / height))
        show_picture(corner, values, float(np.abs(values).max()) or 1.0)
    return figure
