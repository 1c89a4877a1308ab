"""Gradient descent with noise of the right size samples the posterior; its error falls with the step."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.bayes import langevin, sgld
from gradatim.bayes.density import LogDensity
from gradatim.optim import HeavyBall, Langevin
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.theory import log_log_slope

COVERS = ("J1", "C2")
KEYWORDS = "stochastic gradient Langevin dynamics, noise, posterior sampling, MCMC"
NOISE = 0.5  # variance of the targets


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 200
    batch_size: int = 40
    chains: int = 10_000
    looks: int = 60
    rates: tuple[float, ...] = (0.2, 0.1, 0.05, 0.025)


QUICK = Settings(rows=100, batch_size=20, chains=4000, looks=40, rates=(0.2, 0.1, 0.05))


class Regression(NamedTuple):
    """y = wx + noise with a prior N(0, 1) on w: the posterior is N(mean, 1/precision)."""

    x: Tensor
    y: Tensor

    @property
    def precision(self) -> float:
        return float(1 + self.x.square().sum() / NOISE)

    @property
    def mean(self) -> float:
        return float(self.x @ self.y) / NOISE / self.precision

    @property
    def batch_noise(self) -> float:
        """Variance over the rows of N times a row's gradient at the mean."""
        gradients = len(self.x) * self.x * (self.y - self.mean * self.x) / NOISE
        return float(gradients.var(correction=0))

    def log_density(self, w: Tensor) -> Tensor:
        return -self.precision * (w[:, 0] - self.mean).square() / 2

    def estimate(self, rows: Tensor) -> LogDensity:
        """The log-density by a few rows, ``(chains, B)``, of each chain its own."""
        x, y, scale = self.x[rows], self.y[rows], len(self.x) / rows.shape[1]

        def log_density(w: Tensor) -> Tensor:
            return -w[:, 0].square() / 2 - scale * (y - w * x).square().sum(1) / (2 * NOISE)

        return log_density


def draw_data(settings: Settings) -> Regression:
    generator = torch.Generator().manual_seed(settings.seed)
    x, noise = torch.randn(2, settings.rows, generator=generator, dtype=torch.float64)
    return Regression(x, 0.8 * x + math.sqrt(NOISE) * noise)


def draw(
    data: Regression, settings: Settings, rate: float, *, has_batches: bool = False, temperature: float = 1.0
) -> Tensor:  # fmt: skip
    """Draws of SGLD with a rate in units of 1/precision, at times that are far enough apart, ``(looks, chains)``."""
    generator = torch.Generator().manual_seed(settings.seed + 1)
    chains = settings.chains if has_batches else 4 * settings.chains  # which cost little
    start = torch.full((chains, 1), data.mean, dtype=torch.float64)
    state, seen, apart = sgld.init(data.log_density, start), [], math.ceil(1 / rate)
    for step in range(1, (4 + settings.looks) * apart + 1):
        density: LogDensity = data.log_density
        if has_batches:  # with replacement, so that the rows of a batch are independent
            shape = (chains, settings.batch_size)
            density = data.estimate(torch.randint(settings.rows, shape, generator=generator))
        state, _ = sgld.step(density, state, lr=rate / data.precision, temperature=temperature, generator=generator)  # fmt: skip
        if step > 4 * apart and step % apart == 0:
            seen.append(state.position[:, 0])
    return torch.stack(seen)


def ratio(data: Regression, draws: Tensor) -> float:
    """Variance of the draws around the true mean, as a multiple of the posterior's."""
    return float((draws - data.mean).square().mean()) * data.precision


def predicted(data: Regression, settings: Settings, rate: float, *, has_batches: bool) -> float:
    """What a linear recursion with noise settles at: (1 + ηs²/2)/(1 − ηλ/2), s² the variance of the gradient."""
    noise = data.batch_noise / settings.batch_size if has_batches else 0.0
    return (1 + rate * noise / data.precision / 2) / (1 - rate / 2)


