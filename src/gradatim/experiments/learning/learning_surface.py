"""Two error surfaces: on one descent always arrives, the other looks rough and still has one valley."""

from dataclasses import dataclass
from functools import partial

import torch

from gradatim.linear import (
    bowl,
    cells_without_proof,
    descent_path,
    rippled_bowl,
    stationary_points,
)
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("C4",)
KEYWORDS = "error surface, loss surface, local and global minima, convexity, saddle point, cost function, basin"
BOWL_BOX = ((-1.0, 5.0), (-4.0, 2.0))
RIPPLE_BOX = ((-2.0, 4.0), (-3.5, 2.5))
AMPLITUDES = {0.6: 1, 1.0: 4, 1.5: 9}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    starts: int = 25
    steps: int = 300
    resolution: int = 400


QUICK = Settings(starts=9, resolution=250)


def check_bowl(report: Report, settings: Settings) -> SurfacePanel:
    start = torch.tensor([-0.5, 1.5], dtype=torch.float64)
    minimum = torch.tensor([2.0, -1.0], dtype=torch.float64)
    ends = (descent_path(bowl, start, lr=lr, steps=2 * settings.steps)[-1] for lr in (0.49, 0.51))
    calm, wild = ((end - minimum).norm().item() for end in ends)
    report.claim("bowl, step 0.49: arrives", calm, "distance to (2, −1)", below=1e-4)
    report.claim("bowl, step 0.51: diverges", wild, "distance to (2, −1)", above=1e3)
    paths = {f"step {lr:g}": descent_path(bowl, start, lr=lr, steps=15) for lr in (0.03, 0.2, 0.47)}
    return SurfacePanel("Bowl", bowl, BOWL_BOX, paths, minimum[None])


def check_one_example(report: Report) -> None:
    """The squared error of one example, and where descent on x³ ends."""
    y = torch.linspace(-1.0, 3.0, 81, dtype=torch.float64, requires_grad=True)
    t = 1.0
    error = (t - y) ** 2
    (slope,) = torch.autograd.grad(error.sum(), y)
    report.claim("one example: the slope of (t − y)² is 2(y − t), zero at y = t alone", (slope - 2 * (y - t)).abs().max(), "largest difference", at_most=1e-12)  # fmt: skip
    x = descent_path(lambda w: w.pow(3).sum(-1), torch.tensor([1.0], dtype=torch.float64), lr=0.1, steps=4000)[-1].item()  # fmt: skip
    report.claim("on x³ from above descent comes to rest at 0, which is no minimum", x, above=0, below=0.01)  # fmt: skip
    curve = error.detach().numpy()
    report.figure(
        "one-example",
        curve_panels([CurvePanel("Squared error of one example, t = 1", "answer y", Formula("$(t-y)^2$"), {"_": (y.detach().numpy(), curve)}, {"y = t": ([t, t], [0.0, float(curve.max())])})], width=5.4),
        caption="A parabola: twice as wrong costs four times as much, and the slope points back in proportion.",
    )  # fmt: skip


def check_uniqueness(report: Report, settings: Settings) -> None:
    """A proof by exclusion: outside a few cells the gradient cannot vanish, inside them E is convex."""
    amplitude = 0.6
    # |∂E/∂w_i| ≥ 2|w_i − c_i| − 3A is positive outside this box.
    reach = 1.5 * amplitude
    box = ((1 - reach, 1 + reach), (-0.5 - reach, -0.5 + reach))
    cells = cells_without_proof(
        rippled_bowl, box, lipschitz=2 + 18 * amplitude, resolution=settings.resolution
    )
    hessian = torch.func.vmap(torch.func.jacrev(torch.func.grad(rippled_bowl)))
    # The Hessian changes by at most 27√2 A < 54 A a unit of length; the cells' hull is this wide.
    spread = (cells.amax(0) - cells.amin(0)).norm().item() + 4 * reach / settings.resolution
    middle = (cells.amax(0) + cells.amin(0)) / 2
    least = torch.linalg.eigvalsh(hessian(middle[None]))[0, 0].item() - 54 * amplitude * spread / 2
    report.claim(
        "ripples of 0.6: the surface is convex wherever the gradient can vanish", least, above=0
    )
    report.claim(
        "share of cells not excluded by the gradient's Lipschitz bound",
        len(cells) / settings.resolution**2,
        below=0.02,
    )
    steepest = torch.linalg.eigvalsh(
        hessian(torch.cartesian_prod(*[torch.linspace(-2, 2, 40)] * 2))
    )
    report.claim("ripples of 0.6: yet it is not convex everywhere", steepest.min().item(), below=0)


def check_ripples(report: Report, settings: Settings) -> list[SurfacePanel]:
    generator = torch.Generator().manual_seed(settings.seed)
    low, high = torch.tensor(RIPPLE_BOX, dtype=torch.float64).T
    random = torch.rand(settings.starts, 2, generator=generator, dtype=torch.float64)
    starts = low + (high - low) * random
    panels, rows = [], []
    for amplitude, minima in AMPLITUDES.items():
        surface = partial(rippled_bowl, amplitude=amplitude)
        found = stationary_points(surface, ((-4.0, 5.0), (-5.0, 4.0)), resolution=60)
        lowest = found.points[(found.curvatures > 0).all(dim=1)]
        paths = descent_path(surface, starts, lr=0.03, steps=settings.steps)
        arrived = ((paths[-1] - lowest[0]).norm(dim=1) < 1e-2).double().mean().item()
        rows.append([amplitude, len(found.points), found.num_minima, arrived])
        report.claim(f"ripples of {amplitude:g}: minima", found.num_minima, equals=minima)
        few = {f"_{place}": paths[::5, place] for place in range(min(9, settings.starts))}
        title = f"Ripples of {amplitude:g}: {minima} minim{'um' if minima == 1 else 'a'}"
        panels.append(SurfacePanel(title, surface, RIPPLE_BOX, few, lowest))
    _, stationary, _, arrived = rows[0]
    report.claim("ripples of 0.6: stationary points", stationary, equals=1)
    report.claim("ripples of 0.6: share of starts that reach it", arrived, equals=1)
    report.table(
        "Ripples and stationary points",
        columns=[
            "amplitude",
            "stationary points",
            "minima",
            "share of starts that reach the lowest",
        ],
        rows=rows,
    )
    return [panels[0], panels[-1]]


def run(settings: Settings) -> Report:
    report = Report(
        title="Learning surfaces",
        summary="A surface may bend the wrong way and still have a single stationary point; ripples trap "
        "descent only once they are high enough.",
    )
    first = check_bowl(report, settings)
    check_one_example(report)
    check_uniqueness(report, settings)
    panels = check_ripples(report, settings)
    report.figure(
        "surfaces",
        error_surfaces([first, *panels]),
        caption="Left: the convex bowl with a timid, a good and a nearly too large step. Middle: not convex, "
        "yet all paths meet. Right: higher ripples, and the start decides where descent ends. Stars: minima.",
    )
    return report
