"""The test error peaks where a model just fits its rows, and falls again beyond: over features, rows and width."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from torch import Tensor

from gradatim.linear import fit_minimum_norm, fit_ridge
from gradatim.models import MLP
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("I4",)
KEYWORDS = "interpolation threshold, overparametrization, random features, modern generalization"
INPUTS, TEST = 20, 1000  # of the regression


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 100
    noise: float = 0.5
    repeats: int = 30
    features: tuple[int, ...] = (10, 25, 50, 75, 90, 100, 110, 125, 150, 200, 400, 1000, 2000)
    samples: tuple[int, ...] = (25, 50, 75, 90, 100, 110, 125, 150, 200, 400)
    widths: tuple[int, ...] = (1, 2, 3, 4, 5, 7, 10, 20, 60, 200)
    networks: int = 8
    epochs: int = 2500


QUICK = Settings(repeats=10, features=(10, 25, 50, 75, 100, 125, 200, 400, 1000), samples=(25, 50, 100, 200, 400), widths=(1, 2, 4, 7, 20, 100), networks=5, epochs=1200)  # fmt: skip


class Task(NamedTuple):
    """Rows of a noisy function to learn from, and rows of the function itself to judge by."""

    x: Tensor
    y: Tensor
    x_test: Tensor
    y_test: Tensor


def draw_task(rows: int, noise: float, generator: torch.Generator) -> Task:
    """A linear function of unit variance and noise on top of it."""
    w = torch.randn(INPUTS, generator=generator, dtype=torch.float64) / INPUTS**0.5
    x, x_test = (torch.randn(n, INPUTS, generator=generator, dtype=torch.float64) for n in (rows, TEST))  # fmt: skip
    noisy = x @ w + noise * torch.randn(rows, generator=generator, dtype=torch.float64)
    return Task(x, noisy, x_test, x_test @ w)


def features_of(x: Tensor, directions: Tensor) -> Tensor:
    """Random ReLU features, shape ``(N, p)``: a network whose first layer is left as it was drawn."""
    return torch.relu(x @ directions) / directions.shape[1] ** 0.5


def test_error(task: Task, num_features: int, ridge: float, generator: torch.Generator) -> float:
    """Mean squared distance from the function, of the shortest solution or of one held short by a penalty."""
    directions = torch.randn(INPUTS, num_features, generator=generator, dtype=torch.float64)
    A, B = features_of(task.x, directions), features_of(task.x_test, directions)
    fit = fit_ridge(A, task.y, weight_decay=ridge, fit_intercept=False) if ridge else fit_minimum_norm(A, task.y)  # fmt: skip
    return float((B @ fit.weight - task.y_test).square().mean())


def curve(settings: Settings, pairs: list[tuple[int, int]], ridge: float) -> list[float]:
    """Medians of the error over tasks, the same for every number of features, one for every pair of rows and features."""
    found = []
    for rows, num_features in pairs:
        errors = []
        for k in range(settings.repeats):
            g = torch.Generator().manual_seed(1000 * settings.seed + k)
            errors.append(test_error(draw_task(rows, settings.noise, g), num_features, ridge, g))
        found.append(float(np.median(errors)))
    return found


class Widths(NamedTuple):
    """Median squared errors of trained networks by width, on the rows and on the function."""

    train: list[float]
    test: list[float]


def train_widths(settings: Settings) -> Widths:
    """Networks with one hidden layer, trained to the end, each on a task of its own."""
    g = torch.Generator().manual_seed(settings.seed)
    tasks = [draw_task(settings.rows, settings.noise, g) for _ in range(settings.networks)]
    pairs = [(task.x.float(), task.y.float()[:, None]) for task in tasks]
    seeds = [settings.seed + k for k in range(len(tasks))]
    found = Widths([], [])
    for width in settings.widths:
        replicas = train_replicas(
            partial(MLP, (INPUTS, width, 1), activation="tanh"), pairs, loss="mse", lr=0.02,
            schedule="cosine", epochs=settings.epochs, batch_size=settings.rows, seed=seeds,
        )  # fmt: skip
        with torch.inference_mode():
            outputs = [(model(task.x.float())[:, 0], model(task.x_test.float())[:, 0]) for model, task in zip(replicas.models, tasks, strict=True)]  # fmt: skip
        found.train.append(float(np.median([float((o - t.y).square().mean()) for (o, _), t in zip(outputs, tasks, strict=True)])))  # fmt: skip
        found.test.append(float(np.median([float((o - t.y_test).square().mean()) for (_, o), t in zip(outputs, tasks, strict=True)])))  # fmt: skip
    return found


def parameters(settings: Settings) -> list[int]:
    return [(INPUTS + 2) * width + 1 for width in settings.widths]


def claim_features(report: Report, settings: Settings) -> dict[str, list[float]]:
    pairs = [(settings.rows, p) for p in settings.features]
    found = {"shortest": curve(settings, pairs, 0.0), "ridge": curve(settings, pairs, 0.1)}
    at = settings.features.index(settings.rows)
    free, held = found["shortest"], found["ridge"]
    report.claim("over features: the error peaks where they are as many as the rows", settings.features[int(np.argmax(free))], "features", equals=settings.rows)  # fmt: skip
    report.claim("it falls again beyond", free[at] / free[-1], f"times at the peak what it is with {settings.features[-1]}", above=5)  # fmt: skip
    report.claim("with a penalty there is no peak", held[at] / free[at], "ratio to the error without", below=0.2)  # fmt: skip
    rises = max(b / a for a, b in pairwise(held))
    report.claim("and more features hardly ever hurt", rises, "largest rise from one to the next", below=1.25)  # fmt: skip
    report.table(f"{settings.rows} rows: median squared error", columns=["features", "shortest solution", "ridge"], rows=[[p, *both] for p, *both in zip(settings.features, free, held, strict=True)])  # fmt: skip
    return found


def claim_samples(report: Report, settings: Settings) -> dict[str, list[float]]:
    pairs = [(n, settings.rows) for n in settings.samples]
    found = {"shortest": curve(settings, pairs, 0.0), "ridge": curve(settings, pairs, 0.1)}
    at = settings.samples.index(settings.rows)
    half, free, held = settings.samples.index(settings.rows // 2), found["shortest"], found["ridge"]
    report.claim("over rows: with as many rows as features the error is largest", settings.samples[int(np.argmax(free))], "rows", equals=settings.rows)  # fmt: skip
    report.claim("twice the rows hurt", free[at] / free[half], f"times the error of {settings.rows // 2} rows", above=2)  # fmt: skip
    report.claim("and help with a penalty", held[at] / held[half], f"times the error of {settings.rows // 2} rows", below=1)  # fmt: skip
    report.table(f"{settings.rows} features: median squared error", columns=["rows", "shortest solution", "ridge"], rows=[[n, *both] for n, *both in zip(settings.samples, free, held, strict=True)])  # fmt: skip
    return found


def claim_widths(report: Report, settings: Settings) -> Widths:
    found, counts = train_widths(settings), parameters(settings)
    peak = int(np.argmax(found.test))
    report.claim("over width: trained networks err most with about as many parameters as rows", counts[peak] / settings.rows, "parameters per row", at_least=0.5, at_most=2)  # fmt: skip
    report.claim("and less where they fit the rows and are wide", found.test[peak] / found.test[-1], f"times at the peak what it is with {settings.widths[-1]} units", above=2)  # fmt: skip
    report.claim("though the widest fits the noise completely", found.train[-1], "training error", below=1e-3)  # fmt: skip
    rows = [[w, p, *both] for w, p, *both in zip(settings.widths, counts, *found, strict=True)]
    report.table(f"Networks on {settings.rows} rows: median squared error", columns=["hidden units", "parameters", "training error", "test error"], rows=rows)  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Double descent",
        summary="Where a model has just enough freedom to fit its rows, noise included, its solution is long and wrong elsewhere. More "
        "freedom allows shorter solutions, and a penalty removes the peak.",
    )
    by_features = claim_features(report, settings)
    by_samples = claim_samples(report, settings)
    widths = claim_widths(report, settings)
    caption = f"Random ReLU features on {settings.rows} rows, {settings.rows} features on more and more rows, and trained networks. Dotted: as many numbers to fit as parameters."  # fmt: skip
    figure = draw_figure(settings, by_features, by_samples, widths)
    report.figure("descents", figure, caption=caption)
    return report


def draw_figure(
    settings: Settings,
    by_features: dict[str, list[float]],
    by_samples: dict[str, list[float]],
    widths: Widths,
) -> Figure:
    figure, (left, middle, right) = new_figure(columns=3, width=12.5, height=4.0)
    panels = ((left, settings.features, by_features, "features"), (middle, settings.samples, by_samples, "rows"))  # fmt: skip
    for axes, x, found, word in panels:
        for k, (name, values) in enumerate(found.items()):
            axes.loglog(x, values, marker=MARKERS[k], markersize=4, color=PALETTE[k], label="shortest solution" if name == "shortest" else name)  # fmt: skip
        axes.axvline(settings.rows, color=MUTED, linestyle=":", linewidth=1.2)
        axes.set(title=f"Test error over {word}", xlabel=word, ylabel="squared error")
        axes.legend(fontsize=8)
    for k, (name, values) in enumerate((("test", widths.test), ("training", widths.train))):
        right.loglog(parameters(settings), values, marker=MARKERS[k], markersize=4, color=PALETTE[2 * k], label=name)  # fmt: skip
    right.axvline(settings.rows, color=MUTED, linestyle=":", linewidth=1.2)
    right.set(title="Networks over width", xlabel="parameters", ylabel="squared error", ylim=(1e-4, 3))  # fmt: skip
    right.legend(fontsize=8)
    middle.xaxis.set_minor_formatter(NullFormatter())
    ticks = [n for n in (25, 50, 100, 200, 400) if n in settings.samples]
    middle.set_xticks(ticks, [str(n) for n in ticks])
    return figure
