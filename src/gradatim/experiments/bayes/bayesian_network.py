"""Seven ways to say what a network does not know, held to draws from its posterior, between two clouds of rows."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.bayes import Predictive, posterior_predictive
from gradatim.models import MLP
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("J1",)
KEYWORDS = "posterior, predictive distribution, Markov chain Monte Carlo MCMC, epistemic uncertainty, Bayesian neural network, MC dropout"
NOISE = 0.04  # variance of the targets
ENDS, INNER = 1.5, 0.9  # middles of the clouds; the gap is looked at between -INNER and INNER
HMC, SGHMC, ENSEMBLE = "hmc", "sghmc", "ensemble"
VARIATIONAL, DROPOUT = "variational", "mc-dropout"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 30
    hidden: int = 12
    epochs: int = 2000
    steps: int = 3000
    walk: int = 20_000
    samples: int = 2000
    draws: int = 400
    warmup: int = 150
    methods: tuple[str, ...] = (
        HMC, SGHMC, "sgld", ENSEMBLE, "laplace", VARIATIONAL, DROPOUT,
    )  # fmt: skip


QUICK = Settings(epochs=400, steps=400, walk=2000, samples=1000, methods=("sghmc", "sgld", "ensemble", "laplace", "variational", "mc-dropout"))  # fmt: skip


class Rows(NamedTuple):
    """Rows that teach, rows beside them that judge, and places everywhere."""

    x: Tensor
    y: Tensor
    new_x: Tensor
    new_y: Tensor
    grid: Tensor


class Told(NamedTuple):
    """What a method says of the new rows and of the grid."""

    new: Predictive
    grid: Predictive

    def variance(self, rows: Rows, low: float, high: float) -> Tensor:
        """Of the output at the places of the grid between two numbers."""
        inside = (rows.grid[:, 0] >= low - 1e-6) & (rows.grid[:, 0] <= high + 1e-6)
        return self.grid.std[inside, 0].square()

    def doubt(self, rows: Rows) -> float:
        """The largest variance in the gap over the sum of those in the middles of the clouds."""
        ends = sum(float(self.variance(rows, end, end)) for end in (-ENDS, ENDS))
        return float(self.variance(rows, -INNER, INNER).max()) / ends


def truth(x: Tensor) -> Tensor:
    return torch.sin(2 * x)


def draw_rows(settings: Settings) -> Rows:
    generator = torch.Generator().manual_seed(settings.seed)

    def cloud(count: int) -> tuple[Tensor, Tensor]:
        x = torch.rand(count, 1, generator=generator) + 1
        x[::2] -= 3  # one cloud from -2 to -1, the other from 1 to 2
        noise = torch.randn(count, 1, generator=generator)
        return x, truth(x) + math.sqrt(NOISE) * noise

    return Rows(*cloud(settings.rows), *cloud(400), torch.linspace(-3, 3, 121)[:, None])


def train(rows: Rows, settings: Settings, *, dropout: float = 0.0) -> nn.Module:
    """A network of one hidden layer, with the prior's weight decay."""
    with seeded(settings.seed):
        model = MLP((1, settings.hidden, 1), dropout=dropout)
    decay = 2 * NOISE / len(rows.x)  # of the mean squared error
    Trainer(
        model, "mse", lr=0.02, epochs=settings.epochs, batch_size=len(rows.x), weight_decay=decay,
        schedule="cosine", seed=settings.seed, progress=False,
    ).fit((rows.x, rows.y))  # fmt: skip
    return model


def options(settings: Settings) -> dict[str, dict[str, Any]]:
    """Every method, and what it is given."""
    walk = {"steps": settings.walk, "num_samples": 400}
    return {
        HMC: {"num_samples": settings.draws, "warmup": settings.warmup},
        SGHMC: walk,
        "sgld": walk,
        ENSEMBLE: {"steps": settings.steps, "num_samples": 10},
        "laplace": {"num_samples": settings.samples},
        VARIATIONAL: {"steps": settings.steps, "num_samples": settings.samples},
        DROPOUT: {"num_samples": settings.samples},
    }


def ask_all(rows: Rows, settings: Settings) -> dict[str, Told]:
    model, dropped = train(rows, settings), train(rows, settings, dropout=0.1)
    places, found = torch.cat([rows.new_x, rows.grid]), {}
    for method in settings.methods:
        given = options(settings)[method]
        own = dropped if method == DROPOUT else model
        said = posterior_predictive(own, (rows.x, rows.y), places, method=method, noise=NOISE, seed=settings.seed, **given)  # fmt: skip
        at = len(rows.new_x)
        parts = (slice(0, at), slice(at, None))
        found[method] = Told(*(Predictive(said.mean[p], said.std[p], said.draws[:, p], said.verdict) for p in parts))  # fmt: skip
    return found


def judge(told: Told, rows: Rows) -> tuple[float, float]:
    """Mean negative log-density of new rows, and the share of them that bands of 95 % hold."""
    spread = (told.new.std.square() + NOISE).sqrt()
    errors = (rows.new_y - told.new.mean) / spread
    density = errors.square() / 2 + spread.log() + math.log(2 * math.pi) / 2
    return float(density.mean()), float((errors.abs() < 1.96).double().mean())


