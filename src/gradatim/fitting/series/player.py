"""Series in the contest, judged by forecasts from ever later origins."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.reading import read_table
from gradatim.errors import require
from gradatim.evaluation.criteria import check_criterion, find_criterion
from gradatim.evaluation.judged import Judged
from gradatim.fitting.findings import Findings
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.series import sections
from gradatim.fitting.series.candidates import fit_simple, simple_models
from gradatim.fitting.series.kind import SeriesOptions
from gradatim.fitting.series.model import LEVEL, FittedSeries, SeriesModel
from gradatim.fitting.series.networks import SeriesSettings, draw_settings, fit_network
from gradatim.fitting.series.problem import FOLDS, SHORTEST, SeriesProblem, prepare
from gradatim.reports import Concern, Report
from gradatim.training import History

BLOCK_WINDOWS = 5  # forecasts that judge one fold, at the most
CALIBRATED = 0.25  # of the training part, on which errors are measured for the intervals
ORIGINS = 40  # of forecasts there, at the most


def read_player(data: "str | Path | pd.DataFrame", job: SeriesOptions) -> "SeriesPlayer":
    """Read the series of a table, and set their ends aside for the test."""
    raw = read_table(data)
    if job.rows is not None:
        raw.frame = raw.frame.iloc[-job.rows :]
        raw.notes.append(f"The last {job.rows:,} of {raw.rows:,} rows are used, as asked.")
    return SeriesPlayer(prepare(raw, job), job.seed)


class SeriesPlayer(Player):
    """Series that were read, put on a grid and split.

    Args:
        problem: Series, horizon and split.
        seed: Fixes weights and searches.
    """

    sections, stored = sections, SeriesModel
    remedy = "Try a longer past or fewer steps ahead; some series have no pattern beyond their last value"
    last = 5.4  # on three quarters of the training part, on all of it, on all steps, and the learning curve

    problem: SeriesProblem

    def __init__(self, problem: SeriesProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p = problem
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
        self.folds = [
            (np.arange(p.steps - c), np.arange(p.steps - c, p.steps - c + p.horizon))
            for c in self.cuts
        ]
        self._reach: dict[str, np.ndarray] = {}

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """The error in units of the naive forecast's by default; ``"mae"``, ``"rmse"``, ``"mape"`` or a quantile judge as well."""
        require(costs is None, "fit: costs must be given for classes", "a forecast", "Leave --costs out.")  # fmt: skip
        if score is None or score.lower() == "mase":
            return
        self.criterion = find_criterion("fit", score, 0)
        check_criterion(
            "fit", self.criterion, np.concatenate(list(self.problem.series.values())), 0
        )
        if self.criterion.level is not None:
            self.notes.append(
                f"Forecasts are of the middle; the {self.criterion.label} judges them and is not what they are trained for."
            )

    def draw(self, trial: int) -> SeriesSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: SeriesSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return 8.0 if settings.reader == "gru" else 1.0

    def _learn(self, candidate: Candidate, series: Sequence[np.ndarray], seed: int) -> FittedSeries:
        h, period = self.problem.horizon, self.problem.period
        if candidate.name == NETWORK:
            return fit_network(series, h, period, candidate.settings, seed)[0]
        return fit_simple(candidate.name, series, h, period, self.seed)

    def fit(self, candidate: Candidate, k: int | None) -> FittedSeries:
        """The candidate before the origin of fold ``k``; or on the whole training part, once it is known how far it errs."""
        if k is not None:
            return self._learn(candidate, self._past(k), self.seed + k)
        self._reach[candidate.name] = self._errors(candidate)
        return self._learn(candidate, self.training, self.seed)

    def complete(self, candidate: Candidate, elder: FittedSeries) -> FittedSeries:
        """The candidate on the whole series; how far it errs is what was measured before."""
        return self._learn(candidate, list(self.problem.series.values()), self.seed)

    def _past(self, k: int | None) -> list[np.ndarray]:
        cut = 0 if k is None else self.cuts[k]
        return [x[: len(x) - cut] for x in self.training]

    def _errors(self, candidate: Candidate) -> np.ndarray:
        """How far a candidate errs on the last quarter of the training part, by step ahead."""
        h, shortest = self.problem.horizon, min(map(len, self.training))
        cut = max(int(CALIBRATED * shortest), h)
        early = self._learn(candidate, [x[: len(x) - cut] for x in self.training], self.seed)
        origins = np.unique(np.linspace(h, cut, ORIGINS).astype(int))[::-1]
        gaps = [
            np.abs(_roll(early, self.training, c, 1, h) - _truths(self.training, c, 1, h))[:, 0]
            for c in origins.tolist()
        ]
        return np.quantile(np.stack(gaps), LEVEL, axis=0)

    def _stretches(self, k: int | None) -> tuple[list[np.ndarray], int, int, int]:
        """What is forecast from the origin of fold ``k`` up to the next one, or in the test: series, cut, count and horizon."""
        p, h = self.problem, self.problem.horizon
        if k is None:
            return list(p.series.values()), p.held_out, p.windows, h
        cut, after = self.cuts[k], self.cuts[k + 1] if k + 1 < len(self.cuts) else 0
        count = int(np.clip((cut - after) // h, 1, min(BLOCK_WINDOWS, cut // h)))
        return self.training, cut, count, h

    def outputs(self, model: FittedSeries, k: int | None) -> np.ndarray:
        """Forecasts from the origin of fold ``k``, or of the test, shape ``(S, windows, horizon)``."""
        return _roll(model, *self._stretches(k))

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        r"""Errors, the first in units of those of the naive forecast in training.

        .. math:: \text{MASE} = \frac{\text{mean}|x-\hat x|}{\text{mean}|x_t-x_{t-m}|}
        """
        m, truths = self.problem.period, _truths(*self._stretches(k))
        naive = np.array([np.abs(x[m:] - x[:-m]).mean() for x in self._past(k)])
        naive = np.where(naive > 0, naive, 1.0)
        gaps = np.abs(output - truths)
        usual = {
            "MASE": float((gaps.mean((1, 2)) / naive).mean()),
            "MAE": float(gaps.mean()),
            "RMSE": float(np.sqrt(np.square(gaps).mean())),
        }
        if self.criterion is None:
            return usual
        judged = Judged(truths.ravel(), output.ravel(), 0)
        return {self.criterion.label: self.criterion.figure(judged)} | usual

    def watch(self, settings: SeriesSettings) -> History:
        """The training of the chosen network before the first origin."""
        return fit_network(
            self._past(0), self.problem.horizon, self.problem.period, settings, self.seed
        )[1]

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

    def explain(self, report: Report, findings: Findings) -> None:
        """Draw forecasts, and errors by step ahead."""
        reach, truths = self._reach[findings.verdict.recommended], _truths(*self._stretches(None))
        sections.draw_forecasts(report, self.problem, findings, reach, truths)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Columns, time axis, names and how far each model errs."""
        p = self.problem
        reach = {name: self._reach[name] for name in findings.models}
        return {"layout": p.layout, "axis": p.axis, "names": list(p.series), "horizon": p.horizon, "reach": reach}  # fmt: skip

    def save(self, folder: Path, findings: Findings, about: Mapping[str, Any], extra: Mapping[str, bytes]) -> SeriesModel:  # fmt: skip
        """Write the models, and the forecasts of the test with what came."""
        return super().save(folder, findings, {**about, "period": self.problem.period}, extra)

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """Forecast, truth, series, window and step ahead of the test."""
        names, windows, steps = np.meshgrid(
            list(self.problem.series), *(np.arange(1, n + 1) for n in output.shape[1:]), indexing="ij"
        )  # fmt: skip
        truths = _truths(*self._stretches(None))
        columns = {"series": names, "window": windows, "step": steps, "prediction": output, "value": truths}  # fmt: skip
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})


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
