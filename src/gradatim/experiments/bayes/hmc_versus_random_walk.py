"""A random walk needs work in proportion to the dimension for a fresh draw, Hamiltonian Monte Carlo far less."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from sklearn.datasets import load_breast_cancer
from torch import Tensor

from gradatim.bayes import (
    SAMPLERS,
    ess_bulk,
    hmc,
    metropolis,
    metropolis_matrix,
    sample,
    stationary_distribution,
)
from gradatim.errors import InvalidValue
from gradatim.plots import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.theory import log_log_slope

COVERS = ("J1",)
KEYWORDS = "Hamiltonian Monte Carlo, Metropolis-Hastings, effective sample size, acceptance"
QUARTER = math.pi / 2  # of a turn, after which a Gaussian has forgotten where it was


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    chains: int = 64
    dims: tuple[int, ...] = (8, 32, 128, 512)
    turns: int = 40
    draws: int = 500
    warmup: int = 500


QUICK = Settings(chains=32, dims=(8, 32, 128), turns=20, draws=150, warmup=200)


class Cost(NamedTuple):
    """Looks at the density for one independent draw, of both samplers."""

    walk: float
    hamilton: float


def bell(x: Tensor) -> Tensor:
    return -x.square().sum(1) / 2


def worth(draws: list[Tensor]) -> float:
    """Effective draws, the mean over some coordinates."""
    return float(ess_bulk(torch.stack(draws, 1)[..., :16]).mean())


def fresh_draw(dim: int, settings: Settings, generator: torch.Generator) -> Cost:
    """Both samplers on N(0, I), started from draws of it, with the best known step for the dimension."""
    start = torch.randn(settings.chains, dim, generator=generator)
    propose = metropolis.random_walk(step_size=2.38 / math.sqrt(dim))
    state, seen, walks = metropolis.init(bell, start), [], settings.turns * dim
    for step in range(walks):
        state, _ = metropolis.step(bell, state, propose=propose, generator=generator)
        if step % max(dim // 32, 1) == 0:
            seen.append(state.position[:, :16])
    walk = settings.chains * walks / worth(seen)
    size = 1.4 * dim**-0.25
    leaps = math.ceil(QUARTER / size)
    other, seen, paths = hmc.init(bell, start), [], 10 * settings.turns
    for _ in range(paths):
        other, _ = hmc.step(bell, other, step_size=size, num_steps=leaps, generator=generator)
        seen.append(other.position[:, :16])
    return Cost(walk, settings.chains * paths * leaps / worth(seen))


def claim_dimensions(report: Report, settings: Settings, generator: torch.Generator) -> list[Cost]:
    costs = [fresh_draw(dim, settings, generator) for dim in settings.dims]
    walk, hamilton = (log_log_slope(settings.dims, column) for column in zip(*costs, strict=True))
    report.claim("work of a random walk for a fresh draw", walk, "power of the dimension, in theory 1:", near=(1.0, 0.2))  # fmt: skip
    report.claim("work of HMC", hamilton, "power of the dimension, in theory ¼:", below=0.5)
    report.claim(
        f"in {settings.dims[-1]} dimensions HMC needs less of it",
        costs[-1].walk / costs[-1].hamilton,
        "times less,",
        above=10,
    )
    report.table(
        "Looks at the density for one independent draw of N(0, I)",
        columns=["dimension", "random walk", "HMC", "ratio"],
        rows=[
            [dim, round(a), round(b, 1), round(a / b, 1)]
            for dim, (a, b) in zip(settings.dims, costs, strict=True)
        ],
    )
    return costs


def distances(settings: Settings, generator: torch.Generator) -> tuple[list[int], Cost, list[Cost]]:
    """How far chains go along a wide direction, where the density hardly changes, with steps that suit the others."""
    dim, wide = 20, 1e4
    scales = torch.ones(dim)
    scales[0] = wide

    def log_density(x: Tensor) -> Tensor:
        return -(x / scales).square().sum(1) / 2

    counts = [4, 8, 16, 32, 64, 128]
    start = torch.randn(8 * settings.chains, dim, generator=generator) * scales
    state, gone = metropolis.init(log_density, start), []
    for step in range(1, counts[-1] + 1):
        propose = metropolis.random_walk(step_size=2.38 / math.sqrt(dim))
        state, _ = metropolis.step(log_density, state, propose=propose, generator=generator)
        if step in counts:
            gone.append(_far(state.position, start))
    paths = []
    for count in counts:
        other, _ = hmc.step(log_density, hmc.init(log_density, start), step_size=0.5, num_steps=count, generator=generator)  # fmt: skip
        paths.append(_far(other.position, start))
    slopes = Cost(log_log_slope(counts, gone), log_log_slope(counts, paths))
    return counts, slopes, [Cost(*pair) for pair in zip(gone, paths, strict=True)]


def _far(position: Tensor, start: Tensor) -> float:
    return float((position - start)[:, 0].square().mean().sqrt())


def claim_finite(report: Report, settings: Settings, generator: torch.Generator) -> None:
    """Metropolis' kernel as a matrix: detailed balance, and what stays."""
    states = 12
    log_p = torch.randn(states, generator=generator, dtype=torch.float64)
    proposal = torch.rand(states, states, generator=generator, dtype=torch.float64).softmax(1)
    kernel, p = metropolis_matrix(proposal, log_p), log_p.softmax(0)
    flow = p[:, None] * kernel
    report.claim("pᵢΠᵢⱼ = pⱼΠⱼᵢ for a drawn proposal on 12 states", float((flow - flow.T).abs().max()), "largest difference", below=1e-12)  # fmt: skip
    gap = float((stationary_distribution(kernel) - p).abs().max())
    report.claim("the eigenvector of Π for 1 is p", gap, "largest difference", below=1e-9)
    later = torch.linalg.matrix_power(kernel, 500)
    report.claim("wherever it starts, it forgets", float((later - p).abs().max()), "largest difference after 500 steps", below=1e-6)  # fmt: skip
    try:
        stationary_distribution(torch.eye(states))
        said = "one distribution stays"
    except InvalidValue as error:
        said = str(error)
    report.claim(
        "detailed balance is not enough: the identity has it and keeps every q",
        expected="no single distribution stays",
        measured=said,
        holds="keeps 12 distributions" in said,
    )


