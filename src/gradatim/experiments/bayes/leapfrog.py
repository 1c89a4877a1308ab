"""The leapfrog keeps the energy to order two and volumes exactly; Euler's steps gain energy without end."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from torch import Tensor

from gradatim.bayes import Phase, hmc, leapfrog
from gradatim.bayes.density import LogDensity, evaluate
from gradatim.bayes.mass import kinetic_energy
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.theory import log_log_slope

COVERS = ("J1",)
KEYWORDS = "symplectic integrator, Hamiltonian dynamics, energy, Euler"
STEP, LONG = 0.3, 2000  # of the long run on an oscillator


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    chains: int = 64
    dim: int = 5
    halvings: int = 6
    sampled: int = 20_000


QUICK = Settings(chains=16, halvings=4, sampled=10_000)


def oscillator(x: Tensor) -> Tensor:
    return -x.square().sum(1) / 2


def anharmonic(x: Tensor) -> Tensor:
    """Springs that stiffen, between neighbours too."""
    return -(x.square() / 2 + x**4 / 10).sum(1) - x.diff(dim=1).square().sum(1) / 4


def euler(
    log_density: LogDensity,
    position: Tensor,
    momentum: Tensor,
    *,
    step_size: float,
    num_steps: int,
) -> Phase:
    """The steps as some lecture notes print them, both from the old point, with θ' = v."""
    for _ in range(num_steps):
        _, gradient = evaluate(log_density, position)
        position, momentum = position + step_size * momentum, momentum + step_size * gradient
    return Phase(position, momentum)


def energy(log_density: LogDensity, phase: Phase, inverse_mass: Tensor | None = None) -> Tensor:
    return kinetic_energy(inverse_mass, phase.momentum) - log_density(phase.position)


def draw_phase(settings: Settings) -> Phase:
    generator = torch.Generator().manual_seed(settings.seed)
    parts = torch.randn(2, settings.chains, settings.dim, generator=generator, dtype=torch.float64)
    return Phase(*parts)


def claim_orders(report: Report, settings: Settings) -> dict[str, tuple[list[float], list[float]]]:
    """Energy errors after one unit of time, for steps that halve."""
    start, mass = draw_phase(settings), torch.full((settings.dim,), 0.25, dtype=torch.float64)
    counts = [20 * 2**k for k in range(settings.halvings)]
    found = {}
    for name, walk, own in (("leapfrog", leapfrog, None), ("Euler", euler, None), ("no mass", leapfrog, mass)):  # fmt: skip
        before = energy(anharmonic, start, own)
        ends = [walk(anharmonic, *start, step_size=1 / n, num_steps=n) for n in counts]
        errors = [float((energy(anharmonic, end, own) - before).square().mean().sqrt()) for end in ends]  # fmt: skip
        found[name] = ([1 / n for n in counts], errors)
    orders = {name: log_log_slope(*pair) for name, pair in found.items()}
    report.claim("energy error of the leapfrog", orders["leapfrog"], "order of ε", near=(2.0, 0.1))
    report.claim("energy error of Euler's steps, as printed", orders["Euler"], "order of ε", near=(1.0, 0.2))  # fmt: skip
    report.claim(
        "θ' = v with a mass of 4 does not keep H at any step, M⁻¹v does",
        found["no mass"][1][-1] / found["leapfrog"][1][-1],
        "error of the shortest step, as a multiple,",
        above=100,
    )
    return found


def claim_long_run(report: Report) -> tuple[Tensor, Tensor]:
    """Both kinds of steps round and round an oscillator; returns their phases, ``(steps, 2)`` each."""
    start = Phase(torch.ones(1, 1).double(), torch.zeros(1, 1).double())
    paths = []
    for walk in (leapfrog, euler):
        here, seen = start, [torch.cat(start)[:, 0]]
        for _ in range(LONG):
            here = walk(oscillator, *here, step_size=STEP, num_steps=1)
            seen.append(torch.cat(here)[:, 0])
        paths.append(torch.stack(seen))
    energies = [path.square().sum(1) / 2 for path in paths]
    # with x₀ = 1, v₀ = 0 it keeps v²/2 + (1 − ε²/4) x²/2, so H lies between that at x = 1 and at x = 0
    drift = float((energies[0] - 0.5).abs().max())
    report.claim(
        f"after {LONG:,} steps the leapfrog is where its shadow energy says",
        drift,
        "largest energy error",
        at_most=STEP**2 / 8 + 1e-9,
    )
    growth = float((energies[1][1:] / energies[1][:-1]).log().mean().exp())
    report.claim("each of Euler's steps multiplies the energy by 1 + ε²", growth, near=(1 + STEP**2, 1e-9))  # fmt: skip
    limits = [leapfrog(oscillator, *start, step_size=size, num_steps=500) for size in (1.99, 2.01)]
    sizes = [float(torch.cat(end).abs().max()) for end in limits]
    report.claim(
        "ε = 2/ω is the edge: just below the leapfrog stays, just above it explodes",
        expected="largest coordinate after 500 steps below 20 and above 10⁶",
        measured=f"{sizes[0]:.3g} and {sizes[1]:.3g}",
        holds=sizes[0] < 20 and sizes[1] > 1e6,
    )
    return paths[0], paths[1]


def claim_reversible(report: Report, settings: Settings) -> None:
    start, gaps = draw_phase(settings), []
    for walk in (leapfrog, euler):
        there = walk(anharmonic, *start, step_size=0.05, num_steps=50)
        back = walk(anharmonic, there.position, -there.momentum, step_size=0.05, num_steps=50)
        gaps.append(float((back.position - start.position).abs().max()))
    report.claim("turned around, the leapfrog comes back", gaps[0], "largest error", below=1e-9)
    report.claim("Euler does not", gaps[1], "largest error", above=1e-2)


