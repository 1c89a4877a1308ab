"""Weights of the past that sum to one are a unit root: shocks never fade and the variance never settles."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.sequences import forecast_bands
from gradatim.plots.style import INK, MARKERS, RULE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report
from gradatim.timeseries import AR

COVERS = ("F1",)
KEYWORDS = "autoregressive model AR, stationarity, random walk, characteristic roots, Yule-Walker, memoryless models"
WEATHER = torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)
FADING = torch.tensor([0.65, 0.2, 0.1], dtype=torch.float64)
LEVEL = 18.0


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    series: int = 20000
    steps: int = 400
    fits: int = 400
    fitted_steps: int = 200


QUICK = Settings(series=4000, steps=300, fits=100)


def stationary_variance(coefficients: Tensor) -> float:
    r"""Variance of a stationary autoregression with unit noise, from the Yule-Walker equations.

    .. math:: \gamma_k-\sum_ja_j\gamma_{|k-j|}=[k=0]
    """
    p = len(coefficients)
    equations = torch.eye(p + 1, dtype=torch.float64)
    for k in range(p + 1):
        for j, a in enumerate(coefficients, start=1):
            equations[k, abs(k - j)] -= a
    return torch.linalg.solve(equations, torch.eye(p + 1, dtype=torch.float64)[0])[0].item()


def check_roots(report: Report, weather: AR, fading: AR) -> None:
    prediction = weather.predict(torch.tensor([15.0, 18.0, 20.0])).item()
    size = weather.roots.abs()
    response = 1 / 1.4  # the other factor of the polynomial is z² + 0.3 z + 0.1
    kept = shock(WEATHER, 200)
    report.claim(
        "20°, 18° and 15° predict", prediction, "0.7·20 + 0.2·18 + 0.1·15 =", near=(19.1, 1e-9)
    )
    report.claim(
        "largest root of 0.7, 0.2, 0.1", size[0].item(), "{}: on the unit circle", near=(1, 1e-9)
    )
    report.claim(
        "the two others",
        size[1].item(),
        "√0.1 = 0.316",
        holds=bool((size[1:] - 0.1**0.5).abs().max() < 1e-9),
    )
    report.claim("a shock of 1°, 200 days later", kept, "1 / 1.4 =", near=(response, 1e-9))
    report.claim("with weights 0.65, 0.2, 0.1", shock(FADING, 200), "{}: faded", below=1e-3)
    report.claim(
        "is called stationary",
        f"{weather.is_stationary}, {fading.is_stationary}",
        "{}: only the one whose weights sum to 0.95",
        equals="False, True",
    )
    report.figure(
        "roots",
        root_circle({"weights 0.7, 0.2, 0.1": weather.roots, "weights 0.65, 0.2, 0.1": fading.roots}),
        caption="One root of the first model lies on the circle; a weight lowered by 0.05 brings it inside.",
    )  # fmt: skip


def shock(coefficients: Tensor, steps: int) -> float:
    """What is left of a unit shock after some steps."""
    past = [0.0] * (len(coefficients) - 1) + [1.0]
    for _ in range(steps):
        past.append(sum(a * x for a, x in zip(coefficients.tolist(), past[::-1], strict=False)))
    return past[-1]


def check_variance(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    variance = {}
    for label, weights in (("weights sum to 1", WEATHER), ("weights sum to 0.95", FADING)):
        drawn = AR(weights).simulate(settings.steps, settings.series, generator=generator)
        variance[label] = drawn[..., 0].var(0)
    growing, settled = variance.values()
    half = settings.steps // 2
    slope = ((growing[-1] - growing[half]) / (settings.steps - 1 - half)).item()
    limit, found = stationary_variance(FADING), settled[-20:].mean().item()
    report.claim("variance gained per day", slope, "1 / 1.4² =", near=(1 / 1.4**2, 0.1 / 1.4**2))
    report.claim("variance of the fading model", found, near=(limit, 0.05 * limit))
    days = torch.arange(1, settings.steps + 1)
    horizons = torch.arange(1, 201)
    deviations = {
        label: (horizons, AR(weights).forecast_covariance(200)[:, 0, 0].sqrt())
        for label, weights in (("weights sum to 1", WEATHER), ("weights sum to 0.95", FADING))
    }
    panels = [
        CurvePanel(
            "Variance over time", "day", "variance over many series", {label: (days, v) for label, v in variance.items()},
            {"t / 1.4²": (days, days / 1.4**2), "Yule-Walker": (days, torch.full_like(days, 1.0, dtype=torch.float64) * limit)},
        ),
        CurvePanel(
            "Width of the forecast interval", Formula("days ahead $h$"), "standard deviation", deviations,
            {Formula(r"$\sqrt{h}\,/\,1.4$"): (horizons, horizons.sqrt() / 1.4)}, is_log_x=True, is_log_y=True,
        ),
    ]  # fmt: skip
    report.figure(
        "variance",
        curve_panels(panels),
        caption="With a unit root the variance grows along a line and forecast intervals like √h, for ever; "
        "otherwise both settle.",
    )


def check_forecasts(report: Report, settings: Settings) -> None:
    weather = AR(WEATHER)
    spread = weather.forecast_covariance(400)[:, 0, 0].sqrt()
    settled = AR(FADING).forecast_covariance(400)[:, 0, 0].sqrt()
    generator = torch.Generator().manual_seed(settings.seed + 1)
    past = torch.tensor([16.0, 19.0, 18.0], dtype=torch.float64)
    futures = weather.simulate(100, settings.series, start=past, generator=generator)[..., 0]
    predicted = weather.forecast(past, 100)
    inside = ((futures[:, -1] > predicted.lower[-1]) & (futures[:, -1] < predicted.upper[-1])).double().mean().item()  # fmt: skip
    growth, standstill = (spread[399] / spread[99]).item(), (settled[399] / settled[99]).item()
    report.claim("interval for 400 days against 100", growth, "√4 =", near=(2, 0.02))
    report.claim("the same without a unit root", standstill, near=(1, 0.01))
    report.claim("futures inside the 95 % interval of day 100", inside, near=(0.95, 0.02))
    history = LEVEL + AR(FADING).simulate(80, generator=generator)[0, :, 0]
    bands = {
        "weights sum to 1": weather.forecast(history, 80),
        "weights sum to 0.95": AR(FADING, torch.tensor([LEVEL * 0.05])).forecast(history, 80),
    }
    report.figure(
        "forecasts",
        forecast_bands(history, bands, level=0.95, ylabel="°C"),
        caption="The same past, two futures: with a unit root the last days decide for ever, and the interval "
        "opens without end; without it the forecast returns to the mean.",
    )


def check_estimates(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed + 2)
    drawn = AR(WEATHER).simulate(settings.fitted_steps, settings.fits, generator=generator)[..., 0]
    largest = torch.stack([AR.fit(series, 3).roots[0].abs() for series in drawn])
    below = (largest < 1).double().mean().item()
    steps = torch.stack([AR.fit(series.diff(), 2).coefficients[:, 0, 0] for series in drawn]).mean(0)  # fmt: skip
    away = (steps - torch.tensor([-0.3, -0.1])).abs().max().item()
    report.claim(f"fits to {settings.fitted_steps} days that miss the unit root", below, above=0.85)
    report.claim(
        "weights of the differences",
        f"{steps[0]:.3f}, {steps[1]:.3f}",
        "−0.3 and −0.1 ± 0.04: stationary",
        holds=away < 0.04,
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="An autoregression with a unit root",
        summary="0.7, 0.2 and 0.1 of the last three days look like a harmless weather forecast. They sum to one, "
        "so the process is not stationary: only its differences are.",
    )
    check_roots(report, AR(WEATHER), AR(FADING))
    check_variance(report, settings)
    check_forecasts(report, settings)
    check_estimates(report, settings)
    return report


def root_circle(roots: Mapping[str, ArrayLike]) -> Figure:
    """Draw the roots of autoregressions in the complex plane, with the unit circle that they must stay inside.

    Args:
        roots: Complex roots by model.

    Example:
        >>> figure = root_circle({"random walk": [1.0 + 0j]})
        >>> figure.axes[0].get_aspect()
        1.0
    """
    figure, panel = new_figure(width=5.0, height=5.0)
    panel.add_patch(Circle((0, 0), 1.0, facecolor="#F4F6F9", edgecolor=INK, linewidth=1.2))
    panel.axhline(0, color=RULE, linewidth=0.8)
    panel.axvline(0, color=RULE, linewidth=0.8)
    for place, (label, values) in enumerate(roots.items()):
        z = np.asarray(values, dtype=complex)
        panel.plot(
            z.real, z.imag, MARKERS[place % len(MARKERS)], markersize=8, label=label,
            markerfacecolor="none", markeredgewidth=2.0, zorder=3,
        )  # fmt: skip
    reach = 1.15 * max(1.0, *(np.abs(np.asarray(z)).max() for z in roots.values()))
    panel.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="real part")
    panel.set_ylabel("imaginary part")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure
