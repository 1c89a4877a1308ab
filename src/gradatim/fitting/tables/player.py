"""A table in the contest."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gradatim.data.streaming.files import AllRows
from gradatim.data.tables.reading import RawTable, is_pattern, read_table
from gradatim.evaluation.criteria import usual_criterion
from gradatim.evaluation.decisions import is_decided
from gradatim.evaluation.judged import Judged
from gradatim.evaluation.splits import Split
from gradatim.events import Tell
from gradatim.fitting.findings import Findings
from gradatim.fitting.goals import Goal
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.sections import judge_figures
from gradatim.fitting.tables import sections
from gradatim.fitting.tables.boosting import TreeRace
from gradatim.fitting.tables.candidates import (
    DISCRIMINANT,
    EXTRA,
    MOST_TREE_FEATURES,
    NEAREST,
    PROCESS,
    TREES,
    can_search,
    fit_simple,
    simple_models,
)
from gradatim.fitting.tables.concerns import find_concerns
from gradatim.fitting.tables.costs import FoldData, rows_in_time
from gradatim.fitting.tables.gaussian_process import MOST_ROWS
from gradatim.fitting.tables.hidden_means import are_better_hidden, hide
from gradatim.fitting.tables.importance import permutation_importance
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.known_rows import find_features
from gradatim.fitting.tables.ladders import MOST_CELLS, numeric_features
from gradatim.fitting.tables.level_means import standardized_targets
from gradatim.fitting.tables.model import TableModel
from gradatim.fitting.tables.networks import (
    WIDTH,
    NetworkJob,
    NetworkSettings,
    cost,
    draw_settings,
    fit_network,
    fit_networks,
    watch_network,
)
from gradatim.fitting.tables.one_hot_width import keep_affordable_columns, keep_affordable_rows
from gradatim.fitting.tables.predictors import FAR, Fitted, average, count_held, predict
from gradatim.fitting.tables.preprocessing import Preprocessing, learn_features, take_rows
from gradatim.fitting.tables.problem import Problem, prepare
from gradatim.fitting.tables.slices import slice_rows
from gradatim.fitting.tables.streamed import LEARNING, LOOKING, Streamed
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History
from gradatim.wording import numbered

CACHE_CELLS = 50_000_000
IMPORTANCE_BY = 0.95  # of the budget, when it must be measured
LOOKED_ROWS = 20_000  # by which extra trees choose how to tell categories apart
SMALL_ROWS, SMALL_CELLS = 2_000, 100_000  # of a table that is cut into ten


def read_player(data: "str | Path | pd.DataFrame", job: TableOptions) -> "TablePlayer":
    """Read a table, find target, task and types, and set the test rows aside."""
    free = 1 - LOOKING - LEARNING if is_pattern(data) else 1.0  # the rest is for all rows
    limit = replace(job, budget=free**2 * job.budget).most_rows
    raw = read_table(data, limit=limit, seed=job.seed, seconds=job.seconds_to_look)
    keep_affordable_columns(raw, job)
    keep_affordable_rows(raw, job)
    test, files = None, raw.files
    if isinstance(job.test, str):
        test = read_table(
            job.test,
            limit=replace(job, rows=None).most_rows,
            seed=job.seed,
            seconds=job.seconds_to_look,
        )
    problem = prepare(raw, job, test)
    return TablePlayer(problem, job.seed, find_streamed(problem, files, raw, job))


def find_streamed(
    problem: Problem, files: AllRows | None, raw: RawTable, job: TableOptions
) -> Streamed | None:
    """All rows of a table of which a sample was read, where the test rows can be kept apart from them."""
    if files is None or len(raw.frame) == raw.rows or job.rows is not None:
        return None
    apart = [n for n in ("group", "time_column", "weight") if getattr(job, n) is not None]
    apart += ["test"] if isinstance(job.test, str) else []
    if apart:
        problem.notes.append(f"The network learns from the sample too, because of {apart[0]}.")
        return None
    left_out = np.sort(problem.rows[problem.test])
    budget = None if job.trials is not None else job.budget
    return Streamed(
        files, problem.target, problem.labels, problem.columns, left_out, job.seed, budget
    )


class TablePlayer(Player):
    """A table that was read, typed and split.

    Args:
        problem: Table, target and split.
        seed: Fixes folds, weights and inner splits.
        streamed: All rows, where the table is a sample of them.
    """

    sections, stored = sections, TableModel
    remedy = "Try other columns, more rows, or a target that depends on the columns"
    averaged, favourite, has_intervals = Fitted, TREES, True
    last = 3.6  # on all training rows, on all rows, and once for the learning curve
    width = WIDTH
    problem: Problem

    def __init__(self, problem: Problem, seed: int, streamed: Streamed | None = None) -> None:
        super().__init__(problem, seed)
        self.streamed, self._moments = streamed, dict[str, tuple[float, float]]()
        self.is_sample = streamed is not None
        self.task = problem.task
        self.title = f"{problem.name}: {problem.target}"
        self.rows = len(problem.train), len(problem.test)
        self.headline = (
            f"{problem.name}: {problem.task} of {problem.target!r} ({numbered(self.rows[0], 'training rows')}, "
            f"{numbered(self.rows[1], 'test rows')}, {numbered(len(problem.columns), 'columns')})"
        )
        self.simple = simple_models(problem.classes)
        self.folds = plan_folds(problem, seed)
        self._features: dict[int | None, tuple[np.ndarray, np.ndarray]] = {}
        self._blurred: dict[int | None, np.ndarray] = {}
        self._hides_means = False  # from extra trees, which then know categories by their places
        self._cells = 0
        self._preprocessing: Preprocessing | None = None
        self._whole: tuple[Preprocessing, np.ndarray] | None = None

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """Candidates that cannot be trained for what is asked are left out, or only judged by it."""
        super().judge_by(score, costs)
        if self.problem.weight is not None:
            for name in (DISCRIMINANT, NEAREST, PROCESS):
                if name in self.simple:
                    self._leave_out(name, "it cannot weigh rows")
        if self.criterion is not None and self._goal(self.problem.train).quantile is not None:
            means = " and ".join(name for name in (NEAREST, EXTRA) if name in self.simple)
            self.notes.append(
                f"{means} predict means; the {self.criterion.label} only judges them."
            )

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Leave out what so many rows are too many for, and say what trees look at."""
        train, judge = self.folds[-1]
        if not can_search(len(train), len(judge), budget or 60.0):
            self._leave_out(NEAREST, "too many rows to measure every distance")
        if len(train) > MOST_ROWS and PROCESS in self.simple:
            self._leave_out(PROCESS, f"its work grows as the cube of the rows, and more than {MOST_ROWS:,} are too many")  # fmt: skip
        rows = int(min(LOOKED_ROWS, 500 * (budget or 60.0)))
        if EXTRA in self.simple and len(self._blurred_of(0)):
            self._hides_means = work.recall("hides-means", lambda: self._look_at_means(rows))
        width = self.features(0)[0].shape[1]
        if width > MOST_TREE_FEATURES:
            self.notes.append(
                f"{TREES} look at {MOST_TREE_FEATURES:,} of {width:,} features, those that tell most of the target by themselves."
            )

    def _leave_out(self, name: str, why: str) -> None:
        self.simple = tuple(other for other in self.simple if other != name)
        self.notes.append(f"{name} is left out: {why}.")

    def features(self, k: int | None) -> tuple[np.ndarray, np.ndarray]:
        """Features of the training and the judging rows of fold ``k``, or of all; kept while they fit in memory."""
        if k not in self._features:
            train, judge = self.split(k)
            if k is None and self.streamed is not None and not self._moments:
                self._moments = self.streamed.moments()
            own, X = self._learn(train, self._moments if k is None else None)
            if k is None:
                self._preprocessing = own
            self._blurred[k] = own.blurred()
            pair = X, own.transform(take_rows(self.problem.table, judge))
            size = sum(part.size for part in pair)
            while self._features and self._cells + size > CACHE_CELLS:
                self._cells -= sum(part.size for part in self._features.pop(next(iter(self._features))))  # fmt: skip
            self._features[k] = pair
            self._cells += size
        return self._features[k]

    def _learn(
        self, rows: np.ndarray, moments: Mapping[str, tuple[float, float]] | None = None
    ) -> tuple[Preprocessing, np.ndarray]:
        """The preprocessing learned from some rows, and their features."""
        p = self.problem
        targets = standardized_targets(p.y[rows], p.classes)
        return learn_features(p.table, p.columns, rows, targets, self.seed, moments)

    def _blurred_of(self, k: int | None) -> np.ndarray:
        """Features of fold ``k``, or of all, that differ between training rows of one category."""
        self.features(k)
        return self._blurred[k]

    def _look_at_means(self, most: int) -> bool:
        """Whether extra trees do better on the first fold without the mean targets of categories that have places."""
        p, (train, judge), (X, X_judge) = self.problem, self.folds[0], self.features(0)
        data = FoldData(X, p.y[train], X_judge, p.classes, self._goal(train))

        def loss(output: np.ndarray) -> float:
            return self._goal(judge).loss(p.y[judge], output, p.classes)

        return are_better_hidden(self._blurred[0], data, loss, self.seed, most)

    def _taken(self, name: str, X: np.ndarray, learned: np.ndarray) -> "_Taken":
        """Rows that a candidate learns from: all, or as many as the budget allows, drawn at random."""
        most, y, goal = (
            self.most_rows.get(name, len(X)),
            self.problem.y[learned],
            self._goal(learned),
        )
        if most >= len(X):
            return _Taken(X, y, goal)
        rows = np.sort(np.random.default_rng([self.seed, 4]).permutation(len(X))[:most])
        return _Taken(X[rows], y[rows], goal.take(rows))

    def _goal(self, rows: np.ndarray) -> Goal:
        """What candidates that learn from these rows are trained for."""
        return Goal(self.criterion, self.problem.weight, self.costs).take(rows)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Rows of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        X, X_judge = self.features(0)
        rows, p = self.folds[0][0], self.problem
        data = FoldData(X, p.y[rows], X_judge, p.classes, self._goal(rows))
        return rows_in_time(candidate, data, self.seed, seconds)

    @property
    def preprocessing(self) -> Preprocessing:
        """The preprocessing learned from all training rows."""
        if self._preprocessing is None:
            self._preprocessing = self._learn(self.problem.train, self._moments)[0]
        return self._preprocessing

    def reserved(self, budget: float) -> float:
        """Time to learn from all rows."""
        return (LOOKING + LEARNING) * budget if self.is_sample else 0.0

    def draw(self, trial: int) -> NetworkSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed, is_decided(self.criterion))

    def cost(self, settings: NetworkSettings) -> float:
        """Training time in units of that of the default settings, about."""
        rows, inputs = self.features(0)[0].shape
        rows = min(rows, self.most_rows.get(NETWORK, rows))
        return cost(settings, rows, inputs, self.problem.classes or 1, self._numeric)

    @cached_property
    def _numeric(self) -> int:
        """Features of the first fold that may have ladders."""
        return len(numeric_features(self.features(0)[0]))

    def fit(self, candidate: Candidate, k: int | None) -> Fitted:
        """The candidate on the training rows of fold ``k``, or on all."""
        classes = self.problem.classes
        X, y, goal = self._taken(candidate.name, self.features(k)[0], self.split(k)[0])
        if candidate.name == NETWORK and k is None and self.streamed is not None:
            fitted = self.streamed.train(X, y, self.preprocessing, candidate.settings, goal, self.seed)  # fmt: skip
            self.notes += self.streamed.notes
            return fitted
        if candidate.name == NETWORK:
            return fit_network(X, y, classes, candidate.settings, self.seed + (k or 0), goal)
        if candidate.name == EXTRA and self._hides_means:
            X = hide(X, self._blurred_of(k))
        chosen = None if candidate.settings is None else asdict(candidate.settings)
        return fit_simple(candidate.name, X, y, classes, self.seed, chosen, goal)

    def families(self) -> list[TreeRace]:
        """Boosted trees have settings that race."""
        y, classes = self.problem.y, self.problem.classes

        def data(k: int) -> tuple[np.ndarray, np.ndarray, Goal]:
            return self._taken(TREES, self.features(k)[0], self.folds[k][0])

        def judge(candidate: Candidate, fitted: Fitted, k: int) -> Figures:
            return self.measure(
                self.keep_said(candidate, k, predict(fitted, self.features(k)[1])), k
            )

        return [TreeRace(data, judge, y[self.problem.train], classes, self.seed, self.told)]

    def complete(self, candidate: Candidate, elder: Fitted) -> Fitted:
        """The candidate on all rows, with a preprocessing that is learned from all."""
        p, rows = self.problem, self.everything
        if self._whole is None:
            self._whole = self._learn(rows)
        X, y, goal = self._taken(candidate.name, self._whole[1], rows)
        if candidate.name == NETWORK:
            return fit_network(X, y, p.classes, candidate.settings, self.seed, goal)
        if candidate.name == EXTRA and self._hides_means:
            X = hide(X, self._whole[0].blurred())
        return fit_simple(candidate.name, X, y, p.classes, self.seed, elder.settings, goal)

    def outputs(self, model: Fitted, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging rows of fold ``k``, or of the test rows."""
        return predict(model, self.features(k)[1])

    def difficulty(self, rows: np.ndarray, *, is_shipped: bool = False) -> np.ndarray:
        """Features of training or test rows, as the models that met the test or those that are written see them."""
        parts = list(zip(self.split(None), self.features(None), strict=True))
        if is_shipped and self._whole is not None:
            parts = [(self.everything, self._whole[1])]
        return find_features(parts, rows)

    def slices(self) -> Iterable[tuple[str, np.ndarray]]:
        """Parts of the test rows by what stands in each column."""
        p = self.problem
        return slice_rows(p.columns, p.table, p.test)

    def combine(self, models: Sequence[Fitted], weights: Sequence[float]) -> Fitted:
        """The average of models."""
        return average(models, weights)

    def judge_together(self, jobs: Sequence[tuple[Candidate, int]]) -> list[Figures]:
        """Figures of networks on their folds, trained side by side; none where a training failed."""
        found: dict[int, Figures] = {}
        classes = self.problem.classes
        for folds in self._fold_groups([k for _, k in jobs]):
            data = {k: self._taken(NETWORK, self.features(k)[0], self.folds[k][0]) for k in folds}
            numbers = [number for number, (_, k) in enumerate(jobs) if k in data]
            fits = fit_networks(
                [
                    _job(data[k], candidate.settings, self.seed + k)
                    for candidate, k in (jobs[number] for number in numbers)
                ],
                classes,
            )
            for number, fitted in zip(numbers, fits, strict=True):
                k = jobs[number][1]
                found[number] = {}
                if fitted is not None:
                    output = predict(fitted, self.features(k)[1])
                    found[number] = self.measure(self.keep_said(jobs[number][0], k, output), k)
        return [found[number] for number in range(len(jobs))]

    def _fold_groups(self, folds: Iterable[int]) -> list[list[int]]:
        """Folds whose features fit in memory together."""
        cells = self.features(0)[0].shape[1] * len(self.problem.train)
        cells += min(cells * 32, MOST_CELLS)  # of ladders, at most
        distinct, size = sorted(set(folds)), max(CACHE_CELLS // max(cells, 1), 1)
        return [distinct[start : start + size] for start in range(0, len(distinct), size)]

    def watch(self, settings: NetworkSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (X, X_judge), (train, judge) = self.features(0), self.folds[0]
        job = _job(self._taken(NETWORK, X, train), settings, self.seed)
        return watch_network(job, self.problem.classes, (X_judge, self.problem.y[judge]))

    def concerns(self) -> list[Concern]:
        """Leaks, repeated rows, rare classes, little data, drift."""
        return find_concerns(self.problem, self.seed, self.clock)

    def beyond(self, model: Fitted, output: np.ndarray) -> list[Concern]:
        """Values that were held."""
        held = count_held(model, output)
        if not held:
            return []
        seen = (
            f"{held:,} of {len(output):,} predictions of test rows lay {FAR}; they are held there"
        )
        return [Concern("Extrapolation", seen, "Look for strange rows")]

    def explain(self, report: Report, findings: Findings) -> None:
        """Add confusion and calibration or residuals, and permutation importance."""
        judge_figures(report, self.problem, findings, label=self.problem.target)
        with report.attempt("the importance of the columns"):
            self._importance(report, findings)

    def _importance(self, report: Report, f: Findings) -> None:
        p = self.problem
        rows, y = take_rows(p.table, p.test), p.y[p.test]
        model = f.models[f.verdict.recommended]
        is_over = self.clock.over_at(IMPORTANCE_BY)
        importance = permutation_importance(
            model, self.preprocessing, rows, y, seed=self.seed, is_over=is_over, judge=self._importance_of(f)
        )  # fmt: skip
        if len(importance) < len(p.columns):
            self.notes.append(f"Importance was measured for {len(importance):,} of {len(p.columns):,} columns, to keep within the budget.")  # fmt: skip
        sections.importance_figure(report, importance, f.verdict)

    def _importance_of(self, f: Findings) -> Callable[[np.ndarray, np.ndarray], float]:
        """How bad predictions of some test rows are, by the figure that decides."""
        own = self.criterion or usual_criterion(self.problem.classes)
        classes, decision, costs = self.problem.classes, f.decision, self.costs
        return lambda y, said: own.loss(Judged(y, said, classes, decision=decision, costs=costs))

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Target, labels and preprocessing."""
        p, own = self.problem, self.preprocessing
        if findings.completion.is_done and self._whole is not None:
            own = self._whole[0]
        return {"target": p.target, "labels": p.labels, "preprocessing": own}


class _Taken(NamedTuple):
    """Features and targets to learn from, and what for."""

    X: np.ndarray
    y: np.ndarray
    goal: Goal


def _job(taken: _Taken, settings: NetworkSettings, seed: int) -> NetworkJob:
    return NetworkJob(taken.X, taken.y, settings, seed, taken.goal)


def plan_folds(problem: Problem, seed: int) -> list[Split]:
    """Ten folds for a small table, five for a larger one, as rows of the whole table."""
    rows, cells = len(problem.train), len(problem.train) * len(problem.columns)
    count = 10 if 60 <= rows <= SMALL_ROWS and cells <= SMALL_CELLS else 5
    return problem.folds(count, seed, problem.groups, problem.times)
