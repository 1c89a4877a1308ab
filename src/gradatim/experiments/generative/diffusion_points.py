"""Diffusion on a ring of Gaussians, where score, flow and likelihood are known: each formula beside a network."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.generative import (
    DiffusedMixture,
    Diffusion,
    DiffusionObjective,
    NoiseSchedule,
    SamplingStep,
    diffuse,
    diffusion_bound,
    flow_log_likelihood,
    frechet_distance,
    posterior_mean,
    posterior_variance,
    reverse_sde,
    sample,
    sampling_path,
)
from gradatim.models import TimeMLP
from gradatim.optim.schedules import warm_up
from gradatim.plots.style import DIVERGING, INK, MUTED, PALETTE, SEQUENTIAL, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import EMA, Trainer

COVERS = ("K3",)
KEYWORDS = "score function, SDE, probability flow, reverse process, DDPM"
SPREAD, PARTS = 0.2, 8
RADIUS = math.sqrt(2 - 2 * SPREAD**2)  # so that E‖x‖² is the dimension
NEAR = 3 * SPREAD  # of a centre


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 40_000
    epochs: int = 30
    bound_epochs: int = 30
    hidden_dim: int = 128
    draws: int = 10_000
    looks: int = 40


QUICK = Settings(rows=10_000, epochs=12, bound_epochs=8, hidden_dim=64, draws=2000, looks=20)


def make_ring(schedule: NoiseSchedule) -> DiffusedMixture:
    angles = torch.arange(PARTS) * 2 * math.pi / PARTS
    return DiffusedMixture(RADIUS * torch.stack([angles.cos(), angles.sin()], 1), SPREAD, schedule)


def source(settings: Settings, more: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(100 * settings.seed + more)


def claim_forward(report: Report, ring: DiffusedMixture, settings: Settings) -> None:
    x, worst = ring.sample(50_000, generator=source(settings)), 0.0
    start = x.square().sum(1).mean()
    for time in torch.linspace(0.05, 1, 20):
        noise = torch.randn(x.shape, generator=source(settings, 1 + int(1000 * time)))
        x_t = diffuse(x, noise, ring.schedule.alpha_bar(time))
        worst = max(worst, abs(float(x_t.square().sum(1).mean() / 2) - 1))
    report.claim("the energy of the data is their dimension", float(start) / 2, "E‖x₀‖²/d", near=(1.0, 0.02))  # fmt: skip
    report.claim(
        "and is kept at every level of noise", worst, "largest |E‖xₜ‖²/d − 1|", below=0.025
    )
    signal, variance, gap = 1.0, 0.0, 0.0
    for t, beta in enumerate(ring.schedule.betas.tolist(), 1):
        signal, variance = math.sqrt(1 - beta) * signal, (1 - beta) * variance + beta
        share = float(ring.schedule.alpha_bar(torch.tensor(t / 1000, dtype=torch.float64)))
        gap = max(gap, abs(signal - math.sqrt(share)), abs(variance - 1 + share))
    report.claim("one step to level t is t steps of noising", gap, "largest difference of mean and variance", below=1e-9)  # fmt: skip


def claim_posterior(report: Report, ring: DiffusedMixture) -> None:
    """Bayes' rule on a fine grid, for levels from low to high."""
    grid, gaps = torch.linspace(-8, 8, 160_001, dtype=torch.float64), [0.0, 0.0]
    for t in (20, 100, 300, 700, 1000):
        beta = ring.schedule.betas[t - 1]
        now, before = ring.schedule.alpha_bar(torch.tensor([t, t - 1], dtype=torch.float64) / 1000)
        x0, x_t = torch.tensor([[1.1]], dtype=torch.float64), torch.tensor([[-0.3]]).double()
        logs = -(grid - before.sqrt() * x0[0]).square() / (2 * (1 - before))
        logs = logs - (x_t[0] - (1 - beta).sqrt() * grid).square() / (2 * beta)
        weights = torch.softmax(logs, 0)
        mean = (weights * grid).sum()
        spread = (weights * (grid - mean).square()).sum()
        gaps[0] = max(gaps[0], abs(float(posterior_mean(x0, x_t, now, before) - mean)))
        gaps[1] = max(gaps[1], abs(float(posterior_variance(now, before) / spread) - 1))
    report.claim("the mean of q(xₜ₋₁ | xₜ, x₀) is that of Bayes' rule on a grid", gaps[0], "largest difference", below=1e-6)  # fmt: skip
    report.claim("and so is its variance β̃", gaps[1], "largest relative difference", below=1e-4)


