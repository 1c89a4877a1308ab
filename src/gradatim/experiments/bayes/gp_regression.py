"""Functions with a prior: what a Gaussian process says, how it learns, and what a wrong kernel breaks."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import chi2, multivariate_normal, norm

from gradatim.bayes import (
    RBF,
    GaussianProcessRegressor,
    Kernel,
    Matern,
    NetworkKernel,
    SparseGaussianProcessRegressor,
)
from gradatim.experiments.bayes._gp_figures import Evidences, figure_of_learning, figure_of_limits
from gradatim.reports import Report
from gradatim.theory import analytic_kernels, kernel_regression, log_log_slope

COVERS = ("J2",)
KEYWORDS = "Gaussian process, kernel, marginal likelihood, prior over functions"
Array = NDArray[np.float64]
NOISE = 0.04  # variance
LENGTH = 1.0  # of the process that is true


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 60
    draws: int = 4000
    functions: int = 300
    points: tuple[int, ...] = (5, 8, 10, 12, 15, 18, 21, 25)
    rows_of_many: int = 800
    widths: tuple[int, ...] = (300, 1000, 3000, 10_000)
    networks: int = 30


QUICK = Settings(draws=2000, functions=150, rows_of_many=400, widths=(300, 1000, 3000))


def draw_functions(kernel: Kernel, x: Array, count: int, seed: int) -> Array:
    """Functions of the prior at places ``x``, shape ``(len(x), count)``."""
    K = kernel(torch.from_numpy(x[:, None])) + 1e-9 * torch.eye(len(x)).double()
    noise = np.random.default_rng(seed).normal(size=(len(x), count))
    return torch.linalg.cholesky(K).numpy() @ noise


def draw_data(settings: Settings, rows: int | None = None) -> tuple[Array, Array]:
    """A function of the true prior with noise, at random places of [0, 10]."""
    draw = np.random.default_rng(settings.seed)
    x = np.sort(draw.uniform(0, 10, rows or settings.rows))
    f = draw_functions(RBF(length=LENGTH), x, 1, settings.seed + 1)[:, 0]
    return x[:, None], f + math.sqrt(NOISE) * draw.normal(size=len(x))


def fixed(kernel: Kernel, X: Array, y: Array, noise: float = NOISE) -> GaussianProcessRegressor:
    return GaussianProcessRegressor(kernel, noise=noise, optimize=False).fit(X, y)


def claim_prior(report: Report, settings: Settings) -> None:
    """The kernel is the covariance of the functions, and its length tells how often they cross zero."""
    x = np.linspace(0, 10, 201)
    for length in (0.5, 1.0, 2.0):
        f = draw_functions(RBF(length=length), x, settings.draws, settings.seed)
        lag = round(length / 0.05)
        if length == LENGTH:
            measured = float(np.mean(f[:-lag] * f[lag:]))
            report.claim("values of prior functions a length apart", measured, "covariance, e^-½:", near=(math.exp(-0.5), 0.04))  # fmt: skip
        crossings = float(np.mean(np.sum(f[:-1] * f[1:] < 0, axis=0))) / 10
        exact = 1 / (math.pi * length)
        report.claim(f"zeros of functions with length {length:g}, by Rice's formula 1/(πℓ)", crossings, "a unit,", near=(exact, 0.04 * exact))  # fmt: skip


def claim_posterior(report: Report, X: Array, y: Array) -> None:
    """What is predicted is the normal distribution of values given others, by the joint covariance."""
    new = np.array([[0.33], [5.05], [9.7], [40.0]])
    mean, std = fixed(RBF(length=LENGTH), X, y).predict(new, return_std=True)
    gaps = np.concatenate([X, new]) - np.concatenate([X, new]).T
    joint = np.exp(-(gaps**2) / 2) + np.diag([NOISE] * len(X) + [0.0] * len(new))
    precision = np.linalg.inv(joint)[len(X) :, len(X) :]  # of what is new, given the rest
    by_hand = -np.linalg.solve(precision, np.linalg.inv(joint)[len(X) :, : len(X)] @ y)
    worst = max(np.abs(mean - by_hand).max(), np.abs(std**2 - np.diag(np.linalg.inv(precision))).max())  # fmt: skip
    report.claim("mean and variance are those of the joint normal distribution, given the data", worst, "largest difference", below=1e-6)  # fmt: skip
    report.claim("far from the data the prior is back", float(std[-1]), "std", near=(1.0, 1e-6))
    report.claim("and the mean is that of the prior", float(mean[-1]), "mean", near=(0.0, 1e-6))


def claim_evidence(report: Report, X: Array, y: Array) -> Evidences:
    """The evidence of a length, by the formula of the normal density, and what the search finds."""
    lengths = np.geomspace(0.1, 10, 41)
    said = [fixed(RBF(length=own), X, y).log_marginal_likelihood_ for own in lengths]
    by_hand = [multivariate_normal(np.zeros(len(y)), np.exp(-(((X - X.T) / own) ** 2) / 2) + NOISE * np.eye(len(y))).logpdf(y) for own in lengths]  # fmt: skip
    report.claim("the evidence is the normal density of the targets", float(np.abs(np.subtract(said, by_hand)).max()), "largest difference", below=1e-6)  # fmt: skip
    learned = GaussianProcessRegressor(RBF(), noise=NOISE, restarts=2).fit(X, y)
    best = learned.kernel_
    assert isinstance(best, RBF)
    length = float(np.mean(best.length))  # the one of one column
    report.claim("what the search finds has more evidence than any of 41 lengths", learned.log_marginal_likelihood_ - max(said), "gain", at_least=0.0)  # fmt: skip
    wiggly = max(said) - said[0]
    report.claim("a length ten times too short is refuted: it could explain anything", wiggly, "lost evidence", above=10.0)  # fmt: skip
    report.claim("one ten times too long as well: it explains nothing else", max(said) - said[-1], "lost evidence", above=10.0)  # fmt: skip
    return Evidences(lengths, np.array(said), length, learned.log_marginal_likelihood_)


def claim_lengths(report: Report, settings: Settings) -> None:
    """What is learned from many functions: the true length in the middle, as far off as Wilks' theorem lets it be."""
    lengths, lost = [], []
    for k in range(settings.functions):
        X, y = draw_data(replace(settings, seed=settings.seed + 1000 * k))
        learned = GaussianProcessRegressor(RBF(), noise=NOISE, restarts=0).fit(X, y)
        assert isinstance(learned.kernel_, RBF)
        lengths.append(float(np.mean(learned.kernel_.length)))
        truth = fixed(RBF(length=LENGTH), X, y).log_marginal_likelihood_
        lost.append(learned.log_marginal_likelihood_ - truth)
    report.claim(f"half of the lengths learned from {len(lengths)} functions lie below the true one", float(np.median(lengths)), "median", near=(LENGTH, 0.08))  # fmt: skip
    inside = float(np.mean(np.array(lost) < chi2(2).ppf(0.95) / 2))
    chance = 4 * math.sqrt(0.95 * 0.05 / len(lost))  # four standard errors
    report.claim("the truth has 3.0 less evidence at most than what is learned: for 95 %, by Wilks' theorem", inside, "of functions", near=(0.95, chance))  # fmt: skip


