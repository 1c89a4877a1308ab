"""Series with labels in the contest."""

from typing import Any

import numpy as np

from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, FLATTERS
from gradatim.fitting.findings import Findings
from gradatim.fitting.options import MOST
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.probing import LEAST
from gradatim.fitting.sequences import sections
from gradatim.fitting.sequences.candidates import (
    FittedSequences,
    SequenceAverage,
    fit_simple,
    rows_in_time,
    simple_models,
)
from gradatim.fitting.sequences.kind import SequenceOptions
from gradatim.fitting.sequences.model import SequenceModel, encode
from gradatim.fitting.sequences.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    SequenceSettings,
    draw_settings,
    fit_network,
    relative_cost,
    training_speed,
)
from gradatim.fitting.sequences.problem import SequenceProblem, prepare
from gradatim.fitting.sequences.steps import Sequences, step_rows
from gradatim.fitting.tables.preprocessing import Preprocessing, fit_preprocessing
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History
from gradatim.wording import numbered, ranged

FOLDS = 5
SHARE = 0.06  # of the budget, for one training of the network on a fold
PATIENT = 0.7  # of the epochs that a training takes, which may stop early, about
CACHED_CELLS = 30_000_000


def read_player(data: Any, job: SequenceOptions) -> "SequencePlayer":
    """Read series, find channels and targets, and set the test series aside."""
    return SequencePlayer(prepare(data, job), job.seed)


