"""The best discriminator is p/(p+q): the game is worth a Jensen-Shannon divergence, and one loss still pulls."""

import math
from dataclasses import dataclass

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.distributions import Normal

from gradatim.generative import (
    bayes_discriminator,
    discriminator_loss,
    game_value,
    jensen_shannon,
    minimax_loss,
    non_saturating_loss,
)
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("K2",)
KEYWORDS = "generative adversarial network GAN, Jensen-Shannon divergence, non-saturating loss"
SURE = 1e-15  # as near as a discriminator comes to 0 and 1 where one of both densities is next to nothing
SHIFTS = (0.0, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    steps: int = 2000
    rows: int = 4096
    width: int = 32
    cells: int = 2001


QUICK = Settings(steps=400, rows=2048)


def densities(cells: int, shift: float = 1.5) -> tuple[Tensor, Tensor, Tensor]:
    """Places, and log-densities of data N(0, 1) and samples N(shift, 0.7²) there."""
    x = torch.linspace(-7, 9, cells, dtype=torch.float64)
    return x, Normal(0.0, 1.0).log_prob(x), Normal(shift, 0.7).log_prob(x)


def probabilities(log_density: Tensor) -> Tensor:
    """Probabilities of the cells of a grid."""
    return log_density.softmax(0)


def best_discriminator(log_p: Tensor, log_q: Tensor) -> Tensor:
    """The best discriminator, never quite sure: its logarithms are finite."""
    return bayes_discriminator(log_p, log_q).clamp(SURE, 1 - SURE)


def learn(settings: Settings) -> nn.Module:
    """Train a discriminator on fresh draws of both."""
    with seeded(settings.seed):
        network = MLP((1, settings.width, settings.width, 1), activation="tanh")
        rule = torch.optim.Adam(network.parameters(), lr=1e-2)
        fade = torch.optim.lr_scheduler.CosineAnnealingLR(rule, settings.steps)
        for _ in range(settings.steps):
            real, fake = torch.randn(settings.rows, 1), 1.5 + 0.7 * torch.randn(settings.rows, 1)
            rule.zero_grad()
            discriminator_loss(network(real), network(fake)).backward()
            rule.step()
            fade.step()
    return network.eval()


def claim_best(report: Report, p: Tensor, q: Tensor, best: Tensor, seed: int) -> None:
    """What theory says of the best discriminator, on a grid."""
    value = float(game_value(p, q, best))
    divergence = float(jensen_shannon(p, q))
    report.claim("against the best discriminator the game is worth D_JS − log 2", value, near=(divergence - math.log(2), 1e-9))  # fmt: skip
    without_halves = float((p * best.log()).sum() + (q * (1 - best).log()).sum())
    report.claim(
        "without the factors ½ it would be twice that",
        without_halves / value,
        "a derivation that loses them midway must find them again",
        near=(2.0, 1e-9),
    )
    with seeded(seed):
        others = [torch.sigmoid(torch.logit(best) + 0.3 * torch.randn(len(p)).double()).clamp(SURE, 1 - SURE) for _ in range(50)]  # fmt: skip
    report.claim("no other discriminator has more", max(float(game_value(p, q, d)) for d in others), below=value)  # fmt: skip


def slopes(logits: Tensor) -> dict[str, Tensor]:
    """Sizes of the gradients of both generator losses in the logit of one sample."""
    found = {}
    for name, loss in (("log(1 − D)", minimax_loss), ("−log D", non_saturating_loss)):
        f = logits.clone().requires_grad_()
        loss(f).mul(len(f)).backward()
        assert f.grad is not None
        found[name] = f.grad.abs()
    return found


def claim_slopes(report: Report) -> None:
    """What the generator feels when its samples are recognized."""
    d = torch.tensor([1e-2, 1e-4, 1e-6], dtype=torch.float64)
    found = slopes(torch.logit(d))
    gap = float((found["log(1 − D)"] / d - 1).abs().max())
    report.claim("the slope of log(1 − D) dies out like D as D(G(z)) → 0", gap, "relative error of D, down to D = 1e-6", at_most=1e-6)  # fmt: skip
    report.claim("the slope of −log D stays", float(found["−log D"].min()), "1 − D", at_least=0.99)
    near_one = slopes(torch.logit(1 - d))
    report.claim(
        "as D(G(z)) → 1 it is the other way round",
        float(near_one["−log D"].max()),
        "slope of −log D: it helps where samples are poor, not where they are good",
        at_most=0.011,
    )


def figure(x: Tensor, log_p: Tensor, log_q: Tensor, learned: Tensor) -> Figure:
    """The densities with both discriminators, and the two slopes."""
    seen = (x > -4) & (x < 5)
    best = bayes_discriminator(log_p, log_q)
    curves = {
        "data p": (x[seen], log_p.exp()[seen]),
        "samples q": (x[seen], log_q.exp()[seen]),
        "learned D": (x[seen], learned[seen]),
    }
    d = torch.logspace(-4, -0.005, 200, dtype=torch.float64)
    return curve_panels(
        [
            CurvePanel("The best discriminator", "x", "density, probability", curves, {"p / (p + q)": (x[seen], best[seen])}),
            CurvePanel("What the generator feels", "D(G(z))", "size of the slope in the logit", {name: (d, own) for name, own in slopes(torch.logit(d)).items()}, is_log_x=True),
        ],
        width=5.2,
        height=4.0,
    )  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="What a discriminator learns, and what it is worth",
        summary="A network trained to tell data from samples finds p/(p+q); against it the generator minimizes a Jensen-Shannon "
        "divergence. Where samples are recognized at once, log(1 − D) has no slope left and −log D has all of it.",
    )
    x, log_p, log_q = densities(settings.cells)
    p, q = probabilities(log_p), probabilities(log_q)
    best = best_discriminator(log_p, log_q)
    claim_best(report, p, q, best, settings.seed)
    network = learn(settings)
    with torch.inference_mode():
        learned = torch.sigmoid(network(x.float()[:, None])[:, 0].double()).clamp(SURE, 1 - SURE)
    error = float(((p + q) / 2 * (learned - best).abs()).sum())
    report.claim("a trained network finds p / (p + q)", error, "mean absolute error where points fall", at_most=0.02)  # fmt: skip
    gap = float(game_value(p, q, best) - game_value(p, q, learned))
    report.claim("its value is a bound from below, and close", gap, "what it misses, in nats", above=0.0, below=0.003)  # fmt: skip
    claim_slopes(report)
    rows = []
    for shift in SHIFTS:
        _, own_p, own_q = densities(settings.cells, shift)
        both = probabilities(own_p), probabilities(own_q)
        rows.append([shift, float(jensen_shannon(*both)), float(game_value(*both, best_discriminator(own_p, own_q)))])  # fmt: skip
    report.table(
        "The value of the game as samples move away from the data",
        columns=["mean of the samples", "Jensen-Shannon divergence", "value of the game"],
        rows=rows,
    )
    report.figure("discriminator", figure(x, log_p, log_q, learned), caption="Left: densities, and the discriminator that was learned from draws. Right: slopes of the generator's two losses in the logit.")  # fmt: skip
    return report
