"""Tuning that learns from past trials needs a fraction of the evaluations of random search."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import norm, qmc

from gradatim.bayes import GaussianProcessRegressor, Matern
from gradatim.experiments._digits import split_digits
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.training import train_replicas

COVERS = ("D9", "J2")
KEYWORDS = "Bayesian optimization, hyperparameter optimization, hyperparameter tuning, surrogate model, Gaussian process, acquisition function, expected improvement, upper confidence bound UCB, exploration and exploitation, random search, grid search"
Array = NDArray[np.float64]
Regrets = dict[
    str, Array
]  # by way of search: how far the best value so far is from the lowest, (repeats, trials)
Objective = Callable[[Array], Array]  # points (N, d) of the unit cube to values (N,)
LENGTHS = (0.1, 0.2, 0.4, 0.8)  # of the unit cube
LOWEST_FORRESTER, LOWEST_BRANIN = -6.020740, 0.397887


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    steps: int = 8
    repeats: int = 20
    trials: int = 30
    candidates: int = 2048
    grid: int = 15
    epochs: int = 20


QUICK = Settings(repeats=5, trials=25, candidates=512, grid=7, epochs=6)


def forrester(x: Array) -> Array:
    """Two valleys on a line, the lower one narrow."""
    z = x[:, 0]
    return (6 * z - 2) ** 2 * np.sin(12 * z - 4)


def branin(x: Array) -> Array:
    """Three equally low valleys in the plane."""
    a, b = 15 * x[:, 0] - 5, 15 * x[:, 1]
    valley = b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6
    return valley**2 + 10 * (1 - 1 / (8 * math.pi)) * np.cos(a) + 10


def expected_improvement(mean: Array, std: Array, best: float) -> Array:
    r"""How much lower than the best value a point is, on average, zero where it is not.

    .. math:: \mathrm{EI}=(f^*-\mu)\,\Phi(z)+\sigma\,\varphi(z), \qquad z=\frac{f^*-\mu}{\sigma}

    Args:
        mean: :math:`\mu`, shape ``(N,)``.
        std: :math:`\sigma`, shape ``(N,)``.
        best: :math:`f^*`, the lowest value so far.
    """
    sigma = np.maximum(std, 1e-12)
    z = (best - mean) / sigma
    return np.maximum((best - mean) * norm.cdf(z) + sigma * norm.pdf(z), 0.0)


def confidence_bound(mean: Array, std: Array, best: float, kappa: float = 2.0) -> Array:
    r"""How low a point may well be, :math:`-(\mu-\kappa\sigma)`; a maximizer takes :math:`\mu+\kappa\sigma`.

    Args:
        mean: :math:`\mu`, shape ``(N,)``.
        std: :math:`\sigma`, shape ``(N,)``.
        best: Not needed; every rule is called alike.
        kappa: :math:`\kappa`, what uncertainty is worth.
    """
    return kappa * std - mean


RULES = {"expected improvement": expected_improvement, "confidence bound": confidence_bound}


def surrogate(X: Array, y: Array) -> GaussianProcessRegressor:
    """A process without noise whose length has the most evidence of a few: few trials say little, and a free one goes astray."""
    noise = 1e-6 * max(float(np.var(y)), 1e-12)
    processes = [GaussianProcessRegressor(Matern(2.5, length=length), noise=noise, optimize=False, normalize_y=True).fit(X, y) for length in LENGTHS]  # fmt: skip
    return max(processes, key=lambda process: process.log_marginal_likelihood_)


def search(f: Objective, starts: Array, candidates: Array, trials: int, rule: str) -> tuple[Array, Array]:  # fmt: skip
    """Points tried and their values: the starts, then always the candidate that the rule likes best."""
    X, y = starts, f(starts)
    while len(y) < trials:
        mean, std = surrogate(X, y).predict(candidates, return_std=True)
        chosen = candidates[[int(RULES[rule](mean, std, float(y.min())).argmax())]]
        X, y = np.concatenate([X, chosen]), np.concatenate([y, f(chosen)])
    return X, y


def check_formula(report: Report, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mean, std = rng.normal(size=20), rng.uniform(0.3, 1.5, 20)
    draws = mean + std * rng.normal(size=(200_000, 20))
    sampled = np.maximum(0.2 - draws, 0).mean(0)
    gap = np.abs(expected_improvement(mean, std, 0.2) - sampled).max()
    report.claim("the closed form of expected improvement is the mean over draws", gap, "largest difference", below=0.02)  # fmt: skip


def check_line(report: Report, settings: Settings) -> Figure:
    """A few steps on the line, from the same four starts."""
    starts, line = np.array([[0.05], [0.35], [0.65], [0.95]]), np.linspace(0, 1, 501)[:, None]
    trials = 4 + settings.steps
    X, y = search(forrester, starts, line, trials, "expected improvement")
    report.claim(f"{settings.steps} steps by expected improvement from 4 values", y.min() - LOWEST_FORRESTER, "above the minimum of the function on the line:", below=0.02)  # fmt: skip
    rng = np.random.default_rng(settings.seed)
    random = forrester(rng.uniform(size=(1000 * trials, 1))).reshape(1000, trials).min(1)
    report.claim(f"{trials} random points", float(np.median(random)) - LOWEST_FORRESTER, "above it, median of 1,000 draws:", above=0.2)  # fmt: skip
    known, std = surrogate(X, y).predict(X, return_std=True)
    report.claim("where the function is known nothing is left to expect", float(expected_improvement(known, std, float(y.min())).max()), "largest expected improvement there", below=0.02)  # fmt: skip
    return draw_steps(X, y, line)


def draw_steps(X: Array, y: Array, line: Array) -> Figure:
    """What is believed, what each rule makes of it, and where the next trial goes."""
    shown = [n for n in (4, 5, 7, len(y)) if n <= len(y)]
    figure, axes = new_figure(2, len(shown), 3.1 * len(shown), 5.0, sharex=True)
    truth, x = forrester(line), line[:, 0]
    for column, n in enumerate(shown):
        top, bottom = axes[0, column], axes[1, column]
        mean, std = surrogate(X[:n], y[:n]).predict(line, return_std=True)
        top.fill_between(x, mean - 2 * std, mean + 2 * std, color=PALETTE[0], alpha=0.2, linewidth=0, label="μ ± 2σ")  # fmt: skip
        top.plot(x, truth, ":", color=MUTED, label="function")
        top.plot(x, mean, color=PALETTE[0], label="surrogate μ")
        top.plot(X[:n, 0], y[:n], "o", color=INK, markersize=4, label="tried")
        top.set(title=f"after {n} trials", ylim=(-12, 26))
        for color, (name, rule) in zip(PALETTE[1:], RULES.items(), strict=False):
            value = rule(mean, std, float(y[:n].min()))
            value = (value - value.min()) / max(np.ptp(value), 1e-12)
            bottom.plot(x, value, color=color, label=name)
            bottom.plot(x[value.argmax()], 1.0, "v", color=color, markersize=7)
        bottom.set(xlabel="x", ylim=(-0.05, 1.45), yticks=[])
    axes[0, 0].legend(loc="upper left", fontsize=8)
    axes[1, 0].legend(loc="upper left", fontsize=8)
    axes[1, 0].set_ylabel("what a trial is worth")
    return figure


def compare(f: Objective, candidates: list[Array], lowest: float, settings: Settings) -> Regrets:
    """Search from six random candidates by each rule, and at random, as often as there are sets of candidates."""
    found: dict[str, list[Array]] = {"random search": [], **{rule: [] for rule in RULES}}
    for k, points in enumerate(candidates):
        order = np.random.default_rng([settings.seed, k]).permutation(len(points))[: settings.trials]  # fmt: skip
        found["random search"].append(f(points[order]))
        for rule in RULES:
            found[rule].append(search(f, points[order[:6]], points, settings.trials, rule)[1])  # fmt: skip
    return {rule: np.minimum.accumulate(np.array(y), axis=1) - lowest for rule, y in found.items()}  # fmt: skip


def claim_plane(report: Report, settings: Settings) -> Regrets:
    points = [qmc.Sobol(2, seed=1000 * settings.seed + k).random(settings.candidates) for k in range(settings.repeats)]  # fmt: skip
    regrets = compare(branin, points, LOWEST_BRANIN, settings)
    ends = {rule: float(np.median(r[:, -1])) for rule, r in regrets.items()}
    for rule, most in zip(RULES, (0.8, 1.0), strict=True):
        report.claim(f"function in the plane, {settings.trials} trials, {rule}", ends[rule] / ends["random search"], "of the regret of random search, medians", below=most)  # fmt: skip
    return regrets


def claim_network(report: Report, settings: Settings) -> Regrets:
    """Rate and weight decay of a network: every cell of a fine grid is trained once, then looked up."""
    (X, y), validation = split_digits(settings.seed, 0.5, is_flat=True)
    n = settings.grid
    rates, decays = np.logspace(-4, 0, n), np.logspace(-6, 0, n)
    cells = np.array([(i, j) for i in range(n) for j in range(n)])
    run = train_replicas(
        partial(MLP, (64, 32, 10)), (X, y), optimizer="adam", lr=rates[cells[:, 0]].tolist(), weight_decay=decays[cells[:, 1]].tolist(),
        epochs=settings.epochs, batch_size=64, seed=[settings.seed] * len(cells),
    )  # fmt: skip
    loss = torch.stack([torch.nn.functional.cross_entropy(out, validation[1]) for out in run.predict(validation[0])])  # fmt: skip
    table = np.log(np.nan_to_num(loss.numpy().astype(np.float64), nan=10.0, posinf=10.0).clip(max=10.0)).reshape(n, n)  # fmt: skip

    def look_up(x: Array) -> Array:
        i, j = np.rint(x * (n - 1)).astype(int).T
        return table[i, j]

    regrets = compare(look_up, [cells / (n - 1)] * settings.repeats, float(table.min()), settings)
    means = {rule: float(r[:, 6:].mean()) for rule, r in regrets.items()}
    report.claim("digits, rate and decay of a network: the mean regret of the search by expected improvement", means["expected improvement"] / means["random search"], "of that of random search", below=0.8)  # fmt: skip
    return regrets


def run(settings: Settings) -> Report:
    report = Report(
        title="Bayesian optimization",
        summary="A Gaussian process believes something of every place that was not tried, and says how surely. The next trial "
        "goes where most improvement is to be expected: few trials find what random search finds late.",
    )
    check_formula(report, settings.seed)
    steps = check_line(report, settings)
    plane, network = claim_plane(report, settings), claim_network(report, settings)
    trials = np.arange(1, settings.trials + 1)
    panels = [
        CurvePanel(title, "trials", label, {rule: (trials, middle(r, axis=0)) for rule, r in regrets.items()}, is_log_y=is_log)
        for title, label, regrets, middle, is_log in (
            ("A function in the plane", "median distance from the minimum", plane, np.median, True),
            ("Validation loss of a network", "log loss above that of the best cell", network, np.mean, False),
        )
    ]  # fmt: skip
    report.figure("steps", steps, caption="Top: what the surrogate believes after some trials. Bottom: what a trial would be worth, by two rules; triangles mark where each goes next.")  # fmt: skip
    report.figure("regret", curve_panels(panels, width=5.2), caption=f"The best value so far, over {settings.repeats} searches from six random trials each.")  # fmt: skip
    return report