def claim_linear(report: Report, rows: Rows, settings: Settings) -> None:
    """A network without a hidden layer, whose posterior is a formula."""
    x = torch.cat([rows.x, torch.ones_like(rows.x)], 1).double()
    new = torch.cat([rows.grid, torch.ones_like(rows.grid)], 1).double()
    covariance = torch.linalg.inv(x.T @ x / NOISE + torch.eye(2).double())
    mean, std = new @ covariance @ x.T @ rows.y.double() / NOISE, (new @ covariance * new).sum(1, keepdim=True).sqrt()  # fmt: skip
    for method, given, limit in (("laplace", {}, 1e-3), (HMC, {"num_samples": 2000, "warmup": 60}, 0.15)):  # fmt: skip
        found = posterior_predictive(nn.Linear(1, 1), (rows.x, rows.y), rows.grid, method=method, noise=NOISE, seed=settings.seed, **given)  # type: ignore[arg-type] # fmt: skip
        gap = torch.maximum(((found.mean - mean) / std).abs(), (found.std / std - 1).abs()).max()
        words = "is exact" if method == "laplace" else "finds it by draws"
        report.claim(f"of a line the posterior is a formula: {method} {words}", float(gap), "largest error of mean and spread, in spreads,", below=limit)  # fmt: skip


def claim_doubts(report: Report, rows: Rows, found: dict[str, Told]) -> None:
    floor = (1 + math.log(2 * math.pi * NOISE)) / 2
    table = []
    for method, told in found.items():
        loss, coverage = judge(told, rows)
        on = told.new.std.square().mean().sqrt()
        inside = told.variance(rows, -INNER, INNER).max().sqrt()
        table.append([method, loss - floor, coverage, float(on), float(inside), told.doubt(rows)])
    report.table("New rows beside the others, and the gap", columns=["method", "NLL above the noise's own", "held by bands of 95 %", "spread beside rows", "largest in the gap", "its variance over that of both ends"], rows=table)  # fmt: skip
    rowwise = {row[0]: row for row in table}
    drawn = [method for method in (HMC, SGHMC) if method in found]
    for method in drawn:
        report.claim(f"{method}: draws from the posterior tell new rows almost as well as who knows the truth", rowwise[method][1], "nats more", below=0.25)  # fmt: skip
        report.claim(f"{method}: their bands of 95 % hold", rowwise[method][2], "of new rows", above=0.85)  # fmt: skip
    for method in (*drawn, ENSEMBLE):
        report.claim(f"{method} knows least between the rows", found[method].doubt(rows), "variance in the gap over both ends together", above=1.0)  # fmt: skip
    report.claim("independent weights of one hidden layer cannot: the variance in the gap is at most that of both ends together", found[VARIATIONAL].doubt(rows), "ratio", at_most=1.05)  # fmt: skip
    middle = float(found[DROPOUT].variance(rows, 0, 0))
    mean = sum(float(found[DROPOUT].variance(rows, end, end)) for end in (-ENDS, ENDS)) / 2
    report.claim("nor can dropout: its variance is convex in the input, so the middle of the gap has at most the mean of the ends", middle / mean, "ratio", at_most=1.05)  # fmt: skip
    ratio = found[VARIATIONAL].variance(rows, -INNER, INNER).max() / found[drawn[0]].variance(rows, -INNER, INNER).max()  # fmt: skip
    report.claim("so independent weights are too sure there", float(ratio.sqrt()), "spread over that of the posterior", below=0.5)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="What a network does not know",
        summary="Draws from the posterior of a network's weights doubt most where no rows are. Independent weights and dropout, with one hidden "
        "layer, cannot: their variance between two clouds of rows is bounded by that on them.",
    )
    rows = draw_rows(settings)
    claim_linear(report, rows, settings)
    found = ask_all(rows, settings)
    claim_doubts(report, rows, found)
    caption = "Rows (dots), the mean, twice the spread of the output on both sides (band), and the truth (dashed). The last panel: the variance in the gap over that of both ends; no network of independent weights gets to the right of the line."  # fmt: skip
    report.figure("methods", draw_figure(rows, found), caption=caption)
    report.text(
        "References: Neal, Bayesian Learning for Neural Networks, 1996; Foong et al., On the Expressiveness of Approximate Inference in "
        "Bayesian Neural Networks, 2020 (theorems 1 and 2)."
    )
    return report


def draw_figure(rows: Rows, found: dict[str, Told]) -> Figure:
    figure, panels = new_figure(2, 4, 12.0, 5.6)
    x = rows.grid[:, 0].numpy()
    for panel, (method, told) in zip(panels.flat, found.items(), strict=False):
        mean, std = (part[:, 0].numpy() for part in (told.grid.mean, told.grid.std))
        panel.fill_between(x, mean - 2 * std, mean + 2 * std, color=PALETTE[0], alpha=0.25, linewidth=0)  # fmt: skip
        panel.plot(x, mean, color=PALETTE[0], linewidth=1.4)
        panel.plot(x, np.sin(2 * x), color=MUTED, linestyle="--", linewidth=1.0)
        panel.plot(rows.x, rows.y, "o", color=INK, markersize=3)
        panel.set(title=method, ylim=(-3.2, 3.2), xlim=(-3, 3))
    doubts = [told.doubt(rows) for told in found.values()]
    last = panels.flat[len(found)]
    last.barh(list(found), doubts, color=PALETTE[1], height=0.6)
    last.axvline(1.0, color=MUTED, linewidth=1.0)
    last.set(title="Doubt in the gap", xscale="log", xlabel="variance, gap over ends")
    last.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    last.minorticks_off()
    last.invert_yaxis()
    for panel in panels.flat[len(found) + 1 :]:
        panel.set_visible(False)
    return figure
