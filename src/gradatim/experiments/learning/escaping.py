"""On a rippled bowl noise leaves valleys that descent cannot, by Boltzmann's law and no luck."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.linear import descent_path, rippled_bowl
from gradatim.optim import EntropySGD, Langevin
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.reports import Report

COVERS = ("C2", "C4")
KEYWORDS = "local minima and saddle points, global minimum, simulated annealing, Langevin dynamics, Boltzmann distribution, Entropy-SGD, noise of mini-batches helps, rippled bowl, non-convex, multi-start"
BOX = ((-2.0, 4.0), (-3.5, 2.5))
AMPLITUDE = 1.5


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    runs: int = 2000
    steps: int = 3000
    lr: float = 0.03
    noise: float = 6.0
    temperature: float = 1.0
    grid: int = 300


QUICK = Settings(runs=600, steps=1200, grid=150)
surface = partial(rippled_bowl, amplitude=AMPLITUDE)


def draw_starts(settings: Settings) -> Tensor:
    """Uniform over the box, shape ``(runs, 2)``."""
    low, high = torch.tensor(BOX, dtype=torch.float64).T
    generator = torch.Generator().manual_seed(settings.seed)
    return low + (high - low) * torch.rand(settings.runs, 2, generator=generator, dtype=torch.float64)  # fmt: skip


def follow(
    starts: Tensor,
    build: Callable[[Tensor], torch.optim.Optimizer],
    steps: int,
    *,
    rate: Callable[[float], dict[str, float]] | None = None,
    push: Callable[[], Tensor] | None = None,
) -> Tensor:
    """All runs at once: an optimizer of independent entries moves each start by its own gradient.

    Args:
        starts: Shape ``(runs, 2)``.
        build: Makes the optimizer of the places.
        steps: Updates.
        rate: Settings of the optimizer by the share of the steps that is done.
        push: Slope of the line that a run's own row adds to the surface, drawn anew for each gradient.

    Returns:
        Every tenth place, shape ``(steps / 10 + 1, runs, 2)``.
    """
    w = starts.clone().requires_grad_()
    optimizer, places = build(w), [starts]

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = surface(w).sum()
        if push is not None:
            loss = loss + (push() * w).sum()
        loss.backward()
        return loss.detach()

    for step in range(steps):
        if rate is not None:
            optimizer.param_groups[0].update(rate(step / steps))
        optimizer.step(closure)  # type: ignore[arg-type]
        if step % 10 == 9:
            places.append(w.detach().clone())
    return torch.stack(places)


def is_lowest(w: Tensor) -> Tensor:
    """Whether descent from a place ends in the lowest valley."""
    ends = descent_path(surface, w, lr=0.03, steps=400)[-1]
    return (ends - lowest()).norm(dim=-1) < 0.1


def lowest() -> Tensor:
    """The bottom of the lowest valley, by descent from a fine grid."""
    axes = [torch.linspace(low, high, 25, dtype=torch.float64) for low, high in BOX]
    ends = descent_path(surface, torch.cartesian_prod(*axes), lr=0.03, steps=400)[-1]
    return ends[surface(ends).argmin()]


def boltzmann_share(temperature: float, resolution: int) -> float:
    r"""Weight of the lowest valley under :math:`p(w)\propto e^{-E(w)/T}`, by summing over a grid."""
    axes = [torch.linspace(low - 2, high + 2, resolution, dtype=torch.float64) for low, high in BOX]
    grid = torch.cartesian_prod(*axes)
    weight = (-surface(grid) / temperature).exp()
    return float(weight[is_lowest(grid)].sum() / weight.sum())


def escape(settings: Settings) -> dict[str, Tensor]:
    """The paths of four rules from the same starts."""
    starts, lr = draw_starts(settings), settings.lr
    noise = torch.Generator().manual_seed(settings.seed + 1)
    inner = 5

    def row() -> Tensor:
        """Rows pull in directions that cancel: a batch of one sees the surface and one of these lines."""
        angle = 2 * torch.pi * torch.rand(settings.runs, generator=noise, dtype=torch.float64)
        return settings.noise * torch.stack([angle.cos(), angle.sin()], 1)

    def cooling(done: float) -> dict[str, float]:
        return {"temperature": settings.temperature * (1 - done)}

    def slowing(done: float) -> dict[str, float]:
        return {"lr": lr * (1 - done)}

    return {
        "descent": follow(starts, lambda w: torch.optim.SGD([w], lr=lr), settings.steps),
        "mini-batches": follow(starts, lambda w: torch.optim.SGD([w], lr=lr), settings.steps, rate=slowing, push=row),
        "Langevin, cooled": follow(starts, lambda w: Langevin([w], lr=lr, generator=noise), settings.steps, rate=cooling),
        "Entropy-SGD": follow(
            starts,
            lambda w: EntropySGD([w], lr=lr, inner_steps=inner * 4, gamma=0.3, noise=1.4, averaging=0.1, generator=noise),
            settings.steps // (inner * 4),
            rate=lambda done: {"noise": 1.4 * (1 - done)},
        ),
    }  # fmt: skip


def check_boltzmann(report: Report, settings: Settings) -> None:
    """At a constant temperature the share of runs in the valley is that of the density."""
    rows = []
    for T in (0.6, 1.2):
        noise = torch.Generator().manual_seed(settings.seed + 2)
        path = follow(draw_starts(settings), lambda w, T=T, noise=noise: Langevin([w], lr=settings.lr / 3, temperature=T, generator=noise), settings.steps)  # type: ignore[misc]  # fmt: skip
        late = path[len(path) // 2 :: max(len(path) // 20, 1)]  # (times, runs, 2)
        measured = is_lowest(late.flatten(0, 1)).double().mean().item()
        exact = boltzmann_share(T, settings.grid)
        rows.append([T, measured, exact])
        report.claim(
            f"Langevin at temperature {T:g}: share in the lowest valley is its share of e^(−E/T)",
            measured,
            near=(exact, 0.04),
        )
    report.table("Langevin at a constant temperature", columns=["temperature", "share of runs in the lowest valley", "share of e^(−E/T)"], rows=rows)  # fmt: skip


def figure(paths: dict[str, Tensor], shares: dict[str, list[float]]) -> Figure:
    """How the share of runs in the lowest valley grows."""
    curves = {name: (torch.linspace(0, 1, len(share)).numpy(), share) for name, share in shares.items()}  # fmt: skip
    return curve_panels(
        [CurvePanel("In the lowest valley", "share of the gradients", "share of runs", curves)],
        width=6.0,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Escaping from valleys",
        summary="Descent stays in the valley where it began. Noise of mini-batches, of Langevin's dynamics and of "
        "Entropy-SGD's walks leaves the shallow ones; the deep one keeps its runs by Boltzmann's law.",
    )
    paths = escape(settings)
    shares = {
        name: [is_lowest(w).double().mean().item() for w in path[:: max(len(path) // 12, 1)]]
        for name, path in paths.items()
    }
    ends = {name: is_lowest(path[-1]).double().mean().item() for name, path in paths.items()}
    stays = (is_lowest(paths["descent"][0]) == is_lowest(paths["descent"][-1])).double().mean()
    report.claim("descent ends in the valley in which it began", stays, "share of runs", equals=1.0)
    for name in ("mini-batches", "Langevin, cooled", "Entropy-SGD"):
        report.claim(f"{name}: more runs end in the lowest valley", ends[name] / ends["descent"], "times as many as by descent", above=1.5)  # fmt: skip
    check_boltzmann(report, settings)
    report.table(
        f"Where {settings.runs:,} runs end after {settings.steps:,} gradients each",
        columns=["rule", "share in the lowest valley", "mean value"],
        rows=[[name, ends[name], surface(path[-1]).mean().item()] for name, path in paths.items()],
    )
    report.figure("escaping", figure(paths, shares), caption="Descent keeps its share from the first step; the others gather in the lowest of nine valleys.")  # fmt: skip
    shown = {"_": paths["descent"][:40, 0]}
    walk = {"_": paths["Langevin, cooled"][:: max(len(paths["descent"]) // 60, 1), 0]}
    report.figure(
        "paths",
        error_surfaces([SurfacePanel("Descent", surface, BOX, shown, lowest()[None]), SurfacePanel("Langevin, cooled", surface, BOX, walk, lowest()[None])]),
        caption="The same start. The star marks the lowest valley; the path jumps between valleys while it is warm.",
    )  # fmt: skip
    return report
