"""The smallest adversarial game: descent and ascent circle, and looking ahead together ends it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.optim import Extragradient
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.reports import Report

COVERS = ("K2", "C2")
KEYWORDS = "generative adversarial network, minimax, two-player games, bilinear game, simultaneous and alternating gradient descent ascent, extragradient, saddle point, Nash equilibrium, rotation"
ORDERS = ("simultaneous", "alternating", "one-sided look ahead", "extragradient")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    lr: float = 0.2
    steps: int = 200
    dim: int = 6


QUICK = Settings(steps=100)
Step = Callable[[Tensor, Tensor, Tensor, float], tuple[Tensor, Tensor]]


def simultaneous(theta: Tensor, phi: Tensor, A: Tensor, lr: float) -> tuple[Tensor, Tensor]:
    """Descent and ascent from the same place."""
    return theta - lr * A @ phi, phi + lr * A.T @ theta


def alternating(theta: Tensor, phi: Tensor, A: Tensor, lr: float) -> tuple[Tensor, Tensor]:
    """Ascent, then descent against the player that has moved."""
    phi = phi + lr * A.T @ theta
    return theta - lr * A @ phi, phi


def one_sided(theta: Tensor, phi: Tensor, A: Tensor, lr: float) -> tuple[Tensor, Tensor]:
    """Each looks from its own half step at where the other stands: the gradients of a bilinear game do not change by it."""
    half, other_half = simultaneous(theta, phi, A, lr)
    x, y = half.clone().requires_grad_(), other_half.clone().requires_grad_()
    by_theta = torch.autograd.grad(x @ A @ phi, x)[0]
    by_phi = torch.autograd.grad(theta @ A @ y, y)[0]
    return theta - lr * by_theta, phi + lr * by_phi


def library_extragradient(
    theta: Tensor, phi: Tensor, A: Tensor, lr: float
) -> tuple[Tensor, Tensor]:
    """One step of the library's optimizer, whose second group climbs."""
    x, y = theta.clone().requires_grad_(), phi.clone().requires_grad_()
    players: list[dict[str, Any]] = [{"params": [x]}, {"params": [y], "maximize": True}]
    rule = Extragradient(players, lr=lr)

    def closure() -> Tensor:
        rule.zero_grad()
        loss = x @ A @ y
        loss.backward()
        return loss

    rule.step(closure)
    return x.detach(), y.detach()


STEPS: dict[str, Step] = dict(zip(ORDERS, (simultaneous, alternating, one_sided, library_extragradient), strict=True))  # fmt: skip


def play(step: Step, theta: Tensor, phi: Tensor, A: Tensor, settings: Settings) -> Tensor:
    """Places of both players before and after every step, shape ``(steps + 1, 2, dim)``."""
    places = [torch.stack([theta, phi])]
    for _ in range(settings.steps):
        theta, phi = step(theta, phi, A, settings.lr)
        places.append(torch.stack([theta, phi]))
    return torch.stack(places)


def rate(path: Tensor) -> float:
    """Factor of the distance from the equilibrium per step, over the whole path."""
    radius = path.flatten(1).norm(dim=1)
    return float((radius[-1] / radius[0]) ** (1 / (len(path) - 1)))


def claim_rates(report: Report, paths: dict[str, Tensor], lr: float) -> None:
    """The game of two numbers, whose step is a matrix of 2×2."""
    out, inwards = math.sqrt(1 + lr**2), math.sqrt(1 - lr**2 + lr**4)
    for name, wanted, words in (
        ("simultaneous", out, "simultaneous play spirals out by √(1 + η²) a step"),
        ("one-sided look ahead", out, "looking ahead alone gains nothing"),
        ("extragradient", inwards, "extragradient spirals in by √(1 − η² + η⁴) a step"),
    ):
        report.claim(words, rate(paths[name]), near=(wanted, 1e-9))
    theta, phi = paths["alternating"][:, 0, 0], paths["alternating"][:, 1, 0]
    energy = theta**2 + phi**2 + lr * theta * phi
    drift = float((energy / energy[0] - 1).abs().max())
    report.claim(
        "alternating play stays on the ellipse θ² + φ² + ηθφ", drift, "change of it", at_most=1e-9
    )