def claim_leave_one_out(report: Report, X: Array, y: Array) -> None:
    found, worst = fixed(Matern(2.5), X, y).leave_one_out(), 0.0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        mean, std = fixed(Matern(2.5), X[rest], y[rest]).predict(X[i : i + 1], return_std=True)
        worst = max(worst, abs(found.means[i] - mean[0]), abs(found.variances[i] - std[0] ** 2 - NOISE))  # fmt: skip
    report.claim(f"leaving one row out, from one factor, is {len(y)} fits without it", worst, "largest difference", below=1e-8)  # fmt: skip


def claim_network(report: Report, settings: Settings) -> list[float]:
    """A process with the kernel of a network of infinite width, and wide networks whose last layer learns."""
    X, y = draw_data(settings)
    scaled, new = X / 5 - 1, np.linspace(-1, 1, 50)[:, None]
    kernel = NetworkKernel(depth=2, weight_variance=2.0, bias_variance=0.5)
    mean = fixed(kernel, scaled, y).predict(new)
    K, k = (analytic_kernels(a, torch.from_numpy(scaled), weight_variance=2.0, bias_variance=0.5).nngp for a in map(torch.from_numpy, (scaled, new)))  # fmt: skip
    exact = kernel_regression(K, torch.from_numpy(y), k, ridge=NOISE).numpy()
    report.claim("a process with NetworkKernel is the kernel regression of an infinitely wide network", float(np.abs(mean - exact).max()), "largest difference", below=1e-7)  # fmt: skip
    gaps = []
    for width in settings.widths:
        errors = [last_layer(scaled, y, new, width, settings.seed + k) - mean for k in range(settings.networks)]  # fmt: skip
        gaps.append(float(np.sqrt(np.mean(np.square(errors)))))
    slope = log_log_slope(settings.widths, gaps)
    report.claim("random networks whose last layer learns come to it as width^-½", slope, "power of the width", near=(-0.5, 0.2))  # fmt: skip
    return gaps


def last_layer(X: Array, y: Array, new: Array, width: int, seed: int) -> Array:
    """What a network of random hidden units says whose last layer has a Gaussian prior and sees the data."""
    draw = np.random.default_rng(seed)
    w, b = math.sqrt(2.0) * draw.normal(size=(1, width)), math.sqrt(0.5) * draw.normal(size=width)
    hidden, ahead = (np.maximum(a @ w + b, 0.0) * math.sqrt(2.0 / width) for a in (X, new))
    K = hidden @ hidden.T + 0.5 + NOISE * np.eye(len(X))
    return (ahead @ hidden.T + 0.5) @ np.linalg.solve(K, y)


