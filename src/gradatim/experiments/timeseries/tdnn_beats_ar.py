"""A time-delay network nears the noise where an autoregression cannot, and wins nothing on a linear series."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.experiments.timeseries._humidity import check_humidity
from gradatim.plots.bars import comparison_bars
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.timeseries import AR, TDNN, windows
from gradatim.training import Trainer

COVERS = ("F1",)
KEYWORDS = "time-delay neural network, feed-forward memoryless models, nonlinear autoregression, sliding window, humidity and temperature example, logical and, threshold"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    steps: int = 6000
    test_steps: int = 4000
    epochs: int = 60
    hidden: int = 64


QUICK = Settings(steps=2000, test_steps=2000, epochs=40)


class Rule(NamedTuple):
    """How a series goes on: the next value from the last ``order``, newest last, and the noise added to it."""

    order: int
    noise: float
    step: Callable[[Tensor], Tensor]


def ricker(past: Tensor) -> Tensor:
    """Logarithm of a population that grows 9-fold while small and starves when large (Ricker, 1954)."""
    return past[-1] + 2.2 * (1 - past[-1].exp())


def threshold(past: Tensor) -> Tensor:
    """A threshold autoregression: what lies above zero is pushed down, what lies below up (Tong, 1983)."""
    return torch.where(past[-2] > 0, 0.4 * past[-1] - 1.2, 0.6 * past[-1] + 1.2)


def mackey_glass(past: Tensor) -> Tensor:
    """Mackey and Glass's blood cells of 1977 with a delay of 17, in steps of one."""
    return 0.9 * past[-1] + 0.2 * past[-18] / (1 + past[-18] ** 10)


def linear(past: Tensor) -> Tensor:
    """A damped oscillation."""
    return 1.5 * past[-1] - 0.8 * past[-2]


RULES = {
    "Ricker population": Rule(1, 0.3, ricker),
    "threshold": Rule(2, 0.5, threshold),
    "Mackey-Glass": Rule(18, 0.01, mackey_glass),
    "linear": Rule(2, 0.3, linear),
}


def draw(rule: Rule, steps: int, generator: torch.Generator) -> Tensor:
    """Draw a series, after a thousand steps of warming up."""
    shocks = rule.noise * torch.randn(1000 + steps, generator=generator, dtype=torch.float64)
    past = list(0.5 + 0.1 * torch.randn(rule.order, generator=generator, dtype=torch.float64))
    for shock in shocks:
        past.append(rule.step(torch.stack(past[-rule.order :])) + shock)
    return torch.stack(past[-steps:])


class Contest(NamedTuple):
    """Both models of one series, and their one-step errors on held-out steps, in units of the noise."""

    series: Tensor
    ar: AR
    tdnn: Callable[[Tensor], Tensor]
    errors: dict[str, float]


def train_tdnn(train: Tensor, order: int, settings: Settings) -> Callable[[Tensor], Tensor]:
    """Train a network on standardized windows; returns one-step predictions from windows ``(N, order)``."""
    centre, scale = train.mean(), train.std()
    past, future = windows(((train - centre) / scale).float(), order)
    with seeded(settings.seed):
        model = TDNN(order, hidden=(settings.hidden,), activation="tanh")
    Trainer(
        model, "mse", lr=0.01, schedule="cosine", epochs=settings.epochs, batch_size=64, seed=settings.seed,
        progress=False,
    ).fit((past[..., None].contiguous(), future[:, None].contiguous()))  # fmt: skip

    @torch.inference_mode()
    def predict(windows: Tensor) -> Tensor:
        scaled = ((windows - centre) / scale).float()[..., None]
        return model(scaled)[:, 0, 0].double() * scale + centre

    return predict


def compete(rule: Rule, settings: Settings) -> Contest:
    generator = torch.Generator().manual_seed(settings.seed)
    series = draw(rule, settings.steps + settings.test_steps, generator)
    train, test = series[: settings.steps], series[settings.steps :]
    ar, tdnn = AR.fit(train, rule.order), train_tdnn(train, rule.order, settings)
    past, future = windows(test, rule.order)
    predictions = {
        "last value": past[:, -1],
        f"AR({rule.order})": ar.predict(test)[:-1],
        "TDNN": tdnn(past),
        "true rule": rule.step(past.T),
    }
    errors = {
        name: ((future[:, 0] - value).square().mean() / rule.noise**2).item()
        for name, value in predictions.items()
    }
    return Contest(series, ar, tdnn, errors)


