"""Series in the contest, judged by forecasts from ever later origins."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.reading import read_table
from gradatim.evaluation.splits import Split
from gradatim.events import Tell
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import NETWORK, Candidate, Figures
from gradatim.fitting.series import sections
from gradatim.fitting.series.candidates import fit_simple, simple_models
from gradatim.fitting.series.kind import SeriesOptions
from gradatim.fitting.series.model import FittedSeries, SeriesModel
from gradatim.fitting.series.networks import SeriesSettings, draw_settings, fit_network
from gradatim.fitting.series.problem import FOLDS, SHORTEST, SeriesProblem, prepare
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History

BLOCK_WINDOWS = 5  # forecasts that judge one fold, at the most
CALIBRATED = 0.25  # of the training part, on which errors are measured for the intervals
ORIGINS = 40  # of forecasts there, at the most
LEVEL = 0.9


def read_player(data: "str | Path | pd.DataFrame", job: SeriesOptions) -> "SeriesPlayer":
    """Read the series of a table, and set their ends aside for the test."""
    raw = read_table(data)
    if job.rows is not None:
        raw.frame = raw.frame.iloc[-job.rows :]
        raw.notes.append(f"The last {job.rows:,} of {raw.rows:,} rows are used, as asked.")
    return SeriesPlayer(prepare(raw, job), job.seed)


class SeriesPlayer:
    """Series that were read, put on a grid and split.

    Args:
        problem: Series, horizon and split.
        seed: Fixes weights and searches.
    """

    last = 4.0  # on three quarters of the training part and on all of it, and the learning curve

    def __init__(self, problem: SeriesProblem, seed: int) -> None:
        p = self.problem = problem
        self.seed, self.name, self.notes = seed, p.name, p.notes
        self.task = f"forecast of {p.horizon} steps"
        self.title = f"{p.name}: the next {p.horizon} steps"
        count = len(p.series)
        self.headline = (
            f"{p.name}: {p.horizon} steps ahead of {count} series" if count > 1
            else f"{p.name}: {p.horizon} steps ahead of {p.layout.values[0]!r}"
        ) + f" ({p.steps:,} training steps, {p.held_out:,} test steps)"  # fmt: skip
        self.rows = p.steps, p.held_out
        self.simple = simple_models(p.period)
        self.training = [x[: len(x) - p.held_out] for x in p.series.values()]
        self.cuts = _plan_cuts(min(map(len, self.training)), p.horizon)
        self.folds: list[Split] = [
            (np.arange(p.steps - c), np.arange(p.steps - c, p.steps - c + p.horizon))
            for c in self.cuts
        ]
        self._reach: dict[str, np.ndarray] = {}

    def fingerprint(self) -> str:
        """A hash of all values."""
        digest = hashlib.sha256(repr(sorted(self.problem.series)).encode())
        for x in self.problem.series.values():
            digest.update(x.tobytes())
        return digest.hexdigest()

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Nothing needs planning: series are small."""

    def draw(self, trial: int) -> SeriesSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: SeriesSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return 8.0 if settings.reader == "gru" else 1.0

    def _fit(self, candidate: Candidate, series: Sequence[np.ndarray], seed: int) -> FittedSeries:
        h, period = self.problem.horizon, self.problem.period
        if candidate.name == NETWORK:
            return fit_network(series, h, period, candidate.settings, seed)[0]
        return fit_simple(candidate.name, series, h, period, self.seed)

    def judge(self, candidate: Candidate, k: int) -> Figures:
        """Figures of forecasts from the origin of fold ``k`` on, up to the next origin."""
        cut, h = self.cuts[k], self.problem.horizon
        past = [x[: len(x) - cut] for x in self.training]
        model = self._fit(candidate, past, self.seed + k)
        after = self.cuts[k + 1] if k + 1 < len(self.cuts) else 0
        count = int(np.clip((cut - after) // h, 1, min(BLOCK_WINDOWS, cut // h)))
        output = _roll(model, self.training, cut, count, h)
        return self._measure(_truths(self.training, cut, count, h), output, past)

    def _measure(self, truth: np.ndarray, output: np.ndarray, past: Sequence[np.ndarray]) -> Figures:  # fmt: skip
        r"""Errors, the first in units of those of the naive forecast in training.

        .. math:: \text{MASE} = \frac{\text{mean}|x-\hat x|}{\text{mean}|x_t-x_{t-m}|}
        """
        m = self.problem.period
        naive = np.array([np.abs(x[m:] - x[:-m]).mean() for x in past])
        naive = np.where(naive > 0, naive, 1.0)
        gaps = np.abs(output - truth)
        return {
            "MASE": float((gaps.mean((1, 2)) / naive).mean()),
            "MAE": float(gaps.mean()),
            "RMSE": float(np.sqrt(np.square(gaps).mean())),
        }

    def train(self, candidate: Candidate) -> FittedSeries:
        """The candidate on the whole training part; how far it errs is measured on its last quarter first."""
        h, shortest = self.problem.horizon, min(map(len, self.training))
        cut = max(int(CALIBRATED * shortest), h)
        early = self._fit(candidate, [x[: len(x) - cut] for x in self.training], self.seed)
        origins = np.unique(np.linspace(h, cut, ORIGINS).astype(int))[::-1]
        gaps = [
            np.abs(_roll(early, self.training, c, 1, h) - _truths(self.training, c, 1, h))[:, 0]
            for c in origins.tolist()
        ]
        self._reach[candidate.name] = np.quantile(np.stack(gaps), LEVEL, axis=0)
        return self._fit(candidate, self.training, self.seed)

    def predict_test(self, model: FittedSeries) -> np.ndarray:
        """Forecasts of the test, shape ``(S, windows, horizon)``."""
        p = self.problem
        return _roll(model, list(p.series.values()), p.held_out, p.windows, p.horizon)

    def measure_test(self, output: np.ndarray) -> Figures:
        """Figures of the test."""
        return self._measure(self._test_truths(), output, self.training)

    def _test_truths(self) -> np.ndarray:
        p = self.problem
        return _truths(list(p.series.values()), p.held_out, p.windows, p.horizon)

    def watch(self, settings: SeriesSettings) -> History:
        """The training of the chosen network before the first origin."""
        past = [x[: len(x) - self.cuts[0]] for x in self.training]
        return fit_network(past, self.problem.horizon, self.problem.period, settings, self.seed)[1]

    def concerns(self) -> list[Concern]:
        """Few seasons, little data, values beyond those seen."""
        p, found = self.problem, []
        if p.steps < 100:
            remedy = "Intervals are wide, and another origin may give another winner"
            found.append(Concern("Little data", f"{p.steps} training steps", remedy))
        if p.period > 1 and p.steps < 4 * p.period:
            seen = f"the training part holds {p.steps / p.period:.1f} seasons of {p.period} steps"
            found.append(Concern("Few seasons", seen))
        beyond = [
            name
            for (name, x), past in zip(p.series.items(), self.training, strict=True)
            if x[len(past) :].max() > past.max() or x[len(past) :].min() < past.min()
        ]
        if beyond:
            seen = (
                f"{len(beyond)} of {len(p.series)} series leave the range of their training part in the test; "
                "what worked before may not work there"
            )
            found.append(Concern("Drift", seen))
        return found

    def describe(self, report: Report) -> None:
        """Add sizes, steps and season."""
        sections.describe_data(report, self.problem)

    def describe_network(self, settings: SeriesSettings) -> list[tuple[str, object]]:
        """The settings, for people."""
        return sections.describe_network(settings)

    def explain(self, report: Report, findings: Findings) -> None:
        """Draw forecasts, and errors by step ahead."""
        reach = self._reach[findings.verdict.recommended]
        sections.draw_forecasts(report, self.problem, findings, reach, self._test_truths())

    def usage(self, findings: Findings) -> str:
        """How to forecast from Python."""
        return sections.usage(self.problem, findings)

    def save(self, folder: Path, findings: Findings, about: Mapping[str, Any], extra: Mapping[str, bytes]) -> SeriesModel:  # fmt: skip
        """Write the models, and the forecasts of the test with what came."""
        p = self.problem
        model = SeriesModel(
            layout=p.layout,
            axis=p.axis,
            names=list(p.series),
            horizon=p.horizon,
            models=findings.models,
            reach={name: self._reach[name] for name in findings.models},
            recommended=findings.verdict.recommended,
            about={**about, "period": p.period},
        )
        model.save(folder, {**extra, "predictions.csv": self._predictions(findings.output)})
        return model

    def _predictions(self, output: np.ndarray) -> bytes:
        """Forecast, truth, series, window and step ahead of the test."""
        names, windows, steps = np.meshgrid(
            list(self.problem.series), *(np.arange(1, n + 1) for n in output.shape[1:]), indexing="ij"
        )  # fmt: skip
        columns = {"series": names, "window": windows, "step": steps, "prediction": output, "value": self._test_truths()}  # fmt: skip
        return pd.DataFrame({k: v.ravel() for k, v in columns.items()}).to_csv(index=False).encode()


def _plan_cuts(steps: int, horizon: int) -> list[int]:
    """How many steps before the end of the training part each fold stops learning, the most first.

    Example:
        >>> _plan_cuts(120, 24)
        [60, 51, 42, 33, 24]
    """
    first = max(steps // 2, horizon + SHORTEST)
    cuts = np.linspace(max(steps - first, horizon), horizon, FOLDS).astype(int)
    return list(dict.fromkeys(cuts.tolist()))


def _roll(model: FittedSeries, series: Sequence[np.ndarray], cut: int, count: int, horizon: int) -> np.ndarray:  # fmt: skip
    """Forecast ``count`` stretches one after the other, each from all values before it, shape ``(S, count, horizon)``."""
    ends = [cut - w * horizon for w in range(count)]
    return np.stack([model.forecast([x[: len(x) - end] for x in series]) for end in ends], axis=1)


def _truths(series: Sequence[np.ndarray], cut: int, count: int, horizon: int) -> np.ndarray:
    """What came in these stretches, shape ``(S, count, horizon)``."""
    return np.stack([x[len(x) - cut :][: count * horizon].reshape(count, horizon) for x in series])