def coverage(ring: DiffusedMixture, x: Tensor) -> tuple[float, float]:
    """The share of rows near a centre, and the least share of a centre times their number."""
    distance = torch.cdist(x, ring.means)
    near = distance.min(1).values < NEAR
    counts = torch.bincount(distance.argmin(1)[near], minlength=PARTS)
    return float(near.float().mean()), float(counts.min() / counts.sum().clamp(min=1)) * PARTS


def claim_exact_score(report: Report, ring: DiffusedMixture, settings: Settings) -> None:
    noise = torch.randn(settings.draws, 2, generator=source(settings, 2))
    x = reverse_sde(ring.score, ring.schedule, noise, steps=500, generator=source(settings, 3))
    near, least = coverage(ring, x)
    honest = coverage(ring, ring.sample(settings.draws, generator=source(settings, 4)))[0]
    report.claim("the reverse equation with the exact score ends on the ring", near, f"share near a centre, of true draws {honest:.3f}", near=(honest, 0.02))  # fmt: skip
    report.claim("with as many points on each Gaussian", least, "rarest, as a share of its due", above=0.7)  # fmt: skip
    few = ring.sample(200, generator=source(settings, 5))
    flow = flow_log_likelihood(ring.score, ring.schedule, few, steps=60, start=0.0)
    gap = (flow - ring.log_density(few, torch.zeros(200))).abs().max()
    report.claim("the likelihood along its flow is the density", float(gap), "largest difference in nats", below=0.05)  # fmt: skip
    many = few[:1].repeat(400, 1)
    guesses = flow_log_likelihood(ring.score, ring.schedule, many, steps=20, num_probes=1, generator=source(settings, 6))  # fmt: skip
    exact = flow_log_likelihood(ring.score, ring.schedule, few[:1], steps=20)
    error = float(guesses.std()) / 20
    report.claim("Hutchinson's estimate of the divergence is right on average", float((guesses.mean() - exact).abs()) / max(error, 1e-4), "its error, in standard errors", below=4)  # fmt: skip