def claim_inducing(report: Report, settings: Settings) -> list[float]:
    """The bound of a process that knows its values at few points."""
    X, y = draw_data(settings, settings.rows_of_many)
    kernel = RBF(length=LENGTH)
    exact = fixed(kernel, X, y).log_marginal_likelihood_
    bounds = [SparseGaussianProcessRegressor(kernel, num_inducing=m, noise=NOISE, optimize=False).fit(X, y).bound_ for m in settings.points]  # fmt: skip
    gaps = [exact - bound for bound in bounds]
    report.claim("the bound with inducing points never exceeds the evidence", min(gaps), "smallest gap", at_least=-1e-3)  # fmt: skip
    falls = all(b <= a + 1e-3 for a, b in pairwise(gaps))
    report.claim("it rises with their number", falls, equals=True)
    report.claim(f"and {settings.points[-1]} points say of {len(y)} rows what all of them say", gaps[-1], "missing evidence", below=0.05)  # fmt: skip
    report.table("Evidence that inducing points miss", columns=["points", "bound", "gap"], rows=list(zip(settings.points, bounds, gaps, strict=True)))  # fmt: skip
    return gaps


def claim_coverage(report: Report, settings: Settings) -> dict[str, float]:
    """How often 95 % intervals of new observations hold them, over functions of the true prior."""
    names = {"right kernel": 0.95, "length learned": 0.95, "length × 4": 0.0, "length ÷ 4": 1.0}
    inside: dict[str, list[float]] = {name: [] for name in names}
    widths: dict[str, list[float]] = {name: [] for name in names}
    half, draw = float(norm.ppf(0.975)), np.random.default_rng(settings.seed + 5)
    for k in range(settings.functions):
        x = draw.uniform(0, 10, 60)
        y = draw_functions(RBF(length=LENGTH), x, 1, settings.seed + 1000 * k)[:, 0]
        y += math.sqrt(NOISE) * draw.normal(size=60)
        X, new, later = x[:30, None], x[30:, None], y[30:]
        for name in names:
            factor = {"length × 4": 4.0, "length ÷ 4": 0.25}.get(name, 1.0)
            process = fixed(RBF(length=factor * LENGTH), X, y[:30])
            if name == "length learned":
                process = GaussianProcessRegressor(RBF(), restarts=0).fit(X, y[:30])
            mean, std = process.predict(new, return_std=True)
            radius = half * np.sqrt(std**2 + process.noise_)
            inside[name].append(float(np.mean(np.abs(later - mean) < radius)))
            widths[name].append(float(np.mean(2 * radius)))
    found = {name: float(np.mean(own)) for name, own in inside.items()}
    report.claim("with the right kernel, 95 % intervals hold", found["right kernel"], "of new observations", near=(0.95, 0.02))  # fmt: skip
    report.claim("with a length and noise learned from 30 rows, nearly", found["length learned"], "of new observations", near=(0.93, 0.04))  # fmt: skip
    report.claim("with a length four times too long, far too few: the band is narrow where the function is not known", found["length × 4"], "of new observations", below=0.7)  # fmt: skip
    report.claim("with one four times too short, enough", found["length ÷ 4"], "of new observations", above=0.93)  # fmt: skip
    wider = float(np.mean(widths["length ÷ 4"]) / np.mean(widths["right kernel"]))
    report.claim("which costs width", wider, "times the right one's,", above=1.3)
    report.table("95 % intervals of new observations", columns=["process", "coverage", "mean width"], rows=[[n, found[n], float(np.mean(widths[n]))] for n in names])  # fmt: skip
    return found


def run(settings: Settings) -> Report:
    report = Report(
        title="Gaussian-process regression",
        summary="A kernel is a prior over functions; data turn it into predictions with their uncertainty, and the evidence chooses its "
        "length. Inducing points give a bound from below. The band keeps its promise if the kernel is right, and only then.",
    )
    X, y = draw_data(settings)
    claim_prior(report, settings)
    claim_posterior(report, X, y)
    evidences = claim_evidence(report, X, y)
    claim_lengths(report, settings)
    claim_leave_one_out(report, X, y)
    network = claim_network(report, settings)
    gaps = claim_inducing(report, settings)
    coverage = claim_coverage(report, settings)
    x = np.linspace(0, 10, 201)
    some = slice(0, len(y), 4)
    functions = draw_functions(RBF(length=LENGTH), x, 5, settings.seed + 3)
    process = GaussianProcessRegressor(RBF(), noise=NOISE, restarts=1).fit(X[some], y[some])
    caption = "Five functions of the prior; the same prior once it has seen dots, with three draws of the posterior and its 95 % band; the evidence of a length, by which the search chooses."  # fmt: skip
    report.figure("learning", figure_of_learning(x, functions, process, X[some], y[some], evidences), caption=caption)  # fmt: skip
    caption = "How far random networks of a width, whose last layer learns, are from the process of infinite width; evidence that inducing points miss; and how many new observations 95 % bands hold."  # fmt: skip
    report.figure("limits", figure_of_limits(settings.widths, network, settings.points, gaps, coverage), caption=caption)  # fmt: skip
    return report