def check_errors(report: Report, contests: dict[str, Contest]) -> None:
    for name, contest in contests.items():
        _, ar, tdnn, floor = contest.errors.values()
        left = (tdnn - floor) / (ar - floor)
        if name == "linear":
            report.claim("linear: AR reaches the noise", ar / floor, at_most=1.02)
            report.claim("linear: TDNN wins nothing", tdnn / ar, "{} of AR's error", at_least=0.99)
            continue
        report.claim(f"{name}: avoidable error of AR that TDNN leaves", left, at_most=1 / 3)
        report.claim(
            f"{name}: TDNN near the noise", tdnn / floor, "{} of the true rule's error", at_most=1.5
        )
    report.table(
        "Mean squared error of one step on held-out data, in variances of the noise",
        columns=["series", "order", "last value", "AR", "TDNN", "true rule"],
        rows=[[name, RULES[name].order, *c.errors.values()] for name, c in contests.items()],
    )
    bars = {
        f"{name}, {model}": contest.errors[model]
        for name, contest in contests.items()
        for model in list(contest.errors)[1:3]
    }
    report.figure(
        "errors",
        comparison_bars(bars, label="one-step error on held-out data; the noise alone is 1"),
        caption="Squared errors in variances of the noise, below which nobody can go. Where the rule is "
        "linear, the autoregression is there already.",
    )


def draw_map(report: Report, contest: Contest, settings: Settings) -> None:
    test = contest.series[settings.steps :]
    grid = torch.linspace(test.min().item(), test.max().item(), 200, dtype=torch.float64)
    report.figure(
        "return-map",
        return_map(
            test[:-1],
            test[1:],
            {
                "AR(1)": (grid, contest.ar.intercept + contest.ar.coefficients[0, 0, 0] * grid),
                "TDNN": (grid, contest.tdnn(grid[:, None])),
                "true rule": (grid, ricker(grid[None])),
            },
            xlabel="log population",
            ylabel="a year later",
        ),
        caption="Small populations grow, large ones starve: no straight line can say so.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="A time-delay network against an autoregression",
        summary="Both see the same window of the past. The network may bend: on series with a curved rule it "
        "comes near the noise; on a linear series the autoregression is already there.",
    )
    contests = {name: compete(rule, settings) for name, rule in RULES.items()}
    check_errors(report, contests)
    draw_map(report, contests["Ricker population"], settings)
    check_humidity(report, settings.seed, 2 * settings.steps)
    return report


def return_map(
    past: ArrayLike,
    future: ArrayLike,
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    xlabel: str = Formula("$x_{t-1}$"),
    ylabel: str = Formula("$x_t$"),
) -> Figure:
    """Draw each value against the one before it, and what models make of that.

    Args:
        past: Values before, shape ``(N,)``.
        future: Values that followed, shape ``(N,)``.
        curves: Places and predictions of each model; the last is the truth, drawn dashed.
        xlabel: What the values before are.
        ylabel: What the values after are.

    Example:
        >>> figure = return_map([0, 1], [1, 0], {"AR": ([0, 1], [1, 0]), "truth": ([0, 1], [1, 0])})
        >>> [line.get_label() for line in figure.axes[0].lines]
        ['observed', 'AR', 'truth']
    """
    figure, panel = new_figure(width=6.0, height=4.3)
    panel.plot(past, future, ".", color="#A9B0BA", markersize=3.5, alpha=0.6, label="observed")
    for place, (label, (x, y)) in enumerate(curves.items()):
        is_last = place == len(curves) - 1
        panel.plot(
            x, y, "--" if is_last else "-", label=label, linewidth=1.5 if is_last else 2.4,
            color=INK if is_last else PALETTE[(1, 0)[place] if place < 2 else place],
        )  # fmt: skip
    panel.set(xlabel=xlabel, ylabel=ylabel)
    panel.legend()
    return figure