def train(ring: DiffusedMixture, settings: Settings, weight: str, epochs: int) -> Diffusion:
    x = ring.sample(settings.rows, generator=source(settings, 7))
    with seeded(settings.seed):
        model = Diffusion(TimeMLP(2, hidden_dim=settings.hidden_dim))
    trainer = Trainer(
        model, objective=DiffusionObjective(weight=weight), lr=3e-3, schedule=warm_up(epochs=1), epochs=epochs,
        batch_size=256, clip_norm=1.0, callbacks=[EMA(decay=0.99)], seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit((x, x))
    return model


def score_error(ring: DiffusedMixture, model: Diffusion, settings: Settings, time: float) -> float:
    """The squared error of the score, where points are, as a share of its size."""
    x = ring.sample(settings.draws, time, generator=source(settings, 8))
    now = torch.full((len(x),), time)
    exact = ring.score(x, now)
    with torch.no_grad():
        return float((model.score(x, now) - exact).square().mean() / exact.square().mean())


def claim_network(report: Report, ring: DiffusedMixture, settings: Settings) -> Diffusion:
    simple = train(ring, settings, "simple", settings.epochs)
    times = (0.02, 0.05, 0.1, 0.3, 0.6)
    errors = [score_error(ring, simple, settings, time) for time in times]
    report.claim("a network finds the score", max(errors[2:]), "largest share of error at times 0.1, 0.3, 0.6", below=0.1)  # fmt: skip
    test = ring.sample(500, generator=source(settings, 9))
    likelihood = flow_log_likelihood(simple.score, ring.schedule, test, steps=settings.looks).mean()
    entropy = ring.log_density(test, torch.zeros(500)).mean()
    report.claim("the likelihood of new points under its flow is nearly theirs", float(likelihood - entropy), "difference in nats", near=(0.0, 0.25))  # fmt: skip
    models = {"simple": simple, "bound": train(ring, settings, "bound", settings.bound_epochs)}
    truth, rows, nats = ring.sample(settings.draws, generator=source(settings, 10)), [], {}
    found: dict[str, tuple[float, float]] = {}
    for name, model in models.items():
        drawn = sample(model, settings.draws, generator=source(settings, 11))
        near, least = found[name] = coverage(ring, drawn)
        bound = diffusion_bound(model, test, draws=100, generator=source(settings, 12))
        nats[name] = float(bound.total.mean())
        rows.append([name, near, least, float(frechet_distance(drawn, truth)), nats[name]])
    columns = ["loss", "share near a centre", "rarest centre", "Fréchet distance", "bound, nats"]
    report.table("Networks by their loss", columns=columns, rows=rows)
    for name, (near, least) in found.items():
        report.claim(f"{name} loss: samples lie on the ring", near, "share near a centre", above=0.9)  # fmt: skip
        report.claim(f"{name} loss: on all of it", least, "rarest, as a share of its due", above=0.5)  # fmt: skip
    report.claim("both bounds lie above the nats that the points need", min(nats.values()) + float(entropy), "the smaller one's excess", above=-0.02)  # fmt: skip
    report.table("The network's score", columns=["time", "share of error"], rows=[list(row) for row in zip(times, errors, strict=True)])  # fmt: skip
    return simple


def run(settings: Settings) -> Report:
    report = Report(
        title="Diffusion on a ring of Gaussians",
        summary="Data turn into noise in small steps whose reversal is known, if the score is. On a mixture it is known: the reverse "
        "equation ends in the mixture, the likelihood along its flow is the density, and a network learns both from points.",
    )
    ring = make_ring(NoiseSchedule())
    claim_forward(report, ring, settings)
    claim_posterior(report, ring)
    claim_exact_score(report, ring, settings)
    model = claim_network(report, ring, settings)
    path = list(sampling_path(model, 800, steps=20, generator=source(settings, 13)))
    report.figure("steps", draw_steps(path), caption="The twenty steps of the second-order solver, from noise to data, each with the time at which the network looked.")  # fmt: skip
    report.figure("score", draw_scores(ring, model), caption="Above, the log-density at three times with its exact score; below, the network's score and, as colour, the length of its error.")  # fmt: skip
    report.figure("likelihood", draw_likelihood(ring, model, settings), caption="The density, and the density along the flow that the network's score drives.")  # fmt: skip
    return report


def draw_steps(path: list[SamplingStep]) -> Figure:
    figure, axes = new_figure(3, 7, width=11.0, height=5.0)
    for panel, step in zip(np.ravel(axes), path, strict=True):
        panel.scatter(*step.x.T.numpy(), s=2, color=PALETTE[0], alpha=0.6, linewidths=0)
        panel.set(xlim=(-3, 3), ylim=(-3, 3), xticks=[], yticks=[], aspect="equal")
        panel.set_title(f"{step.time:.3f}", fontsize=8)
    return figure


def lattice(count: int, reach: float = 2.4) -> Tensor:
    line = torch.linspace(-reach, reach, count)
    return torch.cartesian_prod(line, line)


def draw_scores(ring: DiffusedMixture, model: Diffusion) -> Figure:
    figure, axes = new_figure(2, 3, width=10.0, height=6.6)
    fine, coarse = lattice(80), lattice(15)
    for column, time in enumerate((0.05, 0.2, 0.5)):
        fine_time, coarse_time = torch.full((len(fine),), time), torch.full((len(coarse),), time)
        density = ring.log_density(fine, fine_time).reshape(80, 80).T.exp()
        with torch.no_grad():
            error = (model.score(fine, fine_time) - ring.score(fine, fine_time)).norm(dim=1)
            arrows = {0: ring.score(coarse, coarse_time), 1: model.score(coarse, coarse_time)}
        for row, (back, colours) in enumerate(((density, SEQUENTIAL), (error.reshape(80, 80).T, "Oranges"))):  # fmt: skip
            panel, arrow = axes[row][column], arrows[row]
            panel.imshow(back.numpy(), origin="lower", extent=(-2.4, 2.4, -2.4, 2.4), cmap=colours)
            panel.quiver(*coarse.T.numpy(), *arrow.T.numpy(), color=INK, width=0.004, scale=40 * float(arrow.norm(dim=1).mean()))  # fmt: skip
            panel.set(title=f"{('exact', 'network')[row]}, time {time:g}", xticks=[], yticks=[])
            panel.grid(visible=False)
    return figure


def draw_likelihood(ring: DiffusedMixture, model: Diffusion, settings: Settings) -> Figure:
    figure, axes = new_figure(columns=3, width=10.5, height=3.6)
    points = lattice(40)
    exact = ring.log_density(points, torch.zeros(len(points))).reshape(40, 40).T
    learned = flow_log_likelihood(model.score, ring.schedule, points, steps=settings.looks).reshape(40, 40).T  # fmt: skip
    gap = learned.exp() - exact.exp()
    most = float(exact.exp().max())
    panels = (("density", exact.exp(), SEQUENTIAL, 0.0), ("of the learned flow", learned.exp(), SEQUENTIAL, 0.0), ("difference", gap, DIVERGING, -most))  # fmt: skip
    for panel, (title, values, colours, low) in zip(axes, panels, strict=True):
        shown = panel.imshow(values.numpy(), origin="lower", extent=(-2.4, 2.4, -2.4, 2.4), cmap=colours, vmin=low, vmax=most)  # fmt: skip
        panel.set(title=title, xticks=[], yticks=[])
        panel.grid(visible=False)
        figure.colorbar(shown, ax=panel, shrink=0.8).outline.set_edgecolor(MUTED)
    return figure