def claim_bias(report: Report, data: Regression, settings: Settings) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name, has_batches in (("all rows", False), (f"batches of {settings.batch_size}", True)):
        ratios = [ratio(data, draw(data, settings, rate, has_batches=has_batches)) for rate in settings.rates]  # fmt: skip
        theory = [predicted(data, settings, rate, has_batches=has_batches) for rate in settings.rates]  # fmt: skip
        found[name], found[f"{name}, theory"] = [r - 1 for r in ratios], [t - 1 for t in theory]
        worst = max(abs(r / t - 1) for r, t in zip(ratios, theory, strict=True))
        report.claim(f"{name}: the variance is what theory says of every step", worst, "largest relative difference", below=0.05)  # fmt: skip
        slope = log_log_slope(settings.rates, found[name])
        report.claim(
            f"{name}: its excess falls with the step", slope, "power of η", near=(1.0, 0.3)
        )
    rows = [[rate, *(found[name][k] for name in found)] for k, rate in enumerate(settings.rates)]
    report.table("Excess of the variance over the posterior's", columns=["η · precision", *found], rows=rows)  # fmt: skip
    return found


def claim_noise(report: Report, data: Regression, settings: Settings) -> dict[str, Tensor]:
    """The factor 2η, the temperature 1/N of a mean loss, and what happens without."""
    rate = settings.rates[-1]
    draws = {name: draw(data, settings, rate, temperature=t) for name, t in (("√(2η)", 1.0), ("√η", 0.5))}  # fmt: skip
    report.claim("noise √(2η) gives the variance of the posterior", ratio(data, draws["√(2η)"]), "ratio", near=(1.0, 0.06))  # fmt: skip
    report.claim("noise √η gives half of it", ratio(data, draws["√η"]), "ratio", near=(0.5, 0.03))
    cold = draw(data, settings, settings.rates[0], has_batches=True, temperature=0.0)
    own = predicted(data, settings, settings.rates[0], has_batches=True) - 1 / (1 - settings.rates[0] / 2)  # fmt: skip
    report.claim("SGD without noise has a variance of its own, which the step sets", ratio(data, cold), f"ratio, in theory {own:.3g}:", near=(own, 0.1 * own))  # fmt: skip
    for temperature, expected in ((1 / settings.rows, 1.0), (1.0, float(settings.rows))):
        measured = ratio(data, descend(data, settings, rate, temperature))
        name = "1/N" if temperature < 1 else "1"
        report.claim(f"optim.Langevin on the mean loss of N rows with T = {name}", measured, "ratio", near=(expected, 0.1 * expected))  # fmt: skip
    weights = data.log_density(draws["√(2η)"].reshape(-1, 1)).exp().reshape_as(draws["√(2η)"])
    squares = (draws["√(2η)"] - data.mean).square() * data.precision
    again = float((weights * squares).sum() / weights.sum())
    report.claim("draws count equally: weighted by p once more they have half the variance", again, "ratio", near=(0.5, 0.05))  # fmt: skip
    return draws


def descend(data: Regression, settings: Settings, rate: float, temperature: float) -> Tensor:
    """The optimizer of that name on the mean negative log-posterior, all chains as one parameter."""
    generator = torch.Generator().manual_seed(settings.seed + 2)
    w = nn.Parameter(torch.full((settings.chains, 1), data.mean, dtype=torch.float64))
    lr = settings.rows * rate / data.precision
    optimizer = Langevin([w], lr=lr, temperature=temperature, generator=generator)
    for _ in range(math.ceil(5 / rate)):
        optimizer.zero_grad()
        (-data.log_density(w).sum() / settings.rows).backward()
        optimizer.step()
    return w.detach()[:, 0]


def claim_underdamped(report: Report, data: Regression, settings: Settings) -> None:
    """A step at which SGLD is a third off, and the scale s of the gradient."""
    size = 1 / math.sqrt(data.precision)
    for scale, words in ((1.0, "has no error on a Gaussian, where SGLD of the same step is 4/3 off"), (4.0, "with its gradient times s = 4 has a quarter of the variance: s is 1/T")):  # fmt: skip
        generator = torch.Generator().manual_seed(settings.seed + 3)
        start = torch.full((settings.chains, 1), data.mean, dtype=torch.float64)

        def log_density(w: Tensor, scale: float = scale) -> Tensor:
            return scale * data.log_density(w)

        state, seen = langevin.init(log_density, start), []
        for step in range(4 * settings.looks):
            step_size = size / math.sqrt(scale)
            state, _ = langevin.step(log_density, state, step_size=step_size, friction=1 / step_size, generator=generator)  # fmt: skip
            if step >= 20 and step % 4 == 0:
                seen.append(state.position[:, 0])
        report.claim(f"underdamped Langevin {words}", scale * ratio(data, torch.stack(seen)), "ratio to it", near=(1.0, 0.02))  # fmt: skip


