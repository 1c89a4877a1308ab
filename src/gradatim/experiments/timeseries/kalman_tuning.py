"""What Q, R and P₀ do to a Kalman filter: trust, lag, forgetting, and how the data betray a wrong ratio."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.timeseries import Filtered, LinearDynamicalSystem

COVERS = ("F2",)
KEYWORDS = "linear dynamical system LDS, Kalman filter gain, state estimation problem, process noise, measurement noise, models with memory, probabilistic dynamical systems"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    sequences: int = 1000
    steps: int = 300
    state_noise: float = 0.1


QUICK = Settings(sequences=200, steps=200)


def random_walk(
    Q: float, R: float = 1.0, *, mean0: float = 0.0, cov0: float = 1.0
) -> LinearDynamicalSystem:
    """A state that wanders, seen through noise: A = C = 1."""
    one = torch.ones(1, 1, dtype=torch.float64)
    return LinearDynamicalSystem(one, one, Q * one, R * one, mean0 * one[0], cov0 * one)


def steady_prediction(Q: float, R: float) -> float:
    r"""Variance of the prediction in the long run, the positive root of :math:`P^2=Q(P+R)`."""
    return (Q + math.sqrt(Q * Q + 4 * Q * R)) / 2


def check_start(report: Report) -> None:
    """The first gain, the steady state, and how fast P₀ is forgotten."""
    y = torch.zeros(12, 1, dtype=torch.float64)
    wide, narrow = (random_walk(1.0, cov0=P0).filter(y) for P0 in (25.0, 0.25))
    P = [filtered.covariances[:, 0, 0] for filtered in (wide, narrow)]
    steady = random_walk(1.0).steady_state()
    predicted, gain = steady.predicted_covariance.item(), steady.gain.item()
    gap = (P[0] - P[1]).abs()
    rate = (gap[9] / gap[8]).item()
    report.claim("first gain with P₀ = 25, Q = R = 1", wide.gains[0].item(), near=(25 / 26, 1e-12))
    report.claim("variance after it", P[0][0].item(), near=(25 / 26, 1e-12))
    report.claim(
        "first gain with P₀ = 0.25", narrow.gains[0].item(), "0.25 / 1.25 =", near=(0.2, 1e-12)
    )
    report.claim("variance after it", P[1][0].item(), near=(0.2, 1e-12))
    report.claim(
        "variance of predictions in the long run",
        predicted,
        near=(steady_prediction(1.0, 1.0), 1e-12),
    )
    report.claim("gain in the long run", gain, near=((math.sqrt(5) - 1) / 2, 1e-12))
    report.claim("difference between the two variances after 12 steps", gap[-1].item(), below=1e-9)
    report.claim("and shrinks in a step to", rate, "(1 − 0.618)² =", near=((1 - gain) ** 2, 1e-4))


def check_wrong_guess(report: Report, settings: Settings) -> None:
    """A guess of 0 where the state begins near 5."""
    generator = torch.Generator().manual_seed(settings.seed)
    states, y = random_walk(settings.state_noise, mean0=5.0).simulate(40, settings.sequences, generator=generator)  # fmt: skip
    errors = {}
    for P0 in (25.0, 0.25):
        found = random_walk(settings.state_noise, cov0=P0).filter(y)
        errors[P0] = (found.means - states).square().mean((0, 2)).sqrt()
    first, later = [(errors[0.25][t] / errors[25.0][t]).item() for t in (2, 39)]
    report.claim("error after three steps: P₀ = 0.25 against 25", first, "{} times", at_least=2)
    report.claim("the same after forty", later, near=(1, 0.02))
    draw_start(report, errors, settings)


def draw_start(report: Report, errors: dict[float, Tensor], settings: Settings) -> None:
    steps, blank = np.arange(20), torch.zeros(20, 1, dtype=torch.float64)
    gains: dict[str, tuple[np.ndarray, Tensor]] = {}
    for Q, P0 in ((1.0, 25.0), (1.0, 0.25), (0.1, 25.0), (0.1, 0.25), (0.01, 25.0)):
        found = random_walk(Q, cov0=P0).filter(blank)
        gains[Formula(f"Q = {Q:g}, $P_0$ = {P0:g}")] = (steps, found.gains[:, 0, 0])
    panels = [
        CurvePanel("Gain, R = 1", "time step", Formula("gain $K_t$"), gains),
        CurvePanel(
            f"A guess of 0 for a state near 5, Q = {settings.state_noise:g}", "time step", "error of the estimate",
            {Formula(f"$P_0$ = {P0:g}"): (steps, error[:20]) for P0, error in errors.items()},
        ),
    ]  # fmt: skip
    report.figure(
        "gains",
        curve_panels(panels, width=5.0),
        caption="Gains depend on Q, R and P₀ alone, not on the data. P₀ rules the first steps only: large, it lets "
        "the data correct a wrong guess at once; small, the guess lingers.",
    )


def innovations(model: LinearDynamicalSystem, y: Tensor, found: Filtered) -> Tensor:
    """What each observation added to the prediction, divided by its deviation, shape ``(B, T - 1)``."""
    predicted = found.means[:, :-1] @ model.A.T
    spread = model.A @ found.covariances[:, :-1] @ model.A.T + model.Q
    surprise = y[:, 1:] - predicted @ model.C.T
    return (surprise / (model.C @ spread @ model.C.T + model.R)[..., 0].sqrt())[..., 0]


def sweep(settings: Settings, factors: np.ndarray) -> dict[str, np.ndarray]:
    """Filter the same data with Q too small, right and too large."""
    generator = torch.Generator().manual_seed(settings.seed + 1)
    true = random_walk(settings.state_noise)
    states, y = true.simulate(settings.steps, settings.sequences, generator=generator)
    rows = []
    for factor in factors:
        model = random_walk(settings.state_noise * float(factor))
        found = model.filter(y)
        z = innovations(model, y, found)
        error = (found.means - states)[:, 20:].square().mean()
        claimed = found.covariances[:, 20:].mean()
        rows.append([
            ((z[:, 1:] * z[:, :-1]).mean() / z.square().mean()).item(),
            found.log_likelihood.mean().item() / settings.steps,
            error.item(),
            (error / claimed).item(),
        ])  # fmt: skip
    table = np.array(rows).T
    return dict(zip(("correlation", "likelihood", "error", "honesty"), table, strict=True))


def check_ratio(report: Report, settings: Settings) -> None:
    factors = np.logspace(-2, 2, 17)
    found, middle = sweep(settings, factors), len(factors) // 2
    correlation, honesty = found["correlation"], found["honesty"]
    limit = 4 / math.sqrt(settings.sequences * settings.steps)
    peak, least = factors[found["likelihood"].argmax()], factors[found["error"].argmin()]
    report.claim(
        "innovations at the right Q, correlation of neighbours",
        correlation[middle],
        near=(0, limit),
    )
    report.claim("with a hundredth of Q", correlation[0], "{}: the filter lags", above=0.2)
    report.claim("with a hundred times Q", correlation[-1], "{}: it chases the noise", below=-0.2)
    report.claim("log-likelihood is highest at", peak, "{} × the true Q", near=(1, 1e-9))
    report.claim("error of the estimate is least at", least, "{} × the true Q", above=0.5, below=2)
    report.claim(
        "squared error against the variance the filter claims", honesty[middle], near=(1, 0.03)
    )
    report.claim("the same with a hundredth of Q", honesty[0], "{}: far too sure", above=5)
    zero = (factors, np.zeros_like(factors))
    label = "Q of the filter / true Q"
    panels = [
        CurvePanel("Innovations", label, "correlation of neighbours", {"measured": (factors, correlation)}, {"white": zero}, is_log_x=True),
        CurvePanel("Likelihood", label, "log-likelihood per step", {"": (factors, found["likelihood"])}, is_log_x=True),
        CurvePanel("Error", label, "mean squared error", {"measured": (factors, found["error"]), "claimed by the filter": (factors, found["error"] / honesty)}, is_log_x=True, is_log_y=True),
    ]  # fmt: skip
    report.figure(
        "ratio",
        curve_panels(panels, width=4.2),
        caption="Nobody needs to know the state to find the ratio: at the right one innovations are white and "
        "the likelihood is highest.",
    )


def draw_traces(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed + 2)
    states, y = random_walk(settings.state_noise).simulate(80, generator=generator)
    traces = {}
    for words, Q, R in (
        ("Q large, R small: follows every measurement", 10 * settings.state_noise, 0.1),
        ("Q and R as they are", settings.state_noise, 1.0),
        ("Q small, R large: smooth and late", settings.state_noise / 10, 10.0),
    ):
        model = random_walk(Q, R)
        found, gain = model.filter(y), model.steady_state().gain.item()
        traces[f"{words} (K → {gain:.2f})"] = (found.means[:, 0], found.covariances[:, 0, 0].sqrt())
    report.figure(
        "traces",
        filter_traces(states[:, 0], y[:, 0], traces),
        caption="Only the ratio of Q to R sets the gain; their size sets the width of the band.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Tuning a Kalman filter",
        summary="The ratio of Q to R decides how much a measurement counts, P₀ only how long the first guess does. "
        "A wrong ratio shows in the innovations and in the likelihood.",
    )
    check_start(report)
    check_wrong_guess(report, settings)
    check_ratio(report, settings)
    draw_traces(report, settings)
    return report


def filter_traces(
    truth: ArrayLike, observations: ArrayLike, estimates: Mapping[str, tuple[ArrayLike, ArrayLike]]
) -> Figure:
    """Draw what filters make of the same observations, each in a panel with a band of two deviations.

    Args:
        truth: True states, shape ``(T,)``.
        observations: What was seen, shape ``(T,)``.
        estimates: For each filter the means and the standard deviations, shape ``(T,)`` each.

    Example:
        >>> figure = filter_traces([0, 1], [0.2, 0.9], {"K = 0.6": ([0.1, 0.6], [0.5, 0.4])})
        >>> figure.axes[0].get_title()
        'K = 0.6'
    """
    if not estimates:
        raise InvalidValue("filter_traces: estimates must hold a filter, got none.")
    figure, axes = new_figure(len(estimates), 1, 7.5, 2.1 * len(estimates) + 0.6, sharex=True, sharey=True)  # fmt: skip
    for panel, (label, (mean, deviation)) in zip(np.ravel(axes), estimates.items(), strict=True):
        centre, reach = np.asarray(mean, dtype=float), 2 * np.asarray(deviation, dtype=float)
        steps = np.arange(len(centre))
        panel.fill_between(steps, centre - reach, centre + reach, color=PALETTE[0], alpha=0.18, linewidth=0, label="± 2 deviations")  # fmt: skip
        panel.plot(steps, observations, ".", color=PALETTE[1], markersize=5, label="observed")
        panel.plot(steps, truth, color=INK, linewidth=1.3, label="truth")
        panel.plot(steps, centre, color=PALETTE[0], linewidth=2.0, label="filter")
        panel.set(title=label, ylabel="state")
    panel.set_xlabel("time step")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure
