"""What the report says of series: what they are, the forecasts drawn, and the error at every step ahead."""

import numpy as np

from gradatim.evaluation.shares import share_interval
from gradatim.fitting.findings import Findings
from gradatim.fitting.sections import frame_usage
from gradatim.fitting.series.networks import SeriesSettings
from gradatim.fitting.series.problem import SeriesProblem
from gradatim.fitting.series.times import Axis
from gradatim.plots.evaluation import score_curves
from gradatim.plots.sequences import forecast_bands
from gradatim.reports import Report

READERS = {"mlp": "one hidden layer over a window", "gru": "GRU over a window"}
DRAWN = 3  # series
SHOWN = 6  # horizons of the past in a picture


def describe_data(report: Report, p: SeriesProblem) -> None:
    """Add sizes, steps and season."""
    lengths = [len(x) for x in p.series.values()]
    size = f"{lengths[0]:,}" if len(set(lengths)) == 1 else f"{min(lengths):,} to {max(lengths):,}"
    report.table(
        "Data",
        columns=["", "value"],
        rows=[
            ["series", f"{len(lengths):,}"],
            ["steps", size],
            ["a step", _step(p.axis)],
            ["season", f"{p.period} steps" if p.period > 1 else "none found"],
            ["forecast", f"{p.horizon} steps ahead"],
            ["test", f"the last {p.held_out} steps, forecast {p.windows} time{'s' if p.windows > 1 else ''}"],
        ],
    )  # fmt: skip


def _step(axis: Axis) -> str:
    units = {"order": "row", "number": "unit of time", "date": "day", "month": "month"}
    unit = units[axis.kind]
    return f"1 {unit}" if axis.step == 1 else f"{axis.step:g} {unit}s"


def describe_network(s: SeriesSettings) -> list[tuple[str, object]]:
    """Settings of the network, for people."""
    return [
        ("reader", READERS[s.reader]),
        ("window, in seasons or horizons", s.reach),
        ("hidden units", s.hidden_dim),
        ("dropout", s.dropout),
        ("weight decay", s.weight_decay),
        ("learning rate", s.lr),
    ]


def draw_forecasts(
    report: Report, p: SeriesProblem, f: Findings, reach: np.ndarray, truths: np.ndarray
) -> None:
    """Draw the last test forecast of the first series, and the error of every finalist by step ahead.

    Args:
        report: Where to draw.
        p: The series.
        f: What the contest found; outputs have the shape ``(S, windows, horizon)``.
        reach: Of the recommended model's intervals, shape ``(S, horizon)``.
        truths: What came, shape ``(S, windows, horizon)``.
    """
    with report.attempt("the intervals"):
        describe_intervals(report, p, np.abs(f.output - truths) <= reach[:, None], reach)
    for k, title in enumerate(list(p.series)[:DRAWN]):
        with report.attempt(f"the forecast of {title!r}" if title else "the forecast"):
            _draw_forecast(report, p, f, k, reach[k], truths[k, -1])
    if p.horizon > 1:
        with report.attempt("the errors by step"):
            _draw_errors(report, p, f, truths)


def describe_intervals(report: Report, p: SeriesProblem, is_held: np.ndarray, reach: np.ndarray) -> None:  # fmt: skip
    """Add how often the intervals held in the test, and how wide they were, by step ahead.

    Args:
        report: Where to write.
        p: The series.
        is_held: Whether the value lay in its interval, shape ``(S, windows, horizon)``.
        reach: Half of the widths, shape ``(S, horizon)``.
    """
    thirds = np.array_split(np.arange(p.horizon), 3) if p.horizon >= 3 else []
    parts = [("all test steps", np.arange(p.horizon))]
    parts += [(f"{own[0] + 1} to {own[-1] + 1} steps ahead" if len(own) > 1 else f"{own[0] + 1} steps ahead".replace("1 steps", "1 step"), own) for own in thirds]  # fmt: skip
    rows = []
    for name, steps in parts:
        held = is_held[..., steps]
        share = share_interval(int(held.sum()), held.size)
        ends = f"{100 * share.low:.1f} to {100 * share.high:.1f} %"
        rows.append([name, held.size, f"{100 * share.value:.1f} %", ends, float(2 * reach[:, steps].mean())])  # fmt: skip
    report.table(
        "Intervals that shall hold 90 %, in the test",
        columns=["", "steps", "held", "95 % interval", "mean width"],
        rows=rows,
    )
    report.text(
        "They reach as far as 90 % of the errors on the last quarter of the training part. Nothing is promised of the future, "
        "which may be drawn otherwise; steps of one stretch are held or missed together, so the interval of the share is too "
        "narrow."
    )


def _draw_forecast(report: Report, p: SeriesProblem, f: Findings, k: int, reach: np.ndarray, truth: np.ndarray) -> None:  # fmt: skip
    title, x = list(p.series.items())[k]
    past = x[: len(x) - p.horizon][-SHOWN * p.horizon :]
    middle = f.output[k, -1]
    report.figure(
        f"forecast-{k + 1}",
        forecast_bands(
            past, {f.verdict.recommended: (middle, middle - reach, middle + reach)}, truth,
            ylabel=title or p.layout.values[0],
        ),
        caption="The last stretch of the test, which no model had seen. The band holds 90 % of the errors "
        "on the last quarter of the training part.",
    )  # fmt: skip


def _draw_errors(report: Report, p: SeriesProblem, f: Findings, truths: np.ndarray) -> None:
    spread = np.array([x[: len(x) - p.held_out].std() or 1.0 for x in p.series.values()])
    errors = {
        model: (np.abs(out - truths) / spread[:, None, None]).mean((0, 1))
        for model, out in f.outputs.items()
    }
    report.figure(
        "errors",
        score_curves(
            np.arange(1, p.horizon + 1), errors, xlabel="steps ahead",
            ylabel="mean error, in deviations of the series",
        ),
        caption="How the error on the test grows with the distance.",
    )  # fmt: skip


def usage(p: SeriesProblem, f: Findings) -> str:
    """Python lines that use the model folder."""
    gives = f"the next {p.horizon} steps, with intervals"
    return frame_usage(f, "until_today.csv", "the past, in the same columns", gives=gives)