def volume(
    walk: Callable[..., Phase],
    log_density: LogDensity,
    point: Phase,
    step_size: float,
    num_steps: int,
) -> float:
    """Determinant of the Jacobian of a walk, by central differences."""
    d, h = point.position.shape[1], 1e-5
    shifts = h * torch.cat([torch.eye(2 * d), -torch.eye(2 * d)]).double()
    starts = Phase(*(torch.cat(point, 1) + shifts).split(d, 1))
    ends = torch.cat(walk(log_density, *starts, step_size=step_size, num_steps=num_steps), 1)
    return float(torch.linalg.det((ends[: 2 * d] - ends[2 * d :]).T / (2 * h)))


def claim_volume(report: Report, settings: Settings) -> None:
    point = Phase(*(part[:1] for part in draw_phase(settings)))
    kept = volume(leapfrog, anharmonic, point, 0.1, 20)
    report.claim("the leapfrog keeps volumes", kept, "determinant", near=(1.0, 1e-6))
    grown = volume(euler, oscillator, point, 0.1, 20)
    expected = (1 + 0.1**2) ** (20 * settings.dim)
    report.claim("Euler's steps blow them up by (1 + ε²)ⁿᵈ", grown / expected, "ratio to it", near=(1.0, 1e-5))  # fmt: skip


def claim_sampling(report: Report, settings: Settings) -> None:
    """HMC as printed, and as it is: Euler turns and stretches, x' = ax + bv, so its variance is b²/(1 − a²)."""
    size, n = 0.3, 5
    stretch, angle = (1 + size**2) ** (n / 2), n * math.atan(size)
    a, b = stretch * math.cos(angle), stretch * math.sin(angle)
    generator = torch.Generator().manual_seed(settings.seed)
    x = torch.randn(settings.sampled, 1, generator=generator, dtype=torch.float64)
    state = hmc.init(oscillator, x)
    for _ in range(20):
        push = torch.randn(x.shape, generator=generator, dtype=torch.float64)
        x = euler(oscillator, x, push, step_size=size, num_steps=n).position
        state, _ = hmc.step(oscillator, state, step_size=size, num_steps=n, generator=generator)
    error = 5 * math.sqrt(2 / settings.sampled)
    report.claim("HMC as printed has the wrong variance of N(0, 1)", float(x.var()), f"b²/(1 − a²) = {b * b / (1 - a * a):.3f}:", near=(b * b / (1 - a * a), 2 * error))  # fmt: skip
    report.claim("with the leapfrog and its decision it has the right one", float(state.position.var()), near=(1.0, error))  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="The leapfrog",
        summary="Hamilton's equations in steps that keep volumes and can be taken back: the energy error is bounded and of order "
        "ε². Euler's steps, which some lecture notes print, multiply the energy by 1 + ε² each, and sample something else.",
    )
    errors = claim_orders(report, settings)
    paths = claim_long_run(report)
    claim_reversible(report, settings)
    claim_volume(report, settings)
    claim_sampling(report, settings)
    report.figure(
        "leapfrog",
        draw(errors, *paths),
        caption=f"Left: energy errors after one unit of time on anharmonic springs. Middle and right: the same oscillator with "
        f"steps of {STEP}. Euler spirals outwards; the leapfrog stays on an ellipse close to the circle.",
    )
    return report


def draw(
    errors: dict[str, tuple[list[float], list[float]]], leaps: Tensor, eulers: Tensor
) -> Figure:
    figure, (orders, plane, time) = new_figure(columns=3, width=12.0, height=4.0)
    _draw_orders(orders, errors)
    angles = torch.linspace(0, 2 * math.pi, 200)
    plane.plot(angles.cos(), angles.sin(), color=MUTED, linewidth=1.0, linestyle="--", label="exact")  # fmt: skip
    plane.plot(*leaps[:42].T.numpy(), "o", markersize=3, color=PALETTE[0], label="leapfrog")
    plane.plot(*eulers[:26].T.numpy(), "s-", markersize=3, linewidth=0.8, color=PALETTE[1], label="Euler")  # fmt: skip
    plane.set(title="Round an oscillator", xlabel="θ", ylabel="v", xlim=(-3.4, 3.4), ylim=(-3.4, 3.4), aspect="equal")  # fmt: skip
    plane.legend(loc="upper left")
    shown = 120
    time.plot(leaps[:shown].square().sum(1).numpy() / 2, color=PALETTE[0], label="leapfrog")
    time.plot(eulers[:shown].square().sum(1).numpy() / 2, color=PALETTE[1], label="Euler")
    time.axhline(0.5, color=MUTED, linewidth=1.0, linestyle="--", label="exact")
    time.set(title="Its energy", xlabel="step", ylabel="H", yscale="log")
    time.legend(loc="upper left")
    return figure


def _draw_orders(axes: Axes, errors: dict[str, tuple[list[float], list[float]]]) -> None:
    for k, name in enumerate(("leapfrog", "Euler")):
        steps, values = errors[name]
        axes.loglog(steps, values, "os"[k], color=PALETTE[k], markersize=5, label=name)
        guide = [values[-1] * (step / steps[-1]) ** (2 - k) for step in steps]
        label = Formula(r"$\epsilon^2$") if k == 0 else Formula(r"$\epsilon$")
        axes.loglog(steps, guide, ("--", ":")[k], color=MUTED, linewidth=1.2, label=label)  # fmt: skip
    axes.set_xticks(steps, [f"1/{1 / step:.0f}" for step in steps])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set(title="Energy error", xlabel="step ε", ylabel="root mean square of H − H₀")
    axes.legend(loc="lower right")
