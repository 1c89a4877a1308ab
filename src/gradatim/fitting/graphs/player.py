"""Whole graphs in the contest."""

from typing import Any

import numpy as np

from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, FLATTERS
from gradatim.fitting.findings import Findings
from gradatim.fitting.graphs import sections
from gradatim.fitting.graphs.candidates import (
    FittedGraphs,
    fit_simple,
    rows_in_time,
    simple_models,
)
from gradatim.fitting.graphs.encoding import Encoder, Graphs, learn_encoder
from gradatim.fitting.graphs.kind import GraphOptions
from gradatim.fitting.graphs.model import GraphModel
from gradatim.fitting.graphs.networks import (
    EPOCHS,
    UNTIMED_EPOCHS,
    GraphSettings,
    draw_settings,
    fit_network,
    relative_cost,
    training_speed,
)
from gradatim.fitting.graphs.problem import GraphProblem, prepare
from gradatim.fitting.options import MOST
from gradatim.fitting.pacing import Pace, measure_pace
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.probing import LEAST
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History
from gradatim.wording import numbered, ranged

FOLDS = 5
SHARE = 0.06  # of the budget, for one training of the network on a fold
PATIENT = 0.7  # of the epochs that a training takes, which may stop early, about
CACHED_CELLS = 30_000_000


def read_player(data: Any, job: GraphOptions) -> "GraphPlayer":
    """Read graphs and set the test graphs aside."""
    return GraphPlayer(prepare(data, job), job.seed)


