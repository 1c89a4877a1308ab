"""Flow matching beside diffusion: another line from noise to data, which few looks can follow."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.generative import (
    DiffusedMixture,
    Diffusion,
    FlowMatching,
    FlowObjective,
    NoiseSchedule,
    frechet_distance,
    sample,
    sampling_path,
)
from gradatim.models import TimeMLP
from gradatim.optim.schedules import warm_up
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import EMA, Trainer

COVERS = ("K3",)
KEYWORDS = "rectified flow, continuous normalizing flow, velocity field"
SPREAD, PARTS = 0.2, 8
NAMES = (
    *("exact velocity, Euler", "exact velocity, Heun", "learned velocity, Euler"),
    *("exact score, first order", "exact score, second order"),
)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 40_000
    epochs: int = 40
    hidden_dim: int = 128
    draws: int = 10_000
    steps: tuple[int, ...] = (2, 4, 8, 16, 32)


QUICK = Settings(rows=10_000, epochs=14, hidden_dim=64, draws=3_000)


class ExactVelocity(nn.Module):
    r"""E[ε − x₀ | x] of a mixture of Gaussians at :math:`x = (1-\tau)x_0 + \tau\epsilon`."""

    sample_shape, num_classes = (2,), None

    def __init__(self, means: Tensor) -> None:
        super().__init__()
        self.means = nn.Parameter(means, requires_grad=False)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        t = time[:, None]
        variance = (1 - t) ** 2 * SPREAD**2 + t**2
        gaps = x[:, None] - (1 - t)[:, :, None] * self.means  # (B, K, 2)
        near = torch.softmax(-gaps.square().sum(2) / (2 * variance), 1)
        gap = (near[:, :, None] * gaps).sum(1) / variance
        return t * gap - (near @ self.means + (1 - t) * SPREAD**2 * gap)


class ExactNoise(nn.Module):
    """E[ε | x] of a mixture under a diffusion."""

    sample_shape, num_classes = (2,), None

    def __init__(self, mixture: DiffusedMixture) -> None:
        super().__init__()
        self.mixture, self.means = mixture, nn.Parameter(mixture.means, requires_grad=False)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        spread = (1 - self.mixture.schedule.alpha_bar(time)).sqrt()
        return -spread[:, None] * self.mixture.score(x, time)


def ring() -> DiffusedMixture:
    angles = torch.arange(PARTS) * 2 * math.pi / PARTS
    radius = math.sqrt(2 - 2 * SPREAD**2)
    return DiffusedMixture(radius * torch.stack([angles.cos(), angles.sin()], 1), SPREAD, NoiseSchedule())  # fmt: skip


def train(model: FlowMatching, x: Tensor, settings: Settings) -> None:
    trainer = Trainer(
        model, objective=FlowObjective(), lr=3e-3, schedule=warm_up(epochs=1), epochs=settings.epochs, batch_size=256,
        clip_norm=1.0, callbacks=[EMA(decay=0.99)], seed=settings.seed, progress=False,
    )  # fmt: skip
    trainer.fit((x, x))


def paths(flow: FlowMatching, settings: Settings, steps: int = 40) -> Tensor:
    """Where a few hundred samples are on their way, shape ``(steps + 1, N, 2)``."""
    x = torch.randn(300, 2, generator=torch.Generator().manual_seed(settings.seed))
    seen = [x]
    with torch.no_grad():
        for k in range(steps):
            x = x - flow(x, torch.full((300,), 1 - k / steps)) / steps
            seen.append(x)
    return torch.stack(seen)


def straightness(path: Tensor) -> float:
    """Length of all ways over the distances of their ends; 1 is a straight line."""
    length = path.diff(dim=0).norm(dim=2).sum()
    return float(length / (path[-1] - path[0]).norm(dim=1).sum())


def run(settings: Settings) -> Report:
    report = Report(
        title="Flow matching",
        summary="Between each datum and a noise lies a straight line. A network that learns the mean velocity of all lines carries "
        "noise to data in few steps. Its paths are straight for long, though not short: halfway, half of the energy is gone.",
    )
    mixture = ring()
    x = mixture.sample(settings.rows, generator=torch.Generator().manual_seed(settings.seed + 1))
    truth = mixture.sample(settings.draws, generator=torch.Generator().manual_seed(settings.seed + 2))  # fmt: skip
    with seeded(settings.seed):
        flow = FlowMatching(TimeMLP(2, hidden_dim=settings.hidden_dim))
    exact, model = FlowMatching(ExactVelocity(mixture.means)), Diffusion(ExactNoise(mixture))
    train(flow, x, settings)

    def source() -> torch.Generator:
        return torch.Generator().manual_seed(settings.seed + 3)

    found: dict[str, dict[int, float]] = {name: {} for name in NAMES}
    for looks in settings.steps:
        half = max(looks // 2, 1)
        drawn = (
            exact.sample(settings.draws, method="euler", steps=looks, generator=source()),
            exact.sample(settings.draws, steps=half, generator=source()),
            flow.sample(settings.draws, method="euler", steps=looks, generator=source()),
            sample(model, settings.draws, sampler="ddim", steps=looks, generator=source()),
            sample(model, settings.draws, steps=looks, generator=source()),
        )
        for name, samples in zip(NAMES, drawn, strict=True):
            found[name][looks] = scaled_distance(samples, truth)
    own = scaled_distance(mixture.sample(settings.draws, generator=source()), truth)
    most, few = settings.steps[-1], settings.steps[1]
    report.claim("with the exact velocity the flow ends in the data", found["exact velocity, Heun"][most], f"distance; of true draws {own:.2g}", below=0.02)  # fmt: skip
    ratio = found["exact velocity, Euler"][few] / found["exact score, first order"][few]
    report.claim(f"in first order with {few} looks it is nearer than a diffusion", ratio, "ratio of distances, both with exact answers", below=1)  # fmt: skip
    report.claim("a network learns it: more looks come nearer", found["learned velocity, Euler"][most] / found["learned velocity, Euler"][settings.steps[0]], "distance as a share of that with few", below=0.5)  # fmt: skip
    bent = torch.stack([step.x for step in sampling_path(model, 300, sampler="ddim", steps=40, generator=source())])  # fmt: skip
    ways = paths(exact, settings)
    energy = float(ways[len(ways) // 2].square().sum(1).mean() / 2)
    report.claim("halfway it has half of the energy", energy, "E‖x‖²/d", near=(0.5, 0.1))
    report.claim("so its paths are longer than a diffusion's", straightness(ways) - straightness(bent), "length over distance, less that of the diffusion", above=0)  # fmt: skip
    report.text(f"The learned velocity is wrong by {velocity_error(flow, exact, mixture, settings):.2g} of its square at the worst of three times.")  # fmt: skip
    columns = ["looks", *found]
    report.table("Distance to the data by looks at the network", columns=columns, rows=[[n, *(v[n] for v in found.values())] for n in settings.steps])  # fmt: skip
    report.figure("paths", draw_paths(ways, bent, straightness(ways), straightness(bent)), caption="Forty steps from noise (grey) to data (blue), along the flow and along the diffusion's flow, both with exact answers.")  # fmt: skip
    report.figure("looks", draw_looks(found, own), caption="Distance to the data by the number of looks at the network.")  # fmt: skip
    return report


def scaled_distance(samples: Tensor, truth: Tensor) -> float:
    """Fréchet distance of bumps at places of the ring, which see its Gaussians, not only mean and covariance."""
    angles = torch.arange(16) * 2 * math.pi / 16
    places = 1.4 * torch.stack([angles.cos(), angles.sin()], 1)
    bumps = [torch.exp(-torch.cdist(x, places).square() / 0.18) for x in (samples, truth)]
    return float(frechet_distance(*bumps))


def velocity_error(
    flow: FlowMatching, exact: FlowMatching, mixture: DiffusedMixture, settings: Settings
) -> float:
    """The squared error of the velocity as a share of its square, at the worst of three times."""
    generator, worst = torch.Generator().manual_seed(settings.seed + 4), 0.0
    for time in (0.2, 0.5, 0.8):
        x0 = mixture.sample(settings.draws, generator=generator)
        x = (1 - time) * x0 + time * torch.randn(x0.shape, generator=generator)
        now = torch.full((len(x),), time)
        with torch.no_grad():
            right = exact(x, now)
            worst = max(
                worst, float((flow(x, now) - right).square().mean() / right.square().mean())
            )
    return worst


def draw_paths(flow: Tensor, diffusion: Tensor, *bends: float) -> Figure:
    figure, panels = new_figure(columns=2, width=8.4, height=4.2)
    for panel, path, name, bend in zip(panels, (flow, diffusion), ("flow matching", "diffusion"), bends, strict=True):  # fmt: skip
        for k in range(120):
            panel.plot(*path[:, k].T, color=MUTED, linewidth=0.4, alpha=0.6)
        panel.scatter(*path[0].T, s=4, color=MUTED, linewidths=0)
        panel.scatter(*path[-1].T, s=6, color=PALETTE[0], linewidths=0, zorder=3)
        panel.set(title=f"{name}: length {bend:.2f} × distance", xticks=[], yticks=[], xlim=(-3, 3), ylim=(-3, 3), aspect="equal")  # fmt: skip
    return figure


def draw_looks(found: dict[str, dict[int, float]], own: float) -> Figure:
    figure, panel = new_figure(width=6.4, height=4.0)
    for k, (name, values) in enumerate(found.items()):
        panel.loglog(list(values), np.maximum(list(values.values()), 1e-5), MARKERS[k] + "-", color=PALETTE[k], label=name)  # fmt: skip
    panel.axhline(own, color=MUTED, linestyle="--", linewidth=1.2, label="true draws")
    ticks = list(next(iter(found.values())))
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="looks at the network", ylabel="distance")
    panel.legend()
    return figure
