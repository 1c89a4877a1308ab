"""Shift the input and the answer shifts with it: which layers keep which symmetries, measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.experiments._digits import digit_images, on_canvas
from gradatim.instruments import equivariance_error
from gradatim.models import MLP
from gradatim.nn import (
    Invariant,
    convolve,
    correlate,
    dihedral_group,
    permutation,
    reflection,
    rotation,
    toeplitz_matrix,
    translation,
)
from gradatim.nn.transformations import Transformation
from gradatim.plots.convolution import picture_panels
from gradatim.plots.style import new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("E1", "E3")
KEYWORDS = "translation equivariance, shift invariance, symmetry, translation invariance"
Function = Callable[[Tensor], Tensor]
TINY, LARGE = 1e-6, 0.05


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    side: int = 16
    images: int = 64
    places: int = 24


QUICK = Settings(images=16)


def centred(x: Tensor, kernel: Tensor) -> Tensor:
    """Circular correlation, shifted so that the kernel sits on its middle."""
    middle = [size // 2 for size in kernel.shape]
    return correlate(x, kernel, mode="circular").roll(middle, (-2, -1))


def same(y: Tensor) -> Tensor:
    """The identity: invariance is equivariance to it."""
    return y


def transformations(side: int, generator: torch.Generator) -> dict[str, Transformation]:
    order = torch.randperm(side * side, generator=generator)

    def shuffle(x: Tensor) -> Tensor:
        return permutation(order)(x.flatten(2)).reshape(x.shape)

    return {
        "shift by 1": translation(0, 1),
        "shift by 2": translation(0, 2),
        "reflection": reflection(),
        "quarter turn": rotation(90),
        "turn by 30°": rotation(30),
        "pixel permutation": shuffle,
    }


def layers(side: int, generator: torch.Generator) -> dict[str, Function]:
    """Maps from images to images of the same size."""
    kernel = torch.randn(5, 5, generator=generator, dtype=torch.float64)
    line = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0], dtype=torch.float64) / 16
    weight = torch.randn(side**2, side**2, generator=generator, dtype=torch.float64) / side

    return {
        "convolution, circular": lambda x: centred(x, kernel),
        "… and ReLU": lambda x: centred(x, kernel).relu(),
        "convolution, zeros around": lambda x: correlate(x, kernel, mode="same"),
        "convolution, round kernel": lambda x: convolve(x, line[:, None] * line, mode="same"),
        "max pooling, stride 2, enlarged": lambda x: F.interpolate(F.max_pool2d(x, 2), scale_factor=2),
        "dense layer": lambda x: (x.flatten(1) @ weight).reshape(x.shape),
        "ReLU alone": torch.relu,
    }  # fmt: skip


# What theory says commutes exactly, by layer.
KEPT = {
    "convolution, circular": {"shift by 1", "shift by 2"},
    "… and ReLU": {"shift by 1", "shift by 2"},
    "convolution, zeros around": set(),
    "convolution, round kernel": {"reflection", "quarter turn"},
    "max pooling, stride 2, enlarged": {"shift by 2", "reflection", "quarter turn"},
    "dense layer": set(),
    "ReLU alone": {"shift by 1", "shift by 2", "reflection", "quarter turn", "pixel permutation"},
}


def measure(
    settings: Settings, x: Tensor, generator: torch.Generator
) -> dict[str, dict[str, float]]:
    moves = transformations(settings.side, generator)
    return {
        name: {label: equivariance_error(f, move, x) for label, move in moves.items()}
        for name, f in layers(settings.side, generator).items()
    }


def claim_table(report: Report, errors: dict[str, dict[str, float]]) -> None:
    kept = [errors[name][label] for name, labels in KEPT.items() for label in sorted(labels)]
    broken = [
        error
        for name, row in errors.items()
        for label, error in row.items()
        if label not in KEPT[name]
    ]
    report.claim(
        f"the {len(kept)} pairs of layer and transformation that should commute",
        max(kept),
        below=TINY,
    )
    report.claim(
        f"the {len(broken)} pairs that should not", min(broken), "smallest error", above=LARGE
    )


def claim_borders_and_strides(report: Report, x: Tensor, generator: torch.Generator) -> None:
    kernel = torch.randn(5, 5, generator=generator, dtype=torch.float64)
    noise = torch.randn(x.shape, generator=generator, dtype=torch.float64)

    def zeros_around(x: Tensor) -> Tensor:
        return correlate(x, kernel, mode="same")

    inner = equivariance_error(zeros_around, translation(1, 1), noise, margin=3)
    report.claim("zeros around the image break equivariance at the border alone", inner, below=TINY)

    def strided(x: Tensor) -> Tensor:
        return correlate(x, kernel, mode="circular", stride=2)

    errors = [
        equivariance_error(strided, translation(0, t), noise, on_output=translation(0, t // 2))
        for t in (2, 3)
    ]
    report.claim(
        "a stride of 2 turns shifts by 2 into shifts by 1, and nothing else",
        expected=f"< {TINY:g} for a shift by 2, > {LARGE:g} for one by 3",
        measured=", ".join(f"{error:.3g}" for error in errors),
        holds=errors[0] < TINY and errors[1] > LARGE,
    )


def claim_converse(report: Report, settings: Settings, generator: torch.Generator) -> None:
    """A linear map that commutes with shifts is a convolution with its answer to an impulse."""
    n = settings.places
    free = torch.randn(n, n, generator=generator, dtype=torch.float64)
    # Averaging over all shifts projects onto the maps that commute with them.
    commuting = torch.stack([free.roll((t, t), (0, 1)) for t in range(n)]).mean(0)
    impulse = torch.zeros(n, dtype=torch.float64)
    impulse[0] = 1.0
    kernel = commuting @ impulse
    gap = (commuting - toeplitz_matrix(kernel, n, "circular")).abs().max().item()
    report.claim("a linear map made to commute with shifts is a convolution", gap, below=1e-12)


def claim_invariance(report: Report, settings: Settings, x: Tensor) -> None:
    with seeded(settings.seed):
        net = nn.Sequential(nn.Flatten(), MLP((settings.side**2, 32, 10))).double()
    group = dihedral_group()

    def worst(f: Function) -> float:
        return max(equivariance_error(f, move, x, on_output=same) for move in group)

    plain, best, mean = (
        worst(f) for f in (net, Invariant(net, group), Invariant(net, group, reduce="mean"))
    )
    report.claim(
        "a random dense network under the eight symmetries of a square", plain, above=LARGE
    )
    report.claim(
        "its maximum and its mean over the eight do not change",
        expected=f"< {TINY:g} both",
        measured=", ".join(f"{error:.3g}" for error in (best, mean)),
        holds=max(best, mean) < TINY,
    )


def draw(
    report: Report, settings: Settings, image: Tensor, errors: dict[str, dict[str, float]]
) -> None:
    edges = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]).double()
    shift = translation(3, 4)

    def f(x: Tensor) -> Tensor:
        return centred(x, edges)

    pictures: dict[str, Tensor] = {
        Formula("$x$"): image,
        Formula("$f(x)$"): f(image),
        Formula("$T f(x)$"): shift(f(image)),
        Formula("$T x$"): shift(image),
        Formula("$f(T x)$"): f(shift(image)),
        Formula("$f(Tx) - Tf(x)$"): f(shift(image)) - shift(f(image)),
    }
    report.figure(
        "commuting",
        picture_panels(pictures, columns=3),
        caption="Filter and shift in either order: the same picture. The last is zero everywhere.",
    )
    report.figure(
        "errors",
        score_table(errors),
        caption=f"Relative errors on {settings.images} digits in the middle of a canvas of {settings.side} × "
        f"{settings.side}. Green: they commute.",
    )
    report.table(
        "Equivariance errors",
        columns=["layer", *next(iter(errors.values()))],
        rows=[[name, *row.values()] for name, row in errors.items()],
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Equivariance",
        summary="Convolution commutes with shifts and, if its kernel is round, with turns; what is linear and "
        "commutes with shifts is a convolution. A maximum over a group makes anything invariant.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    digits = on_canvas(digit_images()[0][: settings.images], settings.side).double()
    # Noise fills the canvas, so that borders and negative values are tried too.
    x = digits + 0.3 * torch.randn(digits.shape, generator=generator, dtype=torch.float64)
    errors = measure(settings, x, generator)
    claim_table(report, errors)
    claim_borders_and_strides(report, x, generator)
    claim_converse(report, settings, generator)
    claim_invariance(report, settings, x)
    draw(report, settings, digits[0, 0], errors)
    return report


def score_table(scores: Mapping[str, Mapping[str, float]]) -> Figure:
    """Draw a table of errors, green where they vanish.

    Args:
        scores: By row and column, errors from 0; below 1e-6 one counts as none.

    Example:
        >>> figure = score_table({"ReLU": {"shift": 0.0, "turn": 0.2}})
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['0', '0.20']
    """
    rows, columns = list(scores), list(next(iter(scores.values())))
    values = np.array([[scores[row][column] for column in columns] for row in rows])
    figure, panel = new_figure(width=2.6 + 1.05 * len(columns), height=0.8 + 0.38 * len(rows))
    none = values < 1e-6
    shades = np.where(none[..., None], (0.80, 0.93, 0.87), (0.99, 0.92, 0.86))
    panel.imshow(shades, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        text = "0" if none[row, column] else f"{value:.2f}"
        panel.text(column, row, text, ha="center", va="center", fontsize=9)
    panel.set_xticks(range(len(columns)), columns)
    panel.set_yticks(range(len(rows)), rows)
    panel.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set_visible(False)
    return figure