class GraphPlayer(Player):
    """Graphs that were read and split.

    Args:
        problem: Graphs, target and split.
        seed: Fixes folds, weights and inner splits.
    """

    sections, stored, has_intervals = sections, GraphModel, True
    remedy = "Try more graphs, or other columns of their nodes"
    last = 3.8  # on all training graphs, on all graphs, and once for the learning curve
    problem: GraphProblem

    def __init__(self, problem: GraphProblem, seed: int) -> None:
        super().__init__(problem, seed)
        p, self.task = problem, problem.task
        self.title = f"{p.name}: {p.target} of graphs"
        self.rows = len(p.train), len(p.test)
        low, high = int(p.raw.sizes.min()), int(p.raw.sizes.max())
        self.headline = (
            f"{p.name}: {p.task} of {p.target!r} ({self.rows[0]:,} training graphs, {self.rows[1]:,} test graphs, "
            f"{ranged(low, high, 'nodes')}, {numbered(p.raw.x.shape[1], 'columns')} of nodes)"
        )
        self.simple = simple_models(p.classes)
        self.folds = p.fold_rows(FOLDS, seed)
        self._pace = Pace()
        self._features: dict[int | None, tuple[Graphs, Graphs]] = {}
        self._encoders: dict[str, Encoder] = {}

    def features(self, k: int | None) -> tuple[Graphs, Graphs]:
        """The training and the judging graphs of fold ``k``, or of all, as numbers; kept while they fit in memory."""
        if k not in self._features:
            train, judge = self.split(k)
            encoder = self._learn("train", train) if k is None else learn_encoder(self.problem.raw.take(train))  # fmt: skip
            whole = encoder.encode(self.problem.raw)
            if whole.x.size * (len(self._features) + 1) > CACHED_CELLS:
                self._features.clear()
            self._features[k] = whole.take(train), whole.take(judge)
        return self._features[k]

    def _learn(self, name: str, rows: np.ndarray) -> Encoder:
        """The encoder of the training graphs or of all, learned once."""
        if name not in self._encoders:
            self._encoders[name] = learn_encoder(self.problem.raw.take(rows))
        return self._encoders[name]

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Measure how fast the network trains, and plan how often it may see each graph."""
        p, y = self.problem, self.problem.y[self.folds[0][0]]

        def speed() -> float:
            return training_speed(self.features(0)[0], y, p.classes, self.draw(0))

        self._pace = measure_pace(work, budget, tell, speed, share=SHARE / PATIENT, rows=len(y))

    def epochs(self, settings: GraphSettings) -> int:
        """Passes over the training graphs, at the most."""
        return self._pace.epochs(self.cost(settings), EPOCHS, UNTIMED_EPOCHS)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Graphs of the first fold from which a candidate learns within ``seconds``; ``None`` for all, 0 for too few."""
        if candidate.name == NETWORK:  # it sees each graph as often as the budget allows
            most = int(min(seconds * self._pace.speed / EPOCHS[0], MOST))
            return None if most >= len(self.folds[0][0]) else most if most >= LEAST else 0
        train, judge = self.features(0)
        y = self.problem.y[self.folds[0][0]]
        return rows_in_time(candidate.name, train, y, judge, self.problem.classes, self.seed, seconds)  # fmt: skip

    def draw(self, trial: int) -> GraphSettings:
        """Settings of a trial: both architectures, then random ones."""
        return draw_settings(trial, self.seed)

    def cost(self, settings: GraphSettings) -> float:
        """Training time in units of that of trial 0, about."""
        return relative_cost(settings)

    def fit(self, candidate: Candidate, k: int | None) -> FittedGraphs:
        """Learn from the training graphs of fold ``k``, or from all for ``None``."""
        p, rows, own = self.problem, self.split(k)[0], self.features(k)[0]
        taken = self.taken(candidate.name, np.arange(len(rows)))
        own, rows = own.take(taken), rows[taken]
        if candidate.name == NETWORK:
            settings, seed = candidate.settings, self.seed + (k or 0)
            twins = None if p.twins is None else p.twins[rows]
            return fit_network(own, p.y[rows], p.classes, settings, self.epochs(settings), seed, twins=twins)[0]  # fmt: skip
        return fit_simple(candidate.name, own, p.y[rows], p.classes, self.seed)

    def complete(self, candidate: Candidate, elder: FittedGraphs) -> FittedGraphs:
        """The candidate on all graphs; the network as many epochs as were best."""
        p, rows = self.problem, self.everything
        graphs = self._learn("all", rows).encode(p.raw).take(rows)
        taken = self.taken(candidate.name, np.arange(len(rows)))
        own, y = graphs.take(taken), p.y[rows[taken]]
        if candidate.name == NETWORK:
            epochs = max(int(elder.settings["epochs"]), 1)
            return fit_network(own, y, p.classes, candidate.settings, epochs, self.seed, stops=False)[0]  # fmt: skip
        return fit_simple(candidate.name, own, y, p.classes, self.seed, elder.settings)

    def outputs(self, model: FittedGraphs, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging graphs of fold ``k``, or of the test graphs."""
        return model.outputs(self.features(k)[1])

    def watch(self, settings: GraphSettings) -> History:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        (own, other), (train, judge), p = self.features(0), self.folds[0], self.problem
        taken = self.taken(NETWORK, np.arange(len(train)))
        own, train = own.take(taken), train[taken]
        return fit_network(own, p.y[train], p.classes, settings, self.epochs(settings), self.seed, watched=(other, p.y[judge]))[1]  # fmt: skip

    def concerns(self) -> list[Concern]:
        """Graphs that repeat others across the split, rare classes, little data."""
        p, found = self.problem, []
        if p.repeats is not None:
            across = int(np.isin(p.repeats.codes[p.test], p.repeats.codes[p.train]).sum())
            if across:
                seen = f"{across:,} of {len(p.test):,} test graphs repeat one of the training part"
                found.append(Concern("Repeats", seen, FLATTERS))
        found += p.doubts()
        if len(p.train) < 100:
            found.append(Concern("Little data", f"{len(p.train):,} training graphs", ANOTHER_SPLIT))
        return found

    def describe_network(self, settings: GraphSettings) -> list[tuple[str, object]]:
        """The settings and how often each graph is seen, for people."""
        return [*super().describe_network(settings), ("epochs at most", self.epochs(settings))]

    def explain(self, report: Report, findings: Findings) -> None:
        """Add figures of what the recommended model does on the test graphs."""
        sections.judge_figures(report, self.problem, findings)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """What turns graphs into numbers."""
        p = self.problem
        is_whole = findings.completion.is_done
        encoder = self._learn("all", self.everything) if is_whole else self._learn("train", p.train)
        return {"target": p.target, "labels": p.labels, "encoder": encoder}
