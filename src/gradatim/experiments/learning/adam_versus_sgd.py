"""Adam is indifferent to the units of the inputs; where units are alike, descent is as good."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.evaluation.intervals import corrected_interval
from gradatim.experiments._digits import split_digits
from gradatim.models import MLP
from gradatim.optim import Adam
from gradatim.optim.named import OptimizerFactory
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("C2", "C6")
KEYWORDS = "adaptive learning rates, ADAM adaptive moment estimation, AdaGrad, bias correction, epsilon inside the root, momentum, generalization of Adam"
RULES: dict[str, str | OptimizerFactory] = {
    "SGD": "sgd",
    "momentum": partial(torch.optim.SGD, momentum=0.9),
    "Adam": "adam",
}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    networks: int = 8
    epochs: int = 40
    hidden_dim: int = 64
    uneven: float = 100.0


QUICK = Settings(networks=4, epochs=15)
DIVERGED = 1e6  # training loss of a run that blew up
RATES = {"SGD": (0.01, 0.03, 0.1, 0.3, 1.0), "momentum": (0.003, 0.01, 0.03, 0.1, 0.3), "Adam": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)}  # fmt: skip


class Trained(NamedTuple):
    """The runs of a rule with the rate that brought the training loss lowest.

    Args:
        lr: That rate.
        losses: Training loss by epoch, the mean over networks.
        errors: Test error of every network, in per cent.
    """

    lr: float
    losses: np.ndarray
    errors: np.ndarray


def train(settings: Settings, rule: str, scale: Tensor) -> Trained:
    """Train from the same starts with every rate, all networks and rates as one computation."""
    (x, y), (x_test, y_test) = split_digits(settings.seed, is_flat=True)
    mean, deviation = x.mean(0), x.std(0).clamp(min=0.1)
    x, x_test = (scale * (part - mean) / deviation for part in (x, x_test))
    seeds = range(1000 * settings.seed, 1000 * settings.seed + settings.networks)
    pairs = [(rate, seed) for rate in RATES[rule] for seed in seeds]
    run = train_replicas(
        partial(MLP, (64, settings.hidden_dim, 10)), (x, y), optimizer=RULES[rule], lr=[rate for rate, _ in pairs],
        epochs=settings.epochs, batch_size=64, seed=[seed for _, seed in pairs],
    )  # fmt: skip
    shape = (len(RATES[rule]), settings.networks)
    losses = np.full((*shape, settings.epochs), np.inf)
    for place, history in zip(np.ndindex(shape), run.histories, strict=True):
        losses[place][: len(history["train_loss"])] = history["train_loss"]
    losses = np.nan_to_num(losses, nan=DIVERGED).clip(max=DIVERGED)
    wrong = (run.predict(x_test).argmax(-1) != y_test).double().mean(1).view(shape).numpy()
    best = int(losses[..., -1].mean(1).argmin())
    return Trained(RATES[rule][best], losses[best].mean(0), 100 * wrong[best])


def passes_to(losses: np.ndarray, target: float) -> float:
    """The first pass over the data whose loss is at most the target."""
    reached = np.flatnonzero(losses <= target)
    return float(reached[0] + 1) if len(reached) else math.inf


def claim_speed(report: Report, name: str, found: dict[str, Trained]) -> float:
    """How many times fewer passes Adam needs to the loss at which the better descent ends."""
    target = min(found["SGD"].losses[-1], found["momentum"].losses[-1])
    adam = passes_to(found["Adam"].losses, target)
    return len(found["SGD"].losses) / adam


def check_training(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    powers = torch.rand(64, generator=generator) - 0.5
    scales = {"alike": torch.ones(64), f"{settings.uneven:g} times apart": settings.uneven**powers}
    found = {name: {rule: train(settings, rule, scale) for rule in RULES} for name, scale in scales.items()}  # fmt: skip
    alike, apart = found.values()
    report.claim("inputs of very different scale: Adam arrives with fewer passes over the data", claim_speed(report, "apart", apart), "times fewer than the better descent, rates chosen for each,", above=1.1)  # fmt: skip
    slower = {rule: float(apart[rule].losses[-1] / alike[rule].losses[-1]) for rule in RULES}
    report.claim("different scales cost plain descent more than Adam", slower["SGD"] / slower["Adam"], "ratio of the growths of the last training loss,", above=1.5)  # fmt: skip
    gap = corrected_interval((alike["Adam"].errors - alike["momentum"].errors).tolist(), 0.0)
    report.claim("inputs alike: test errors of Adam and momentum hardly differ", gap.mean, f"points, 95 % interval {gap.low:.2f} to {gap.high:.2f},", near=(0.0, 1.0))  # fmt: skip
    report.table(
        f"Digits, {settings.networks} networks 64-{settings.hidden_dim}-10, {settings.epochs} passes, the best of five rates",
        columns=["scales of the inputs", "rule", "rate", "last training loss", "test error %"],
        rows=[[scale, rule, one.lr, float(one.losses[-1]), float(one.errors.mean())] for scale, rules in found.items() for rule, one in rules.items()],
    )  # fmt: skip
    passes = np.arange(1, settings.epochs + 1)
    report.figure(
        "speed",
        curve_panels([CurvePanel(f"Inputs {name}", "pass over the data", "training loss", {rule: (passes, one.losses) for rule, one in rules.items()}, is_log_y=True) for name, rules in found.items()]),
        caption="Each rule with its best rate. Units of the inputs decide how fast descent is; Adam measures every weight's step in its own units.",
    )  # fmt: skip


def first_step(gradient: float, lr: float, build: Callable[..., Adam]) -> float:
    """Length of the first step along a slope."""
    w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    w.grad = torch.full_like(w, gradient)
    build([w], lr=lr).step()
    return -float(w.detach())


def check_first_steps(report: Report) -> None:
    forms: dict[str, Callable[..., Adam]] = {
        "ε outside the root": Adam,
        "ε inside": partial(Adam, eps_inside=True),
        "no bias correction": partial(Adam, bias_correction=False),
    }
    sizes = 10.0 ** np.arange(-9, 3)
    steps = {name: [first_step(size, 1.0, form) for size in sizes] for name, form in forms.items()}
    eps = 1e-8
    outside, inside = sizes / (sizes + eps), sizes / np.sqrt(sizes**2 + eps)
    plain = 0.1 * sizes / (np.sqrt(0.001) * sizes + eps)
    for name, exact in zip(forms, (outside, inside, plain), strict=True):
        worst = float(np.abs(np.array(steps[name]) / exact - 1).max())
        report.claim(f"first step of Adam, {name}: as its formula says", worst, "largest relative error", below=1e-6)  # fmt: skip
    report.claim("without bias correction the first step is (1 − β₁)/√(1 − β₂) η, though η is meant", steps["no bias correction"][-1], "times η", near=(3.1623, 1e-3))  # fmt: skip
    report.claim("with ε inside the root a gradient of 10⁻⁶ hardly moves a weight", steps["ε inside"][3] / steps["ε outside the root"][3], "share of the step with ε outside", near=(0.0101, 0.001))  # fmt: skip
    report.figure(
        "first-step",
        curve_panels([CurvePanel("First step of Adam, η = 1", "gradient", "step", {name: (sizes, values) for name, values in steps.items()}, is_log_x=True, is_log_y=True)], width=6.0),
        caption="Where ε stands decides from which size on a gradient counts. Notes that leave out the bias correction print steps 3.16 times as long at the start.",
    )  # fmt: skip


def check_constant_slope(report: Report) -> None:
    """On a straight slope AdaGrad's steps shrink as η/√t; Adam's stay η, for it forgets old gradients."""
    count, lengths = 100, {}
    for name, build in (("AdaGrad", torch.optim.Adagrad), ("Adam", Adam)):
        w = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        rule, places = build([w], lr=1.0), [0.0]
        for _ in range(count):
            w.grad = torch.ones_like(w)
            rule.step()
            places.append(float(w.detach()))
        lengths[name] = -np.diff(places)
    t = np.arange(1, count + 1)
    for name, exact in (("AdaGrad", t**-0.5), ("Adam", np.ones(count))):
        worst = float(np.abs(lengths[name] / exact - 1).max())
        words = "η/√t" if name == "AdaGrad" else "η"
        report.claim(f"on a straight slope step t of {name} is {words}", worst, "largest relative error", below=1e-6)  # fmt: skip
    report.figure(
        "straight-slope",
        curve_panels([CurvePanel("Steps on a straight slope, η = 1", "step t", "length", {name: (t, values) for name, values in lengths.items()}, {"t^−½": (t, t**-0.5)}, is_log_x=True, is_log_y=True)], width=6.0),
        caption="AdaGrad adds up all squared gradients, so its rate falls by itself; Adam averages over the last thousand or so.",
    )  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Adam against descent",
        summary="Adam divides every gradient by its own size: inputs in different units do not slow it down. Where inputs are "
        "standardized, descent with momentum does as well on new digits.",
    )
    check_training(report, settings)
    check_first_steps(report)
    check_constant_slope(report)
    return report
