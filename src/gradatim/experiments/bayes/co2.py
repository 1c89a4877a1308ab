"""Carbon dioxide over Mauna Loa: a process of trend, season and weather forecasts eleven years, with a band."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gradatim.bayes import RBF, GaussianProcessRegressor, Kernel, Matern, Periodic, White
from gradatim.data import load
from gradatim.fitting.series.candidates import (
    AUTOREGRESSION,
    SEASONAL,
    SMOOTHING,
    fit_simple,
    simple_models,
)
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.reports import Report

COVERS = ("J2",)
KEYWORDS = "Gaussian process, Mauna Loa, kernel composition, forecasting"
Array = NDArray[np.float64]
PROCESS, LINE = "Gaussian process", "line and months"
AHEAD = 11  # years
MIDDLE = 1980.0  # from which years count
SLOWED = 1991  # after Pinatubo, concentrations rose more slowly than in the years before


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    starts: tuple[int, ...] = (1976, 1981, 1986, 1991)
    max_steps: int = 100


QUICK = Settings(max_steps=30)


class Months(NamedTuple):
    """Means of months, some missing, and their middles in years."""

    year: Array
    value: Array

    def before(self, start: int) -> "Months":
        return Months(self.year[self.year < start], self.value[self.year < start])

    def after(self, start: int) -> "Months":
        chosen = (self.year >= start) & (self.year < start + AHEAD)
        return Months(self.year[chosen], self.value[chosen])

    @property
    def known(self) -> "Months":
        chosen = np.isfinite(self.value)
        return Months(self.year[chosen], self.value[chosen])


class Forecast(NamedTuple):
    """What a process that knows the months before ``start`` says of those after it, and the process."""

    start: int
    months: Months
    mean: Array
    std: Array
    process: GaussianProcessRegressor
    center: float

    @property
    def coverage(self) -> float:
        return float(np.mean(np.abs(self.months.value - self.mean) < 1.96 * self.std))


def read_months() -> Months:
    """Weeks that have a value, averaged over the months."""
    data = load("co2")
    day, value = data.X[:, 0].astype(int), np.asarray(data.y, float)
    month = day // 10_000 * 12 + day // 100 % 100 - 1
    every = np.arange(month.min(), month.max() + 1)
    is_known = np.isfinite(value)
    means = [value[is_known & (month == own)] for own in every]
    return Months((every + 0.5) / 12, np.array([m.mean() if len(m) else np.nan for m in means]))


def make_kernel() -> Kernel:
    """Trend, a season whose shape changes slowly, weather, and noise, as a reader of the curve would guess them."""
    trend = RBF(length=50.0, variance=2500.0)
    season = RBF(length=90.0, variance=4.0) * Periodic(period=1.0, length=1.3)
    return trend + season + Matern(1.5, length=1.0, variance=0.3) + White(variance=0.05)


def parts_of(kernel: Kernel) -> list[Kernel]:
    """Trend, season, weather and noise."""
    found = []
    for _ in range(3):
        found.append(kernel.second)  # type: ignore[attr-defined]
        kernel = kernel.first  # type: ignore[attr-defined]
    return [kernel, *reversed(found)]


def forecast(months: Months, start: int, settings: Settings) -> Forecast:
    past, future = months.before(start).known, months.after(start).known
    center = float(past.value.mean())
    process = GaussianProcessRegressor(make_kernel(), noise=0.0, restarts=0, max_steps=settings.max_steps, seed=settings.seed)  # fmt: skip
    process.fit(past.year[:, None] - MIDDLE, past.value - center)
    mean, std = process.predict(future.year[:, None] - MIDDLE, return_std=True)
    noise = parts_of(process.kernel_)[-1]
    assert isinstance(noise, White)
    return Forecast(start, future, mean + center, np.sqrt(std**2 + noise.variance), process, center)


def components(found: Forecast, past: Months, year: Array) -> list[Array]:
    """What trend, season and weather each have at some times, given all of the past; they add up to the mean."""
    X = torch.from_numpy(past.year[:, None] - MIDDLE)
    alpha = torch.linalg.solve(found.process.kernel_(X), torch.from_numpy(past.value - found.center))  # fmt: skip
    new = torch.from_numpy(year[:, None] - MIDDLE)
    return [(part(new, X) @ alpha).numpy() for part in parts_of(found.process.kernel_)[:3]]


def say_line(past: Months, year: Array) -> Array:
    """A straight line and one constant for each month, by least squares."""

    def design(at: Array) -> Array:
        return np.column_stack([np.eye(12)[np.floor(at % 1 * 12).astype(int)], at - MIDDLE])

    return design(year) @ np.linalg.lstsq(design(past.year), past.value, rcond=None)[0]


def say_others(months: Months, found: Forecast, seed: int) -> dict[str, Array]:
    """The line, and the forecasters that ``fit`` compares networks with, on months whose gaps are filled."""
    past, ahead = months.before(found.start), months.after(found.start)
    filled = np.interp(past.year, past.known.year, past.known.value)
    is_known, said = np.isfinite(ahead.value), {LINE: say_line(past.known, found.months.year)}
    for name in simple_models(12)[1:]:
        model = fit_simple(name, [filled], len(ahead.year), 12, seed)
        said[name] = model.forecast([filled])[0][is_known]
    return said


def rmse(said: Array, truth: Array) -> float:
    return float(np.sqrt(np.mean((said - truth) ** 2)))


def claim_forecasts(report: Report, months: Months, all_found: Sequence[Forecast], seed: int) -> dict[str, list[float]]:  # fmt: skip
    errors: dict[str, list[float]] = {}
    for found in all_found:
        said = {PROCESS: found.mean, **say_others(months, found, seed)}
        for name, own in said.items():
            errors.setdefault(name, []).append(rmse(own, found.months.value))
    starts = [str(found.start) for found in all_found]
    report.table(f"RMSE of {AHEAD} years, ppm", columns=["from the start of", *starts, "mean"], rows=[[n, *own, float(np.mean(own))] for n, own in errors.items()])  # fmt: skip
    worst = max(a / b for a, b in zip(errors[PROCESS], errors[LINE], strict=True))
    report.claim("the process errs less than a line and months, whenever it starts", worst, "largest ratio of RMSE", below=0.75)  # fmt: skip
    for name in (SEASONAL, AUTOREGRESSION, SMOOTHING):
        ratio = float(np.mean(errors[PROCESS]) / np.mean(errors[name]))
        report.claim(f"and less than {name}, on average", ratio, "ratio of mean RMSE", below=1.0)
    return errors


def claim_bands(report: Report, all_found: Sequence[Forecast]) -> None:
    early = [found for found in all_found if found.start < SLOWED]
    report.claim("bands of 95 % hold before 1991", min(found.coverage for found in early), "of the months", above=0.9)  # fmt: skip
    report.claim("but not from 1991 on, when the rise slowed as never before: no kernel knows what it has not seen", all_found[-1].coverage, "of the months", below=0.6)  # fmt: skip
    rows = [[str(f.start), f.coverage, float(np.mean(2 * 1.96 * f.std)), f.process.log_marginal_likelihood_] for f in all_found]  # fmt: skip
    report.table("Bands of 95 %", columns=["from the start of", "coverage", "mean width, ppm", "log evidence"], rows=rows)  # fmt: skip
    spread = all_found[-1].std
    report.claim("a band grows with the years ahead", float(spread[-12:].mean() / spread[:12].mean()), "last year over first", above=1.5)  # fmt: skip


def claim_parts(report: Report, found: Forecast, past: Months) -> None:
    year = np.arange(1985, 1990, 1 / 48) + 1 / 96
    parts = components(found, past, year)
    mean = found.process.predict(year[:, None] - MIDDLE)
    report.claim("trend, season and weather add up to the mean", float(np.abs(sum(parts) - mean).max()), "largest difference, ppm", below=1e-4)  # fmt: skip
    season = parts_of(found.process.kernel_)[1]
    period = season.second.period  # type: ignore[attr-defined]
    report.claim("the season comes back after", period, "years,", near=(1.0, 0.002))
    report.claim("the season swings by", float(np.ptp(parts[1])), "ppm,", near=(6.0, 1.0))
    peak = year[parts[1].argmax()] % 1 * 12 + 1
    report.claim("air holds most before leaves grow in the north: in May", float(peak), "month", above=5.0, below=6.0)  # fmt: skip
    rise = float((parts[0][-1] - parts[0][0]) / (year[-1] - year[0]))
    report.claim("the trend of the late 1980s", rise, "ppm a year,", near=(1.5, 0.4))


def run(settings: Settings) -> Report:
    report = Report(
        title="Carbon dioxide over Mauna Loa",
        summary="Trend + season that changes slowly + weather + noise is one kernel, whose ten parameters the evidence sets. Forecasts of "
        "eleven years are better than those of a line, an autoregression and exponential smoothing; the band holds as long as the future is like the past.",
    )
    months = read_months()
    all_found = [forecast(months, start, settings) for start in settings.starts]
    errors = claim_forecasts(report, months, all_found, settings.seed)
    claim_bands(report, all_found)
    past = months.before(settings.starts[-1]).known
    claim_parts(report, all_found[-1], past)
    caption = f"Months (dots), what the process says of the {AHEAD} years after each start, and its 95 % band."  # fmt: skip
    report.figure("forecast", draw_forecasts(months, all_found), caption=caption)
    caption = f"Left and middle: the season and the weather as the process of {settings.starts[-1]} tells them apart. Right: mean RMSE of the forecasts."  # fmt: skip
    report.figure("parts", draw_parts(all_found[-1], past, errors), caption=caption)
    return report


def draw_forecasts(months: Months, all_found: Sequence[Forecast]) -> Figure:
    shown = [all_found[0], all_found[-1]]
    figure, panels = new_figure(columns=2, width=12.0, height=4.2, sharey=True)
    for panel, found in zip(panels, shown, strict=True):
        known = months.known
        panel.plot(known.year, known.value, ".", color=INK, markersize=2.5, label="months")
        x = found.months.year
        panel.fill_between(x, found.mean - 1.96 * found.std, found.mean + 1.96 * found.std, color=PALETTE[1], alpha=0.25, linewidth=0, label="95 % band")  # fmt: skip
        panel.plot(x, found.mean, color=PALETTE[1], linewidth=1.1, label="forecast")
        line = say_line(months.before(found.start).known, x)
        panel.plot(x, line, color=MUTED, linewidth=0.9, linestyle="--", label=LINE)
        panel.axvline(found.start, color=MUTED, linewidth=0.8)
        panel.set(title=f"Told until the end of {found.start - 1}", xlabel="year", xlim=(found.start - 12, found.start + AHEAD))  # fmt: skip
        panel.legend(loc="upper left")
    panels[0].set_ylabel("CO₂, ppm")
    return figure


def draw_parts(found: Forecast, past: Months, errors: dict[str, list[float]]) -> Figure:
    figure, (left, middle, right) = new_figure(columns=3, width=12.0, height=3.6)
    for k, first in enumerate((1960, found.start - 2)):
        year = first + (np.arange(96) + 0.5) / 96
        season = components(found, past, year)[1]
        left.plot((year - first) * 12 + 1, season, color=PALETTE[k], label=str(first))
    left.set(title="Season", xlabel="month", ylabel="ppm")
    left.set_xticks([1, 4, 7, 10, 13])
    left.legend()
    year = np.arange(1959, found.start, 1 / 24)
    middle.plot(year, components(found, past, year)[2], color=PALETTE[2], linewidth=1.0)
    middle.set(title="Weather", xlabel="year", ylabel="ppm")
    names = list(errors)
    means = [float(np.mean(errors[name])) for name in names]
    bars = right.barh(names, means, color=[PALETTE[1] if name == PROCESS else PALETTE[0] for name in names], height=0.6)  # fmt: skip
    right.bar_label(bars, fmt="%.2f", padding=3)
    right.set(title="Error of forecasts", xlabel="mean RMSE, ppm", xlim=(0, 1.2 * max(means)))
    right.invert_yaxis()
    return figure