class SequencePlayer(Player):
    """Series that were read, typed and split.

    Args:
        problem: Series, target and split.
        seed: Fixes folds, weights and inner splits.
    """

    sections, stored, averaged = sections, SequenceModel, SequenceAverage
    has_intervals = True
    remedy = "Try more series, or other channels"
    last = 3.8  # on all training series, on all series, and once for the learning curve
    problem: SequenceProblem

    def __init__(self, problem: SequenceProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p, self.task = problem, problem.task
        self.title = f"{p.name}: {p.target} of series"
        self.rows = len(p.train), len(p.test)
        steps = ranged(int(p.lengths.min()), int(p.lengths.max()), "steps")
        self.headline = (
            f"{p.name}: {p.task} of {p.target!r} ({self.rows[0]:,} training series, {self.rows[1]:,} test series, "
            f"{numbered(len(p.columns), 'channels')}, {steps})"
        )
        self.simple = simple_models(p.classes)
        self.folds = p.fold_rows(FOLDS, seed)
        self._pace = Pace()
        self._features: dict[int | None, tuple[Sequences, Sequences]] = {}
        self._preprocessing: Preprocessing | None = None
        self._whole: tuple[Preprocessing, Sequences] | None = None

    def features(self, k: int | None) -> tuple[Sequences, Sequences]:
        """The training and the judging series of fold ``k``, or of all, as numbers; kept while they fit in memory."""
        if k not in self._features:
            train, judge = self.split(k)
            own = self._learn(train)
            if k is None:
                self._preprocessing = own
            whole = self._encode(own)
            if whole.values.size * (len(self._features) + 1) > CACHED_CELLS:
                self._features.clear()
            self._features[k] = whole.take(train), whole.take(judge)
        return self._features[k]

    def _learn(self, rows: np.ndarray) -> Preprocessing:
        """The preprocessing learned from the steps of some series."""
        p = self.problem
        return fit_preprocessing(p.table, p.columns, step_rows(p.lengths, rows))

    def _encode(self, preprocessing: Preprocessing) -> Sequences:
        p = self.problem
        return encode(p.table, p.lengths, preprocessing, p.num_static, p.block)

    @property
    def preprocessing(self) -> Preprocessing:
        """The preprocessing learned from all training series."""
        if self._preprocessing is None:
            self._preprocessing = self._learn(self.problem.train)
        return self._preprocessing

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how often it may see each series."""
        p, y = self.problem, self.problem.y[self.folds[0][0]]

        def speed() -> float:
            return training_speed(self.features(0)[0], y, p.classes, self.draw(0))

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE / PATIENT, rows=len(y))

    def epochs(self, settings: SequenceSettings) -> int:
        """Passes over the training series, at the most."""
        return self._pace.epochs(self._relative_cost(settings), EPOCHS, UNTIMED_EPOCHS)

    def _relative_cost(self, settings: SequenceSettings) -> float:
        """Time of a step of training in units of that of the default settings, about."""
        longest = -(-int(self.problem.lengths.max()) // self.problem.block)
        return relative_cost(settings, longest) / relative_cost(self.draw(0), longest)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Series of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        if (
            candidate.name == NETWORK
        ):  # it sees each series as often as the budget allows, but no series too rarely
            most = int(min(seconds * self._pace.speed / EPOCHS[0], MOST))
            return None if most >= len(self.folds[0][0]) else most if most >= LEAST else 0
        train, judge = self.features(0)
        y = self.problem.y[self.folds[0][0]]
        return rows_in_time(candidate.name, train, y, judge, self.problem.classes, self.seed, seconds)  # fmt: skip

    def draw(self, trial: int) -> SequenceSettings:
        """Settings of trial number ``trial``."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: SequenceSettings) -> float:
        """Training time in units of that of the default settings, about."""
        return self.epochs(settings) / self.epochs(self.draw(0)) * self._relative_cost(settings)

    def fit(self, candidate: Candidate, k: int | None) -> FittedSequences:
        """The candidate on the training series of fold ``k``, or on all."""
        p, rows, own = self.problem, self.split(k)[0], self.features(k)[0]
        taken = self.taken(candidate.name, np.arange(len(rows)))
        own, rows = own.take(taken), rows[taken]
        if candidate.name == NETWORK:
            groups = None if p.groups is None else p.groups[rows]
            settings, seed = candidate.settings, self.seed + (k or 0)
            return fit_network(own, p.y[rows], p.classes, settings, self.epochs(settings), seed, groups=groups)[0]  # fmt: skip
        return fit_simple(candidate.name, own, p.y[rows], p.classes, self.seed)

    def complete(self, candidate: Candidate, elder: FittedSequences) -> FittedSequences:
        """The candidate on all series; the network as many epochs as were best."""
        p, rows = self.problem, self.everything
        if self._whole is None:
            learned = self._learn(rows)
            self._whole = learned, self._encode(learned).take(rows)
        taken = self.taken(candidate.name, np.arange(len(rows)))
        own, y = self._whole[1].take(taken), p.y[rows[taken]]
        if candidate.name == NETWORK:
            epochs = max(int(elder.settings["epochs"]), 1)
            return fit_network(own, y, p.classes, candidate.settings, epochs, self.seed, stops=False)[0]  # fmt: skip
        return fit_simple(candidate.name, own, y, p.classes, self.seed, elder.settings)

    def outputs(self, model: FittedSequences, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging series of fold ``k``, or of the test series."""
        return model.outputs(self.features(k)[1])

    def watch(self, settings: SequenceSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (own, other), (train, judge), p = self.features(0), self.folds[0], self.problem
        watched, taken = (other, p.y[judge]), self.taken(NETWORK, np.arange(len(train)))
        own, train = own.take(taken), train[taken]
        return fit_network(own, p.y[train], p.classes, settings, self.epochs(settings), self.seed, watched=watched)[1]  # fmt: skip

    def concerns(self) -> list[Concern]:
        """Repeated series, rare classes, little data."""
        p, found = self.problem, []
        own, other = self.features(None)
        learned = set(_bytes(own))
        repeated = sum(content in learned for content in _bytes(other))
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test series stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        found += p.doubts()
        if len(p.train) < 100:
            found.append(Concern("Little data", f"{len(p.train):,} training series", ANOTHER_SPLIT))
        return found

    def describe_network(self, settings: SequenceSettings) -> list[tuple[str, object]]:
        """The settings and how often each series is seen, for people."""
        return [*super().describe_network(settings), ("epochs at most", self.epochs(settings))]

    def explain(self, report: Report, findings: Findings) -> None:
        """Add figures of what the recommended model does on the test series."""
        series = self.features(None)[1]
        sections.judge_figures(report, self.problem, findings, series, self.clock, self.preprocessing)  # fmt: skip

    def kept(self, findings: Findings) -> dict[str, Any]:
        """What turns a file into numbers."""
        p, own = self.problem, self.preprocessing
        if findings.completion.is_done and self._whole is not None:
            own = self._whole[0]
        return {
            "target": p.target, "labels": p.labels, "layout": p.layout, "axis": p.axis, "num_static": p.num_static,
            "block": p.block, "preprocessing": own,
        }  # fmt: skip


def _bytes(series: Sequences) -> list[bytes]:
    return [part.tobytes() for part in np.split(series.values, series.starts[1:])]