def claim_heavy_ball(report: Report, settings: Settings) -> None:
    """At temperature 0, on the loss of a neuron: the same points as the optimizer."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.linspace(-2, 2, 40, dtype=torch.float64)
    y = torch.tanh(2 * x - 1) + 0.1 * torch.randn(40, generator=generator)
    start = torch.randn(8, 3, generator=generator, dtype=torch.float64)

    def log_density(w: Tensor) -> Tensor:
        return -(y - w[:, :1] * torch.tanh(w[:, 1:2] * x + w[:, 2:])).square().mean(1)

    size, friction = 0.2, 0.5
    keep = math.exp(-friction * size)
    state = langevin.init(log_density, start)
    state = state._replace(momentum=size / 2 * state.gradient)  # the ball's first push is whole
    w = nn.Parameter(start.clone())
    ball = HeavyBall([w], lr=size**2 * (1 + keep) / 2, momentum=keep)
    gap, fallen = 0.0, log_density(start)
    for _ in range(200):
        state, _ = langevin.step(log_density, state, step_size=size, friction=friction, temperature=0.0)  # fmt: skip
        ball.zero_grad()
        (-log_density(w).sum()).backward()
        ball.step()
        gap = max(gap, float((state.position - w.detach()).abs().max()))
    report.claim("underdamped Langevin at temperature 0 is the heavy ball", gap, "largest difference in 200 steps", below=1e-8)  # fmt: skip
    report.claim("and the loss falls", float((fallen / log_density(state.position)).median()), "median factor", above=2)  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="SGLD is sampling",
        summary="Noise of size √(2ηT) turns descent into a sampler of the posterior to the power 1/T. A constant step leaves an "
        "error of order η, larger with batches; at temperature 0 the underdamped form is the heavy ball.",
    )
    data = draw_data(settings)
    found = claim_bias(report, data, settings)
    draws = claim_noise(report, data, settings)
    claim_underdamped(report, data, settings)
    claim_heavy_ball(report, settings)
    caption = "Left: draws of the slope of a regression with the right noise and with half its variance, and the posterior. Right: by how much the variance is too large (dots) and theory (lines)."  # fmt: skip
    report.figure("sgld", draw_figure(data, draws, found, settings.rates), caption=caption)
    return report


def draw_figure(
    data: Regression,
    draws: dict[str, Tensor],
    found: dict[str, list[float]],
    rates: tuple[float, ...],
) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=9.5, height=4.0)
    spread = 1 / math.sqrt(data.precision)
    edges = np.linspace(data.mean - 4 * spread, data.mean + 4 * spread, 60)
    for k, (name, values) in enumerate(draws.items()):
        counts, _ = np.histogram(values.numpy(), edges, density=True)
        left.stairs(counts, edges, color=PALETTE[k], linewidth=1.6, label=f"noise {name}")
    middles = (edges[1:] + edges[:-1]) / 2
    exact = np.exp(-(((middles - data.mean) / spread) ** 2) / 2) / spread / math.sqrt(2 * math.pi)
    left.plot(middles, exact, color=MUTED, linestyle="--", linewidth=1.4, label="posterior")
    left.set(title="Draws of the slope", xlabel="w", ylabel="density")
    left.set_ylim(top=1.75 * exact.max())
    left.legend(loc="upper right")
    names = [name for name in found if not name.endswith("theory")]
    for k, name in enumerate(names):
        right.loglog(rates, found[name], "os"[k], color=PALETTE[k], label=name)
        right.loglog(rates, found[f"{name}, theory"], color=PALETTE[k], linewidth=1.0, label="_")
    right.set(title="Excess of the variance", xlabel="step η · precision", ylabel="ratio − 1")
    right.set_xticks(rates, [f"{rate:g}" for rate in rates])
    low, high = right.get_ylim()
    ticks = [t for t in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if low < t < high]
    right.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    right.minorticks_off()
    right.legend(loc="upper left")
    return figure
