"""In a long narrow valley plain descent zigzags; momentum needs the square root of its steps."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from gradatim.experiments.learning._ravine_figures import power_laws, valley_paths
from gradatim.instruments import DescentPath, trajectory
from gradatim.optim import (
    Adam,
    EMAMomentum,
    HeavyBall,
    NesterovExtrapolation,
    NormalizedGradient,
    RMSProp,
)
from gradatim.optim.named import OptimizerFactory
from gradatim.plots.optim import decay_curves
from gradatim.reports import Report

COVERS = ("C2",)
KEYWORDS = "momentum, heavy ball, Nesterov accelerated gradient, Adam, RMSProp root mean square propagation, AdaGrad, adaptivity, zigzag, normalized gradient descent NGD"
Rule = tuple[str | OptimizerFactory, float]
BOX = ((-1.15, 0.35), (-0.22, 0.22))


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    condition: float = 100.0
    conditions: tuple[float, ...] = (10.0, 30.0, 100.0, 300.0, 1000.0)
    steps: int = 400
    target: float = 1e-6


QUICK = Settings(conditions=(10.0, 40.0, 160.0), steps=200)


def ravine(condition: float, angle: float = 0.0) -> Callable[[Tensor], Tensor]:
    r"""Return :math:`h(w)=\frac12(u_1^2+\kappa u_2^2)`, :math:`u` being :math:`w` turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)

    def function(w: Tensor) -> Tensor:
        u1, u2 = c * w[0] + s * w[1], -s * w[0] + c * w[1]
        return (u1 * u1 + condition * u2 * u2) / 2

    return function


def rules(condition: float) -> dict[str, Rule]:
    """Rates from theory for μ = 1 and L = κ; rates of the adaptive rules by trial."""
    root = math.sqrt(condition)
    beta = ((root - 1) / (root + 1)) ** 2
    best = 4 / (root + 1) ** 2
    return {
        "gradient descent": ("sgd", 2 / (condition + 1)),
        "heavy ball": (partial(HeavyBall, momentum=beta), best),
        "EMA momentum": (partial(EMAMomentum, momentum=beta), best / (1 - beta)),
        "Nesterov": (partial(NesterovExtrapolation, momentum=math.sqrt(beta)), 1 / condition),
        "RMSProp": (RMSProp, 0.01),
        "Adam": (Adam, 0.1),
        "normalized gradient": (NormalizedGradient, 0.02),
    }


def descend_all(condition: float, steps: int, angle: float = 0.0) -> dict[str, DescentPath]:
    """Follow every rule from the same point of the valley, turned with it."""
    c, s = math.cos(angle), math.sin(angle)
    start = torch.tensor([-c - 0.05 * s, -s + 0.05 * c], dtype=torch.float64)
    function = ravine(condition, angle)
    return {
        label: trajectory(rule, function, start, lr=lr, steps=steps)
        for label, (rule, lr) in rules(condition).items()
    }


def steps_to(path: DescentPath, target: float) -> int | None:
    """Return the first step from which on the value stays below a part of the first one."""
    above = (path.values > target * path.values[0]).nonzero()
    last = int(above[-1]) + 1
    return last if last < len(path.values) else None


def check_rates(report: Report, paths: Mapping[str, DescentPath], condition: float) -> None:
    root = math.sqrt(condition)
    expected = {
        "gradient descent": (condition - 1) / (condition + 1),
        "heavy ball": (root - 1) / (root + 1),
    }
    for label, rate in expected.items():
        distance = paths[label].points.norm(dim=1)
        late, early = len(distance) // 2, len(distance) // 4
        measured = (distance[late] / distance[early]).item() ** (1 / (late - early))
        report.claim(
            f"{label}: distance shrinks by a constant factor a step",
            expected=f"{rate:.4f} (to 3 %)",
            measured=round(measured, 4),
            holds=abs(measured / rate - 1) < 0.03,
        )
    steep = paths["gradient descent"].points[:40, 1]
    flips = (steep[1:] * steep[:-1] < 0).double().mean().item()
    report.claim("gradient descent crosses the valley at every step", flips, equals=1)
    gap = (paths["EMA momentum"].points - paths["heavy ball"].points).abs().max().item()
    report.claim(
        "EMA momentum with rate η/(1−β) is the heavy ball", gap, "paths differ by", below=1e-9
    )


