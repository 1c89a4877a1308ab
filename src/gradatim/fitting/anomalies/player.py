"""Rows of a table or steps of series in the contest of detectors."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from gradatim.data.tables.reading import read_table
from gradatim.errors import choose, require
from gradatim.evaluation import missed_share
from gradatim.fitting.anomalies import sections
from gradatim.fitting.anomalies.candidates import SERIES, TABLES, fit_simple
from gradatim.fitting.anomalies.concerns import find_concerns, find_drift
from gradatim.fitting.anomalies.costs import rows_in_time
from gradatim.fitting.anomalies.detectors import Scoring, calibrate, score
from gradatim.fitting.anomalies.kind import AnomalyOptions
from gradatim.fitting.anomalies.made_up import LABELLED, Judging
from gradatim.fitting.anomalies.model import AnomalyModel
from gradatim.fitting.anomalies.networks import AutoencoderSettings, draw_settings, fit_network
from gradatim.fitting.anomalies.problem import AnomalyProblem, thin
from gradatim.fitting.anomalies.readers import Reader
from gradatim.fitting.anomalies.series_problem import SeriesAnomalies, prepare_series
from gradatim.fitting.anomalies.table_problem import prepare_table
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.tables.one_hot_width import keep_affordable_columns, keep_affordable_rows
from gradatim.reports import Concern, Report
from gradatim.training import History
from gradatim.wording import percent

CELLS = 8_000_000  # of features to learn from
JUDGED, JUDGED_CELLS = (
    5_000,
    500_000,
)  # rows that judge and their features, at most, and as many anomalies
LEAST_JUDGED = 200
HELD_PER_ALARM = (
    20  # alarms among the rows that set the threshold, at least, where there are so many
)
USED_ALARMS = 10.0  # times the alarms asked for, up to which thresholds count
LEAST_USED = 0.1  # share of false alarms up to which they count at least
MISSED, AREA, PRECISION = "share missed", "AUC", "average precision"
SCORES = {"auc": AREA, "average-precision": PRECISION}  # what may be asked to decide


def read_player(data: "str | Path | pd.DataFrame", job: AnomalyOptions) -> "AnomalyPlayer":
    """Read a table or series, find marks and types, and set the test part aside."""
    if job.time_column is not None:
        return AnomalyPlayer(prepare_series(read_table(data, seconds=job.seconds_to_look), job), job.seed)  # fmt: skip
    raw = read_table(data, limit=job.most_rows, seed=job.seed, seconds=job.seconds_to_look)
    keep_affordable_columns(raw, job)
    keep_affordable_rows(raw, job)
    test = read_table(job.test) if isinstance(job.test, str) else None
    return AnomalyPlayer(prepare_table(raw, job, test), job.seed)


class Part(NamedTuple):
    """Everything that a fold needs.

    Args:
        reader: Learned from the rows to learn from alone.
        learned: Their features.
        held: Features of the rows that set the threshold.
        judging: What judges.
    """

    reader: Reader
    learned: np.ndarray
    held: np.ndarray
    judging: Judging | None


class AnomalyPlayer(Player):
    """Normal rows that were read and split.

    Args:
        problem: Rows, anomalies and split.
        seed: Fixes folds, weights and what is made up.
    """

    sections, stored = sections, AnomalyModel
    remedy = (
        "Try other columns or more rows; the rows may have nothing in common that could be broken"
    )
    last = 3.0  # on all training rows, on all rows, and once for the learning curve

    problem: AnomalyProblem
    first = MISSED

    def __init__(self, problem: AnomalyProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p = problem
        self.is_series = isinstance(p, SeriesAnomalies)
        self.task = f"anomalies, {percent(p.alarms, digits=3)} alarms"
        self.title = f"{p.name}: anomalies"
        self.rows = len(p.train), len(p.test)
        odd = len(p.odd_train) + len(p.odd_test)
        marked = f", {odd:,} labelled anomalies" if p.target else ""
        self.headline = f"{p.name}: anomalies among {p.things} ({self.rows[0]:,} training {p.things}, {self.rows[1]:,} test {p.things}{marked})"  # fmt: skip
        self.simple = SERIES if self.is_series else TABLES
        self.folds = p.folds(seed)
        self._parts: dict[int | None, Part] = {}
        self._whole: Part | None = None
        self.held: dict[str, np.ndarray] = {}  # scores of the rows that set thresholds, by model

    def part(self, k: int | None) -> Part:
        """What fold ``k`` needs, or the test; the last ones are kept."""
        if k not in self._parts:
            train, judge = self.split(k)
            odd = self.problem.odd_rows(k, len(self.folds), self.seed)
            while len(self._parts) > 1:
                self._parts.pop(next(iter(self._parts)))
            self._parts[k] = self._prepare(train, judge, odd, 0 if k is None else k + 1)
        return self._parts[k]

    def _prepare(self, rows: np.ndarray, judge: np.ndarray | None, odd: np.ndarray, number: int) -> Part:  # fmt: skip
        p, rng = self.problem, np.random.default_rng([self.seed, 12, number])
        learn, held = p.cut(rows, self.seed)
        reader = p.learn(learn)
        width = len(reader.shape().cells)
        learned = p.features(reader, thin(learn, max(CELLS // width, 1000), rng))
        most = int(np.clip(JUDGED_CELLS // width, LEAST_JUDGED, JUDGED))
        held = thin(held, max(most, int(HELD_PER_ALARM / p.alarms)), rng)
        judging = None if judge is None else p.judging(reader, judge, odd, most, rng)
        return Part(reader, learned, p.features(reader, held), judging)

    @property
    def test_judging(self) -> Judging:
        """What judges at the end."""
        judging = self.part(None).judging
        assert judging is not None
        return judging

    def draw(self, trial: int) -> AutoencoderSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed, has_steps=self.is_series)

    def cost(self, settings: AutoencoderSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return 8.0 if settings.form == "recurrent" else 1.0

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Rows of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        part = self.part(0)
        assert part.judging is not None
        scored = np.concatenate([part.held, part.judging.X])
        return rows_in_time(candidate, part.reader, part.learned, scored, self.seed, seconds)

    def _learn(self, candidate: Candidate, part: Part, seed: int) -> tuple[Scoring, np.ndarray]:
        """A detector with its threshold, and the scores that set it."""
        X = part.learned
        most = self.most_rows.get(candidate.name, len(X))
        if most < len(X):
            X = X[np.sort(np.random.default_rng([self.seed, 4]).permutation(len(X))[:most])]
        detector: Scoring
        if candidate.name == NETWORK:
            detector = fit_network(X, candidate.settings, part.reader.channels, seed)[0]
        else:
            detector = fit_simple(candidate.name, X, part.reader.shape(), self.seed)
        return detector, calibrate(detector, part.held, self.problem.alarms)

    def fit(self, candidate: Candidate, k: int | None) -> Scoring:
        """The candidate on the training rows of fold ``k``, or on all; some of them set its threshold."""
        detector, held = self._learn(candidate, self.part(k), self.seed + (k or 0))
        if k is None:
            self.held[candidate.name] = held
        return detector

    def complete(self, candidate: Candidate, elder: Scoring) -> Scoring:
        """The candidate on all normal rows."""
        if self._whole is None:
            self._whole = self._prepare(self.everything, None, self.everything[:0], 0)
        return self._learn(candidate, self._whole, self.seed)[0]

    def outputs(self, model: Scoring, k: int | None) -> np.ndarray:
        """Scores of normal rows, then of anomalies, shape ``(N,)``."""
        judging = self.part(k).judging
        assert judging is not None
        return score(model, judging.X)

    def judge_by(self, score: str | None, costs: Any = None) -> None:
        """Decide what decides: the share missed, or another figure that was asked for."""
        require(costs is None, "fit: costs must be left out where anomalies are looked for", "some", "Say with --alarms how many you bear.")  # fmt: skip
        if score is None:
            return
        self.first = SCORES[choose("fit", "score", score, SCORES)]
        if self.first == PRECISION:
            rule = f"fit: score must be another than {score!r} where no anomalies are labelled to learn from"
            require(len(self.problem.odd_train), rule, "it", "Try --score auc.")

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        """How many anomalies are missed by thresholds that somebody would use, found at the one that was set, and false alarms."""
        judging = self.part(k).judging
        assert judging is not None
        normal, odd = units(judging, output)
        most = min(max(USED_ALARMS * self.problem.alarms, LEAST_USED), 1.0)
        false = float((output[: judging.normal] > 1.0).mean())
        figures = {MISSED: missed_share(normal, odd, most), AREA: 1.0 - missed_share(normal, odd)}
        figures |= {"found": float((odd > 1.0).mean()), "false alarms": false}
        if LABELLED in judging.kinds:
            truth = np.repeat([0, 1], [len(normal), len(odd)])
            figures[PRECISION] = float(average_precision_score(truth, np.append(normal, odd)))  # fmt: skip
            flagged = (normal > 1.0).sum() + (odd > 1.0).sum()
            figures["precision"] = float((odd > 1.0).sum() / flagged) if flagged else 0.0
        return {name: figures[name] for name in dict.fromkeys([self.first, *figures]) if name in figures}  # fmt: skip

    def watch(self, settings: AutoencoderSettings) -> History:
        """The chosen network on the first fold once more, watched on normal judging rows."""
        part = self.part(0)
        assert part.judging is not None
        watched = part.judging.X[: part.judging.normal]
        return fit_network(part.learned, settings, part.reader.channels, self.seed, watched)[1]

    def concerns(self) -> list[Concern]:
        """Anomalies that are made up, few rows, neighbours that are alike."""
        return find_concerns(self.problem, self.test_judging)

    def beyond(self, model: Scoring, output: np.ndarray) -> list[Concern]:
        """Say, if so, that the test part raises more alarms than were asked for."""
        return find_drift(self.problem, output[: self.test_judging.normal])

    def explain(self, report: Report, findings: Findings) -> None:
        """Add scores, kinds of anomalies, alarms asked for and raised, the strangest rows, and series."""
        sections.explain(report, self.problem, findings, self.part(None).reader, self.test_judging, self.held)  # fmt: skip

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Share of alarms, and what turns rows into features."""
        done = findings.completion.is_done and self._whole is not None
        part = self._whole if done else self.part(None)
        assert part is not None
        return {"alarms": self.problem.alarms, "reader": part.reader}

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """Scores and alarms of the normal test rows, with where each came from."""
        return sections.test_frame(self.problem, self.test_judging, output)


def units(judging: Judging, output: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores of normal units and of anomalies: of an event its strangest step.

    Args:
        judging: What judges.
        output: Scores of its rows.
    """
    normal, odd = output[: judging.normal], output[judging.normal :]
    return normal.reshape(-1, judging.size).max(1), odd.reshape(-1, judging.size).max(1)