class _Counted:
    """A density that counts the rows it is asked for."""

    def __init__(self, log_density: Callable[[Tensor], Tensor]) -> None:
        self.log_density, self.rows = log_density, 0

    def __call__(self, x: Tensor) -> Tensor:
        self.rows += len(x)
        return self.log_density(x)


def claim_regression(report: Report, settings: Settings) -> None:
    """The posterior of logistic regression on the breast-cancer data, 31 weights, warm-up paid for by both."""
    data = load_breast_cancer()
    X = torch.tensor(data.data, dtype=torch.float32)
    X = torch.cat([torch.ones(len(X), 1), (X - X.mean(0)) / X.std(0)], 1)
    signs = 2 * torch.tensor(data.target, dtype=torch.float32) - 1
    turned = (X * signs[:, None]).T  # (31, rows)

    def log_density(w: Tensor) -> Tensor:
        return torch.nn.functional.logsigmoid(w @ turned).sum(1) - w.square().sum(1) / 2

    rows, found = [], {}
    for name, factor in (("hmc", 1), ("metropolis", 10)):
        counted = _Counted(log_density)
        start = 0.1 * torch.randn(settings.chains, X.shape[1], generator=torch.Generator().manual_seed(settings.seed))  # fmt: skip
        dense = SAMPLERS[name]._replace(mass="dense")
        trace = sample(counted, start, sampler=dense, draws=factor * settings.draws, warmup=factor * settings.warmup, seed=settings.seed, progress=False)  # fmt: skip
        least = float(trace.summary()["ess_bulk"].min())
        found[name] = 1e6 * least / counted.rows
        rows.append([name, counted.rows, round(least), round(found[name])])
    report.claim(
        "posterior of a logistic regression with 31 weights: HMC draws more per look at the density",
        found["hmc"] / found["metropolis"],
        "times as many,",
        above=3,
    )
    report.table(
        "Breast cancer, warm-up included, both with a dense mass",
        columns=["sampler", "looks at the density", "independent draws (worst weight)", "per million looks"],
        rows=rows,
    )  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Hamiltonian Monte Carlo versus a random walk",
        summary="A walk by chance comes √n far in n steps, a path without friction n: the work for a fresh draw grows like the "
        "dimension for the one, like its fourth root for the other.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    claim_finite(report, settings, generator)
    costs = claim_dimensions(report, settings, generator)
    counts, slopes, gone = distances(settings, generator)
    report.claim("a random walk comes √n far", slopes.walk, "power of n", near=(0.5, 0.1))
    report.claim("a path of HMC comes n far", slopes.hamilton, "power of n", near=(1.0, 0.05))
    claim_regression(report, settings)
    panels = [
        CurvePanel(
            "A fresh draw of N(0, I)", "dimension", "looks at the density",
            {"random walk": (settings.dims, [c.walk for c in costs]), "HMC": (settings.dims, [c.hamilton for c in costs])},
            {"d": (settings.dims, [costs[0].walk * d / settings.dims[0] for d in settings.dims]), "d to the ¼": (settings.dims, [costs[0].hamilton * (d / settings.dims[0]) ** 0.25 for d in settings.dims])},
            is_log_x=True, is_log_y=True,
        ),
        CurvePanel(
            "How far along a wide direction", "looks at the density", "root mean square distance",
            {"random walk": (counts, [c.walk for c in gone]), "HMC": (counts, [c.hamilton for c in gone])},
            {"√n": (counts, [gone[0].walk * (n / counts[0]) ** 0.5 for n in counts]), "n": (counts, [gone[0].hamilton * n / counts[0] for n in counts])},
            is_log_x=True, is_log_y=True,
        ),
    ]  # fmt: skip
    report.figure("cost", curve_panels(panels), caption="Left: the work for a draw that is independent of the last. Right: distances from the start; a path without friction does not lose its way.")  # fmt: skip
    return report
