"""Bias² + variance + noise is the error: narrow networks are biased, wide ones vary."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.estimators import NeuralRegressor
from gradatim.evaluation import BiasVariance, bias_variance
from gradatim.plots.evaluation import fitted_functions
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("D9",)
KEYWORDS = "bias-variance trade-off, model complexity vs. error curve, decomposition, capacity"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 30
    noise: float = 0.3
    repeats: int = 200
    epochs: int = 1500
    widths: tuple[int, ...] = (1, 2, 3, 4, 6, 10, 20, 50)


QUICK = Settings(repeats=40, epochs=500, widths=(1, 2, 4, 20))


def truth(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * np.pi * x) + 0.5 * x


def decompose(settings: Settings, grid: np.ndarray) -> dict[int, BiasVariance]:
    """Take the error of networks of every width apart."""

    def sample(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x = rng.uniform(0, 1, settings.rows)
        return x[:, None], truth(x) + settings.noise * rng.normal(size=settings.rows)

    parts: dict[int, BiasVariance] = {}
    for width in settings.widths:
        model = NeuralRegressor(
            (width,), activation="tanh", epochs=settings.epochs, batch_size=settings.rows,
            lr=0.03, seed=settings.seed,
        )  # fmt: skip
        parts[width] = bias_variance(
            model, sample, grid[:, None], truth(grid), noise=settings.noise**2,
            repeats=settings.repeats, seed=settings.seed,
        )  # fmt: skip
    return parts


def run(settings: Settings) -> Report:
    grid = np.linspace(0.02, 0.98, 97)
    parts = decompose(settings, grid)
    means = {width: part.means for width, part in parts.items()}
    report = Report(
        title="Bias and variance",
        summary="As a network widens, its bias vanishes and its variance grows; the sum of both and the "
        "noise is the error on fresh data.",
    )
    report.table(
        f"Networks with one hidden layer, {settings.repeats} training sets of {settings.rows} points",
        columns=["hidden units", "bias²", "variance", "noise", "sum", "measured error"],
        rows=[
            [w, m["bias²"], m["variance"], m["noise"], m["error"], parts[w].measured]
            for w, m in means.items()
        ],
    )
    check(report, parts)
    draw(report, parts, grid, settings.noise**2)
    return report


def check(report: Report, parts: dict[int, BiasVariance]) -> None:
    """State that the parts add up, and who is biased and who varies."""
    means = {width: part.means for width, part in parts.items()}
    gap = max(abs(m["bias²"] + m["variance"] + m["noise"] - m["error"]) for m in means.values())
    report.claim("the parts add up", gap, below=1e-12)
    off = max(abs(parts[w].measured / m["error"] - 1) for w, m in means.items())
    report.claim(
        "the sum is the error on fresh noisy data",
        expected="within 5 %",
        measured=f"{100 * off:.1f} %",
        holds=off < 0.05,
    )
    narrow, wide = min(parts), max(parts)
    report.claim(
        "a narrow network is biased",
        means[narrow]["bias²"] / means[wide]["bias²"],
        f"bias² of {narrow} unit(s) {{}} times that of {wide}",
        above=5,
    )
    report.claim(
        "a wide network varies",
        means[wide]["variance"] / means[narrow]["variance"],
        f"variance of {wide} units {{}} times that of {narrow}",
        above=1,
    )


def draw(report: Report, parts: dict[int, BiasVariance], grid: np.ndarray, noise: float) -> None:
    """Show the parts against the width, and fits of three widths."""
    widths, means = list(parts), [part.means for part in parts.values()]
    report.figure(
        "parts",
        error_parts(
            widths,
            [m["bias²"] for m in means],
            [m["variance"] for m in means],
            noise,
            error=[part.measured for part in parts.values()],
            xlabel="hidden units",
            is_log_x=True,
        ),
        caption="The error of a network taken apart; dots are measured on fresh data.",
    )
    shown = [widths[0], widths[len(widths) // 2], widths[-1]]
    report.figure(
        "fits",
        fitted_functions(
            {
                f"{w} hidden unit{'s' if w > 1 else ''}": list(parts[w].predictions[:30])
                for w in shown
            },
            grid=grid,
            truth=truth(grid),
            ylim=(-2.2, 2.2),
        ),
        caption="Fits to thirty training sets. On the left all are alike and wrong, on the right each is "
        "wrong in its own way.",
    )


def error_parts(
    x: ArrayLike,
    bias2: ArrayLike,
    variance: ArrayLike,
    noise: float,
    *,
    error: ArrayLike,
    xlabel: str,
    is_log_x: bool = False,
) -> Figure:
    """Stack bias², variance and noise, with the error measured on top of them.

    Args:
        x: Complexity.
        bias2: Squared bias at each.
        variance: Variance at each.
        noise: Variance of the noise.
        error: Error measured at each, drawn as dots.
        xlabel: Name of the complexity.
        is_log_x: Whether complexity is on a logarithmic scale.

    Example:
        >>> figure = error_parts([1, 2], [1, 0], [0, 1], 0.1, error=[1.1, 1.1], xlabel="degree")
        >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ['noise', 'bias²', 'variance', 'error on fresh data']
    """
    figure, axes = new_figure(width=7.0, height=4.2)
    places = np.asarray(x, dtype=float)
    parts = [np.full(len(places), noise), np.asarray(bias2, float), np.asarray(variance, float)]
    colors = ("#C9CDD4", PALETTE[0], PALETTE[1])
    axes.stackplot(places, *parts, labels=("noise", "bias²", "variance"), colors=colors, alpha=0.75)
    axes.plot(places, np.asarray(error, float), "o", color=INK, ms=5, label="error on fresh data")
    if is_log_x:
        axes.set_xscale("log")
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.minorticks_off()
    axes.set(
        xlim=(places.min(), places.max()), ylim=(0, None), xlabel=xlabel, ylabel="squared error"
    )
    axes.legend()
    return figure
