"""One hidden layer comes as close to a continuous function as one likes, unless it is linear."""

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from math import pi

import numpy as np
import torch
from torch import Tensor

from gradatim.models import MLP
from gradatim.plots.approximation import error_curves, fit_panels, rate_curves, ridge_functions
from gradatim.reports import Report
from gradatim.theory import Approximation, approximate, log_log_slope, relu_interpolant
from gradatim.training import Trainer

COVERS = ("B3",)
KEYWORDS = "universal approximation theorem UAT, Leshno, Cybenko, Weierstrass, width, bump, function approximator"
INTERVAL = (-pi, pi)
SQUARE = ((-1.0, 1.0), (-1.0, 1.0))
# The line a x with the smallest sup-error to sin touches it at tan(x) = x + pi and misses pi by a pi.
BEST_LINE = 0.6824


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    widths: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    activations: tuple[str, ...] = ("sigmoid", "tanh", "relu", "identity")
    restarts: int = 6
    steps: int = 150
    stages: tuple[int, ...] = (10, 100, 500, 3000)
    pieces: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128)


QUICK = Settings(widths=(1, 2, 4, 8, 16), restarts=2, steps=50, stages=(10, 50, 200, 1000))


def run(settings: Settings) -> Report:
    """Fit sin and a product with networks of growing width, and build an interpolant without any training."""
    report = Report(
        title="Universal approximation",
        summary="Sums of S-shaped or hinge-shaped units follow sin ever closer as units are added; a linear "
        "network stays a line however wide it is.",
    )
    report.text(
        "The theorem says that for a continuous f on a closed and bounded set and any ε some network "
        "F(x) = Σ αⱼ g(wⱼ·x + bⱼ) with |F − f| < ε exists, for every g that is not a polynomial. It does not "
        "say how to find the weights: the errors below are those of weights that training found, and with "
        "many units it is the search that sets the floor, not the theorem."
    )
    _width(report, settings)
    _progress(report, settings)
    _ridges(report, settings)
    _interpolant(report, settings)
    return report


def _width(report: Report, settings: Settings) -> None:
    results = approximate(
        torch.sin,
        settings.widths,
        activations=settings.activations,
        domain=[INTERVAL],
        restarts=settings.restarts,
        steps=settings.steps,
        seed=settings.seed,
    )
    for activation in settings.activations:
        _claim_width(report, [r for r in results if r.activation == activation])
    report.figure(
        "error-against-width",
        error_curves(results),
        caption="Largest error on [−π, π] of the best network found for sin.",
    )
    report.table(
        "Sup-error for sin",
        columns=["activation", *(f"{width} units" for width in settings.widths)],
        rows=[
            [name, *(r.sup_error for r in results if r.activation == name)]
            for name in settings.activations
        ],
    )


def _claim_width(report: Report, group: list[Approximation]) -> None:
    wide = group[-1]
    if wide.activation == "identity":
        least = min(result.sup_error for result in group)
        report.claim("a network of linear units stays a line", least, at_least=BEST_LINE)
        return
    limit = 0.05 if wide.activation == "relu" else 1e-3
    report.claim(
        f"{wide.width} {wide.activation} units follow sin", wide.sup_error, "sup-error", below=limit
    )


def _progress(report: Report, settings: Settings) -> None:
    x = torch.linspace(*INTERVAL, 200)[:, None]
    start, models, errors = MLP((1, 20, 1), activation="tanh"), {}, []
    for steps in settings.stages:  # each from the same start: full batches, an epoch is a step
        model = deepcopy(start)
        trainer = Trainer(model, "mse", lr=0.01, epochs=steps, batch_size=len(x), progress=False)
        errors.append(trainer.fit((x, x.sin()))["train_loss"][-1] ** 0.5)
        models[f"{steps} steps: error {errors[-1]:.2g}"] = model.double()
    report.claim(
        "more steps fit better (20 tanh units, Adam)",
        expected="root mean squared error falls at every stage, to below 0.05",
        measured=" → ".join(f"{error:.2g}" for error in errors),
        holds=errors == sorted(errors, reverse=True) and errors[-1] < 0.05,
    )
    report.figure(
        "learning-sin",
        fit_panels(models, torch.sin, INTERVAL),
        caption="Ordinary training: 20 tanh units after more and more steps of Adam, with the root mean "
        "squared error. Nobody told the network what a sine is.",
    )


def _product(x: Tensor) -> Tensor:
    return x[:, 0] * x[:, 1]


def _ridges(report: Report, settings: Settings) -> None:
    fit = partial(approximate, restarts=settings.restarts, steps=settings.steps, seed=settings.seed)
    (line,) = fit(torch.sin, [4], activations=("sigmoid",), domain=[INTERVAL])
    (plane,) = fit(_product, [4], domain=SQUARE)
    report.claim(
        "four tanh units multiply two numbers of [−1, 1]", plane.sup_error, "sup-error", below=0.05
    )
    report.figure(
        "ridges-on-a-line",
        ridge_functions(line.model, torch.sin, [INTERVAL]),
        caption="Four S-shaped units, each scaled by its output weight, add up to sin.",
    )
    report.figure(
        "ridges-on-the-plane",
        ridge_functions(plane.model, _product, SQUARE),
        caption="Each unit is constant along one direction: a ridge. Four ridges make a saddle, x₁x₂.",
    )


def _interpolant(report: Report, settings: Settings) -> None:
    x = torch.linspace(*INTERVAL, 8193, dtype=torch.float64)[:, None]
    errors = []
    for pieces in settings.pieces:
        knots = np.linspace(*INTERVAL, pieces + 1)
        net = relu_interpolant(knots, np.sin(knots), dtype=torch.float64)
        with torch.inference_mode():
            errors.append(float((net(x) - x.sin()).abs().max()))
    bounds = [(2 * pi / pieces) ** 2 / 8 for pieces in settings.pieces]
    worst = max(error / bound for error, bound in zip(errors, bounds, strict=True))
    report.claim("a ReLU interpolant of sin keeps the bound h²/8", worst, at_most=1 + 1e-9)
    slope = log_log_slope(settings.pieces[-4:], errors[-4:])
    report.claim(
        "its error falls with the square of the number of units", slope, "slope", near=(-2, 0.1)
    )
    report.figure(
        "interpolant",
        rate_curves(
            {"ReLU interpolant": (settings.pieces, errors)},
            bounds={"h²/8": (settings.pieces, bounds)},
            xlabel="ReLU units, one per piece",
            ylabel="sup-error for sin",
        ),
        caption="Weights written down instead of learned: one ReLU for each straight piece.",
    )
