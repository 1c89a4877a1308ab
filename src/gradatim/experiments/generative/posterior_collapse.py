"""Why entries of a code fall silent: at which weight of the divergence, and what free bits do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.distributions import MultivariateNormal, kl_divergence

from gradatim.experiments._digits import split_digits
from gradatim.generative import (
    VAE,
    BoundObjective,
    Gaussian,
    elbo,
    gaussian_kl,
    importance_weighted_bound,
    keep_free_bits,
)
from gradatim.models import MLP
from gradatim.plots import CurvePanel, curve_panels, image_rows
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("K1",)
KEYWORDS = "variational autoencoder VAE, KL divergence, free bits, beta-VAE"
VARIANCES = (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.1, 0.1)  # of the data, by direction
NOISE = 0.2  # variance of the decoder
BETAS = (0.25, 1.0, 4.0, 16.0)
LATENT = 6


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 20_000
    steps: int = 2000
    epochs: int = 300


QUICK = Settings(rows=1_000, steps=450, epochs=30)


def draw_rows(settings: Settings) -> Tensor:
    """Gaussian rows, turned at random and off the origin."""
    g = torch.Generator().manual_seed(settings.seed)
    turn = torch.linalg.qr(torch.randn(8, 8, generator=g)).Q
    scaled = torch.randn(settings.rows, 8, generator=g) * torch.tensor(VARIANCES).sqrt()
    return (scaled @ turn.T + 1.0).double()


def expected_log_likelihood(vae: VAE, rows: Tensor) -> Tensor:
    r""":math:`\mathbb E_q[\log p(x \mid z)]` of a linear decoder, in closed form: nothing is drawn."""
    assert isinstance(vae.decoder, nn.Linear)
    W, b = vae.decoder.weight, vae.decoder.bias
    code = vae.encode(rows)
    errors = (rows - code.mean @ W.T - b).square().sum(1)
    errors = errors + code.log_variance.exp() @ W.square().sum(0)
    return -0.5 * (errors / NOISE + 8 * math.log(2 * math.pi * NOISE))


def exact_objective(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """The loss of a linear VAE without the noise of draws."""
    assert isinstance(model, VAE)
    kl = keep_free_bits(gaussian_kl(*model.encode(batch[0])), model.free_bits)
    return model.beta * kl - expected_log_likelihood(model, batch[0]).mean()


def train_linear(rows: Tensor, beta: float, settings: Settings, *, free_bits: float = 0.0) -> VAE:
    """A VAE of two linear maps, whose decoder has a fixed variance, at its best."""
    with seeded(settings.seed):
        likelihood = Gaussian(variance=NOISE, is_learned=False)
        encoder, decoder = nn.Linear(8, 2 * LATENT), nn.Linear(LATENT, 8)
        vae = VAE(encoder, decoder, LATENT, likelihood=likelihood, beta=beta, free_bits=free_bits)
    optimizer = torch.optim.LBFGS(
        vae.double().parameters(), max_iter=settings.steps, max_eval=2 * settings.steps, history_size=50,
        tolerance_grad=1e-9, tolerance_change=0, line_search_fn="strong_wolfe",
    )  # fmt: skip
    Trainer(vae, objective=exact_objective, optimizer=optimizer, epochs=1, batch_size=len(rows), progress=False).fit((rows, rows))  # fmt: skip
    return vae.eval()


@torch.no_grad()
def divergences(vae: VAE, rows: Tensor) -> Tensor:
    """Mean divergence from the prior of each entry of the code, largest first."""
    return gaussian_kl(*vae.encode(rows)).mean(0).sort(descending=True).values


def predicted_divergences(variances: Tensor, beta: float) -> Tensor:
    r"""What the best linear VAE has: :math:`D_i = \frac12\log\max(1, \lambda_i / \beta\sigma^2)`."""
    return 0.5 * (variances[:LATENT] / (beta * NOISE)).clamp(min=1.0).log()


@torch.no_grad()
def exact_parts(vae: VAE, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    r"""Log-likelihood, ELBO and :math:`D(q \,\|\, p(z \mid x))` of each row of a linear-Gaussian VAE, in closed form."""
    assert isinstance(vae.decoder, nn.Linear)
    W, b = vae.decoder.weight, vae.decoder.bias
    code = vae.encode(rows)
    spread = code.log_variance.exp()
    evidence = MultivariateNormal(b, W @ W.T + NOISE * torch.eye(8, dtype=W.dtype))
    covariance = torch.linalg.inv(torch.eye(LATENT, dtype=W.dtype) + W.T @ W / NOISE)
    posterior = MultivariateNormal((rows - b) @ W @ covariance / NOISE, covariance)
    bound = expected_log_likelihood(vae, rows) - gaussian_kl(*code).sum(1)
    gap = kl_divergence(MultivariateNormal(code.mean, torch.diag_embed(spread)), posterior)
    return evidence.log_prob(rows), bound, gap


def claim_bounds(report: Report, vae: VAE, rows: Tensor, settings: Settings) -> None:
    """The bounds of a linear VAE whose encoder is not the best one, against the known likelihood."""
    assert isinstance(vae.encoder, nn.Linear)
    with torch.no_grad():
        vae.encoder.bias.add_(0.5)
    evidence, bound, gap = exact_parts(vae, rows)
    report.claim(
        "log p(x) − ELBO = D(q(z | x) ‖ p(z | x)), for every row",
        float((evidence - bound - gap).abs().max()), "largest difference {}", below=1e-9,
    )  # fmt: skip
    g = torch.Generator().manual_seed(settings.seed)
    counts, few = (1, 4, 16, 64, 256), rows[:2000]
    with torch.no_grad():
        single = elbo(vae, few, samples=50, generator=g).bound
        means = [float(importance_weighted_bound(vae, few, k, generator=g).mean()) for k in counts]
    noise = float((single - bound[:2000]).std()) / 2000**0.5
    report.claim(
        "sampled, the ELBO is the same",
        abs(float((single - bound[:2000]).mean())) / noise, "standard errors {}", below=4.0,
    )  # fmt: skip
    truth = float(evidence[:2000].mean())
    gaps = [truth - mean for mean in means]
    report.claim(
        "importance samples close the gap, and the bound stays below the likelihood",
        ", ".join(f"{value:.3f}" for value in gaps), "gaps fall, the last below a tenth of the first",
        holds=gaps == sorted(gaps, reverse=True) and -0.01 < gaps[-1] < 0.1 * gaps[0],
    )  # fmt: skip
    panel = CurvePanel("Linear-Gaussian VAE, encoder off by half", "importance samples", "nats below log p(x)", {"measured": (counts, gaps)}, is_log_x=True, is_log_y=True)  # fmt: skip
    report.figure("bounds", curve_panels([panel], width=6.0), caption="One sample is the ELBO, which lacks the divergence of the encoder's guess from the posterior; more come near the likelihood.")  # fmt: skip


def claim_linear(report: Report, rows: Tensor, settings: Settings) -> list[VAE]:
    """Which entries a linear VAE uses, by the weight of the divergence."""
    variances = torch.linalg.eigvalsh(rows.T.cov(correction=0)).flip(0)
    models = [train_linear(rows, beta, settings) for beta in BETAS]
    found = torch.stack([divergences(vae, rows) for vae in models])
    theory = torch.stack([predicted_divergences(variances, beta) for beta in BETAS])
    report.claim(
        "of a linear VAE an entry has ½ log λ/βσ² nats, λ the variance of its direction",
        float((found - theory).abs().max()), "largest difference {} nats", below=0.01,
    )  # fmt: skip
    report.claim(
        "entries whose variance is below βσ² fall silent, no others",
        ", ".join(str(int(n)) for n in (found > 0.05).sum(1)), ", ".join(str(int(n)) for n in (theory > 0.05).sum(1)),
        holds=bool(((found > 0.05) == (theory > 0.05)).all()),
    )  # fmt: skip
    free = train_linear(rows, 4.0, settings, free_bits=0.3)
    report.claim(
        "with 0.3 free nats none does, at β = 4",
        float(divergences(free, rows).min()), "least divergence {} nats", above=0.25,
    )  # fmt: skip
    scale = np.array(BETAS)
    curves = {f"λ = {variances[k]:.2g}": (scale, found[:, k].numpy()) for k in range(LATENT)}
    line = np.geomspace(BETAS[0], BETAS[-1], 100)
    ideal = torch.stack([predicted_divergences(variances, float(beta)) for beta in line]).numpy()
    report.figure("linear", _linear_figure(curves, line, ideal), caption="Points: trained. Lines: theory. A direction whose variance is below β times the decoder's carries nothing.")  # fmt: skip
    return models


def train_digits(X: Tensor, beta: float, settings: Settings, *, free_bits: float = 0.0) -> VAE:
    """A VAE of the digits, with a hidden layer on each side."""
    with seeded(settings.seed):
        vae = VAE(MLP((64, 128, 16), activation="silu"), MLP((8, 128, 64), activation="silu"), 8, beta=beta, free_bits=free_bits)  # fmt: skip
    objective = BoundObjective(augment=torch.bernoulli)
    trainer = Trainer(vae, objective=objective, lr=3e-3, epochs=settings.epochs, batch_size=100, schedule="cosine", seed=settings.seed, progress=False)  # fmt: skip
    trainer.fit((X, X))
    return vae.eval()


def claim_digits(report: Report, settings: Settings) -> None:
    """The same of a VAE with hidden layers, on images."""
    (train, _), (grey, _) = split_digits(settings.seed, is_flat=True)
    test = torch.bernoulli(grey, generator=torch.Generator().manual_seed(settings.seed))
    names = [f"β = {beta:g}" for beta in BETAS]
    models = [train_digits(train, beta, settings) for beta in BETAS]
    names.append("β = 16, free bits")
    models.append(train_digits(train, BETAS[-1], settings, free_bits=0.5))
    g = torch.Generator().manual_seed(settings.seed)
    rows: list[list[object]] = []
    totals: list[float] = []
    bounds: list[float] = []
    for name, vae in zip(names, models, strict=True):
        with torch.no_grad():
            parts = elbo(vae, test, samples=10, generator=g)
        found = divergences(vae, test)
        totals.append(float(found.sum()))
        bounds.append(float(parts.bound.mean()))
        rows.append([name, bounds[-1], float(parts.log_likelihood.mean()), totals[-1], int((found > 0.05).sum())])  # fmt: skip
    report.table("Digits the models did not learn from, in nats", columns=["model", "ELBO", "log-likelihood given the code", "divergence", "entries in use"], rows=rows)  # fmt: skip
    sweep = totals[: len(BETAS)]
    report.claim(
        "with hidden layers too, the larger β the smaller the divergence",
        ", ".join(f"{value:.2f}" for value in sweep), "falls, until it is gone", holds=all(b < max(a, 0.05) for a, b in pairwise(sweep)),
    )  # fmt: skip
    report.claim("β = 1 has the best ELBO of them", bounds[1], "nats {}, the most of all β", at_least=max(bounds[: len(BETAS)]))  # fmt: skip
    means = train.mean(0).clamp(1e-3, 1 - 1e-3)
    alone = float((test * means.log() + (1 - test) * (1 - means).log()).sum(1).mean())
    report.claim(
        "at β = 16 all are silent, and what is left is a model of independent pixels",
        bounds[len(BETAS) - 1] - alone, "ELBO less their log-likelihood, nats", near=(0.0, 0.6),
    )  # fmt: skip
    report.claim("half a free nat each keeps all eight in use", rows[-1][4], "entries", equals=8)
    shown: dict[str, np.ndarray] = {"image": grey[:12].reshape(-1, 1, 8, 8).numpy()}
    with torch.no_grad():
        shown |= {name: vae(test[:12]).reshape(-1, 1, 8, 8).numpy() for name, vae in zip(names, models, strict=True)}  # fmt: skip
    report.figure("digits", image_rows(shown), caption="New digits, and what comes back of them. A silent code gives the mean of all digits.")  # fmt: skip


def run(settings: Settings) -> Report:
    report = Report(
        title="Posterior collapse",
        summary="An entry of the code is used where the variance that it explains is worth more than β times the decoder's.",
    )
    rows = draw_rows(settings)
    models = claim_linear(report, rows, settings)
    claim_bounds(report, models[1], rows, settings)
    claim_digits(report, settings)
    return report


def _linear_figure(
    curves: dict[str, tuple[np.ndarray, np.ndarray]], line: np.ndarray, ideal: np.ndarray
) -> Figure:
    panel = CurvePanel("Nats in each entry of the code", "β", "divergence from the prior", curves, is_log_x=True)  # fmt: skip
    figure = curve_panels([panel], width=7.0, height=4.2)
    (axes,) = figure.axes
    drawn: Sequence = axes.get_lines()
    for k, points in enumerate(list(drawn)[:LATENT]):
        axes.plot(line, ideal[:, k], color=points.get_color(), linewidth=1.2, zorder=1)
        points.set_linestyle("none")
    return figure