def claim_modes(report: Report, A: Tensor, paths: dict[str, Tensor], settings: Settings) -> None:
    """A game of several numbers falls into one of two numbers for each singular value."""
    U, values, Vh = torch.linalg.svd(A)
    worst = 0.0
    for name, factor in (
        ("simultaneous", (1 + (settings.lr * values) ** 2).sqrt()),
        ("extragradient", ((1 - (settings.lr * values) ** 2) ** 2 + (settings.lr * values) ** 2).sqrt()),
    ):  # fmt: skip
        path = paths[name]
        parts = torch.stack([path[:, 0] @ U, path[:, 1] @ Vh.T], 1).norm(dim=1)  # (T, dim)
        found = (parts[-1] / parts[0]) ** (1 / settings.steps)
        worst = max(worst, float((found / factor - 1).abs().max()))
    report.claim(
        f"in {settings.dim} dimensions every singular value of the game has its own rate",
        worst,
        "largest relative error of the rates of theory",
        at_most=1e-6,
    )
    end = paths["extragradient"].flatten(1).norm(dim=1)
    report.claim("extragradient comes nearer in every step", float((end[1:] / end[:-1]).max()), "largest factor of a step", below=1.0)  # fmt: skip


def figure(paths: dict[str, Tensor], lr: float) -> Figure:
    """Ways of the players, and how far they are from the equilibrium."""
    shown = {name: (path[:60, 0, 0].numpy(), path[:60, 1, 0].numpy()) for name, path in paths.items() if name != "one-sided look ahead"}  # fmt: skip
    steps = range(len(next(iter(paths.values()))))
    radii = {
        name: (list(steps), path.flatten(1).norm(dim=1).numpy()) for name, path in paths.items()
    }
    return curve_panels(
        [
            CurvePanel(f"The players of θφ, η = {lr:g}, first 60 steps", "θ, who descends", "φ, who climbs", shown),
            CurvePanel("Distance from the equilibrium", "step", "distance", radii, is_log_y=True),
        ],
        width=5.2,
        height=4.4,
    )  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Looking ahead ends a game that descent cannot",
        summary="On min over θ, max over φ of θφ simultaneous steps spiral out, alternating steps circle, and extragradient, "
        "which evaluates both players at the half step, spirals in; all at the rates of theory. Notes often print a form in "
        "which each player looks ahead alone: it is no better than not looking.",
    )
    one = torch.ones(1, dtype=torch.float64)
    paths = {
        name: play(step, one, one, torch.eye(1).double(), settings) for name, step in STEPS.items()
    }
    claim_rates(report, paths, settings.lr)
    generator = torch.Generator().manual_seed(settings.seed)
    A = torch.randn(settings.dim, settings.dim, generator=generator, dtype=torch.float64)
    A = A / torch.linalg.matrix_norm(A, 2)
    start = torch.randn(2, settings.dim, generator=generator, dtype=torch.float64)
    larger = {name: play(STEPS[name], start[0], start[1], A, settings) for name in ("simultaneous", "extragradient")}  # fmt: skip
    claim_modes(report, A, larger, settings)
    report.table(
        "Factor of the distance per step",
        columns=["order of moves", "measured", "theory"],
        rows=[
            [name, rate(path), theory]
            for (name, path), theory in zip(
                paths.items(),
                (
                    math.sqrt(1 + settings.lr**2),
                    1.0,
                    math.sqrt(1 + settings.lr**2),
                    math.sqrt(1 - settings.lr**2 + settings.lr**4),
                ),
                strict=True,
            )
        ],
    )
    report.figure(
        "game",
        figure(paths, settings.lr),
        caption="The equilibrium is in the middle. Left: where the players go. Right: looking ahead alone lies on simultaneous play.",
    )
    return report