def check_turning(report: Report, settings: Settings, straight: Mapping[str, DescentPath]) -> None:
    turned = descend_all(settings.condition, settings.steps, angle=math.pi / 4)
    rows = []
    for label, path in straight.items():
        counts = [steps_to(p, settings.target) for p in (path, turned[label])]
        rows.append([label, *(count if count is not None else "–" for count in counts)])
    report.table(
        f"Steps to {settings.target:g} of the first value, κ = {settings.condition:g}",
        columns=["rule", "valley along an axis", "valley turned by 45°"],
        rows=rows,
    )
    blind = max(
        (straight[label].values - turned[label].values).abs().max().item()
        for label in ("gradient descent", "heavy ball", "Nesterov")
    )
    report.claim(
        "gradient descent and momentum do not notice a turn of the axes", blind, below=1e-9
    )
    early = [paths["Adam"].values[30].item() for paths in (straight, turned)]
    report.claim(
        "Adam notices: its rates belong to coordinates",
        expected="values after 30 steps differ by 10 % or more",
        measured=early[1] / early[0],
        holds=abs(early[1] / early[0] - 1) > 0.1,
    )


def check_scaling(report: Report, settings: Settings) -> None:
    counts: dict[str, list[float]] = {"gradient descent": [], "heavy ball": []}
    start = torch.tensor([-1.0, 0.05], dtype=torch.float64)
    for condition in settings.conditions:
        enough = {"gradient descent": 5 * condition, "heavy ball": 12 * math.sqrt(condition)}
        for label, found in counts.items():
            rule, lr = rules(condition)[label]
            steps = int(enough[label]) + 60
            path = trajectory(rule, ravine(condition), start, lr=lr, steps=steps)
            found.append(float(steps_to(path, settings.target) or math.nan))
    x = torch.tensor(settings.conditions).log()
    for label, power in (("gradient descent", 1.0), ("heavy ball", 0.5)):
        y = torch.tensor(counts[label]).log()
        slope = (((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum()).item()
        report.claim(
            f"{label}: steps grow like κ to the power {power:g}",
            expected=f"{power:g} ± 0.12",
            measured=round(slope, 3),
            holds=abs(slope - power) < 0.12,
        )
    report.figure(
        "scaling",
        power_laws(
            list(settings.conditions),
            counts,
            xlabel="condition number κ",
            ylabel=f"steps to {settings.target:g} of the start",
        ),
        caption="A valley a hundred times longer costs descent a hundred times as many steps, momentum ten times.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Optimizers on a ravine",
        summary="Gradient descent needs steps in proportion to the condition number, momentum to its square "
        "root; adaptive rules depend on how the valley lies to the axes.",
    )
    paths = descend_all(settings.condition, settings.steps)
    shown = ("gradient descent", "heavy ball", "Nesterov", "RMSProp", "Adam", "normalized gradient")
    report.figure(
        "paths",
        valley_paths(
            ravine(settings.condition),
            BOX,
            {label: paths[label].points[:41] for label in shown},
            minimum=(0.0, 0.0),
        ),
        caption=f"Forty steps in a valley with κ = {settings.condition:g}, vertical axis enlarged. Every rule starts "
        "at the white dot and looks for the star.",
    )
    check_rates(report, paths, settings.condition)
    check_turning(report, settings, paths)
    report.figure(
        "values",
        decay_curves(
            {
                label: path.values.where(path.values > 1e-16, 0)
                for label, path in paths.items()
                if label != "EMA momentum"
            },
            title=f"Value along the valley, κ = {settings.condition:g}",
            ylabel="h(w)",
        ),
        caption="Straight lines are constant factors a step. RMSProp and the normalized gradient keep a step length "
        "and end by circling the minimum.",
    )
    check_scaling(report, settings)
    return report
