"""Data in the contest of :mod:`gradatim.fitting.contest`: what all kinds do alike, and what each must say.

A player is made by its reader from the user's data and settings; it holds the rows, the test rows and the folds. The
contest decides who trains when, and how long; the player knows how.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from gradatim.errors import require
from gradatim.evaluation.criteria import (
    COST,
    Criterion,
    check_criterion,
    find_criterion,
    named_criterion,
)
from gradatim.evaluation.decisions import choose_weights, is_decided, say_honestly
from gradatim.evaluation.metrics import measure
from gradatim.evaluation.racing import Result
from gradatim.evaluation.splits import Split
from gradatim.events import Tell
from gradatim.fitting.classes import prediction_frame
from gradatim.fitting.clock import Clock
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.told import Told, draw_places
from gradatim.fitting.work import Work
from gradatim.reports import Concern, Report
from gradatim.training import History, NonFiniteError

if TYPE_CHECKING:
    from gradatim.fitting.findings import Findings
    from gradatim.fitting.tuning import Family

NETWORK, AVERAGE = "network", "average"
WEIGHT = "log weight of class "  # begins the name of a figure that is none: how the class is said
FAILURES = (NonFiniteError, np.linalg.LinAlgError, ValueError)  # of a candidate

SAID_CELLS = 10_000_000  # of what candidates say of judging rows

Figures = dict[str, float]


class Candidate(NamedTuple):
    """A model in the contest: a simple one by its name, or the network with its settings.

    Args:
        name: Name of a simple model, or ``"network"``.
        settings: Settings of the network, as the player drew them.
    """

    name: str
    settings: Any = None


class Player(ABC):
    """Data that were read and split, with everything that is done to them.

    A kind of data says how its candidates learn and what they say: ``draw``, ``cost``, ``fit``, ``outputs``, ``watch``,
    ``concerns`` and what its model folder keeps. What is done here suits rows with a class or a value each.

    Args:
        problem: Data, target and split.
        seed: Fixes folds, weights and inner splits.

    Attributes:
        sections: Module of what the report says of this kind of data.
        stored: Class of the model that is written.
        remedy: What to try where nothing could be learned.
        last: Trainings of the network after tuning, in units of one on a fold.
        name: Short name of the data.
        things: What its rows are called.
        notes: What was done to the data, one sentence each.
        title: What is learned, for the report.
        headline: What is learned from how much, in a line.
        task: The task in words.
        simple: Names of the simple models, from the simplest to the most complex; the first is the trivial one.
        folds: Rows to learn from and rows to judge by, in order of use.
        rows: Rows for training and for the test.
        clock: The budget, and what is used of it.
        criterion: What decides, where something was asked for.
        costs: What saying a class (columns) costs where another is true (rows), where that is known.
        averaged: Class of the average of models, where one may be recommended.
        has_intervals: Whether models say how far they may err: rows have a value or one class each, and are drawn alike.
        told: What candidates said of judging rows, in short.
        has_network: Whether a network takes part; not where the budget leaves no time for it.
        favourite: The simple model that wins most often, where there is one; it is judged first and has most time.
        is_sample: Whether there are more rows than these, from which the network learns in the end.
        most_rows: Rows from which a candidate learns at most, by name, where the budget does not allow all.
    """

    sections: ModuleType
    stored: type[Any]
    remedy: str
    last: float
    title: str
    headline: str
    task: str
    simple: tuple[str, ...]
    averaged: type[Any] | None = None
    has_intervals: bool = False
    has_network: bool = True
    favourite: str = ""
    is_sample: bool = False
    folds: list[Split]
    rows: tuple[int, int]

    def __init__(self, problem: Any, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.name: str = problem.name
        self.things: str = problem.things
        self.notes: list[str] = problem.notes
        self.most_rows: dict[str, int] = {}
        self.clock = Clock()
        self.criterion: Criterion | None = None
        self.costs: np.ndarray | None = None
        self._said: dict[tuple[Candidate, int], np.ndarray] = {}
        self.told = Told()

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """Decide what decides, before anything is trained; a score that does not suit the task is refused.

        Args:
            score: Name of a figure; ``None`` for the usual one.
            costs: What mistakes cost, where that is known; it decides, unless a score is asked for.
        """
        if score is None and costs is None:
            return
        given = "costs" if score is None else "score"
        rule = f"fit: {given} must be left out for this kind of data, which is judged in a way of its own"
        require(type(self).measure is Player.measure, rule, repr(score) if score else "some")
        p = self.problem
        if costs is not None:
            self.costs = costs.matrix(p.labels)
        if score is None:
            self.criterion, p.score = named_criterion(COST), COST
            return
        self.criterion = find_criterion("fit", score, p.classes)
        p.score = self.criterion.name
        check_criterion("fit", self.criterion, p.y, p.classes)
        self.folds = [fold for fold in self.folds if _is_told(self.criterion, p.y[fold[1]])]
        rule = f"fit: score must have {self.things} of different classes in two folds at least to be {score!r}"
        require(len(self.folds) > 1, rule, len(self.folds), f"Use more {self.things}, or try --score log-loss.")  # fmt: skip

    def fingerprint(self) -> str:
        """Return a hash of everything that training sees; a killed run resumes only with the same."""
        digest = hashlib.sha256()
        for part in self.problem.contents():
            digest.update(part)
        return digest.hexdigest()

    def reserved(self, budget: float) -> float:
        """Seconds of a budget that the last training of the network takes beside those of the others."""
        return 0.0

    def prepare(self, work: Work, budget: float | None, tell: Tell) -> None:  # noqa: B027 - most kinds plan nothing
        """Plan for the budget before the first fold; what is measured is kept in ``work``.

        Args:
            work: Where a measurement is recalled from, so that a resumed run makes the same plan.
            budget: Seconds of the whole run; ``None`` where time plays no part.
            tell: Called where it takes long.
        """

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:  # noqa: B027 - some plan nothing
        """Measure what the network costs, and plan how long it may train; not called where no network takes part.

        Args:
            work: As in :meth:`prepare`.
            budget: As there.
            tell: As there.
        """

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Return from how many rows of a fold a candidate learns within ``seconds``, 0 for too few.

        ``None`` means all, or that it cannot be told before. ``most_rows`` gets what is decided.
        """
        return None

    @abstractmethod
    def draw(self, trial: int) -> Any:
        """Return the network's settings of trial number ``trial``, a data class; trial 0 has the defaults."""

    @abstractmethod
    def cost(self, settings: Any) -> float:
        """Return the training time of settings in units of that of trial 0, about."""

    def families(self) -> "Sequence[Family]":
        """Return simple models whose settings race; most kinds have none."""
        return ()

    def split(self, k: int | None) -> Split:
        """Rows to learn from and rows to judge by of fold ``k``; of the training and the test part for ``None``."""
        return (self.problem.train, self.problem.test) if k is None else self.folds[k]

    def taken(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Of some rows those that a candidate learns from: all, or as many as the budget allows, drawn at random."""
        most = self.most_rows.get(name, len(rows))
        if most >= len(rows):
            return rows
        return np.sort(np.random.default_rng([self.seed, 4]).permutation(rows)[:most])

    @property
    def everything(self) -> np.ndarray:
        """All rows, those of the test included."""
        return np.sort(np.concatenate([self.problem.train, self.problem.test]))

    @abstractmethod
    def fit(self, candidate: Candidate, k: int | None) -> Any:
        """Learn from the training rows of fold ``k``, or from all for ``None``.

        ``NonFiniteError``, ``LinAlgError`` and ``ValueError`` mean that the candidate failed. ``parameters`` of what is
        returned counts its numbers.
        """

    @abstractmethod
    def complete(self, candidate: Candidate, elder: Any) -> Any:
        """Learn from all rows, those of the test included, once the test is over.

        Args:
            candidate: The model.
            elder: What :meth:`fit` made of it: settings that it chose inside its rows stay.
        """

    @abstractmethod
    def outputs(self, model: Any, k: int | None) -> np.ndarray:
        """Return what a model says of the judging rows of fold ``k``, or of the test rows for ``None``."""

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        """Return the figures of what was said, each in its own direction; the first decides.

        Where a score wants another class than the likeliest to be said, and no decision is given, each part of the rows is
        decided as is best on the other parts; the figures then hold the class weights that are best on all (:data:`WEIGHT`).
        """
        p, own = self.problem, self.criterion
        rows = self.split(k)[1]
        y, weight = p.y[rows], None if p.weight is None else p.weight[rows]
        said, hidden = None, {}
        if self.costs is not None:
            decision = self.costs
        elif own is not None and decision is None and is_decided(own):
            said = say_honestly(own, y, output, weight)
            logs = np.log(choose_weights(own, y, output, weight)).tolist()
            hidden = {f"{WEIGHT}{code}": value for code, value in enumerate(logs)}
        figures = measure(y, output, p.classes, criterion=own, weight=weight, decision=decision, costs=self.costs, said=said)  # fmt: skip
        return figures | hidden

    def decision(self, results: Sequence[Result]) -> np.ndarray | None:
        """How the class of a row is said by a candidate with these results on the folds; ``None`` for the likeliest.

        Class weights are the geometric means of those that were best on each fold.
        """
        if self.costs is not None:
            return self.costs
        if not is_decided(self.criterion):
            return None
        names = [name for name in results[0].figures if name.startswith(WEIGHT)]
        return np.exp([np.mean([own.figures[name] for own in results]) for name in names])

    def judge(self, candidate: Candidate, k: int) -> Figures:
        """Learn from the training rows of fold ``k`` and return the figures of its judging rows."""
        return self.measure(self.said(candidate, k), k)

    def has_said(self, candidate: Candidate, k: int) -> bool:
        """Whether it is known what a candidate says of the judging rows of fold ``k``."""
        return (candidate, k) in self._said

    def said(self, candidate: Candidate, k: int) -> np.ndarray:
        """Return what a candidate says of the judging rows of fold ``k``; it is trained where that is not known."""
        if not self.has_said(candidate, k):
            return self.keep_said(candidate, k, self.outputs(self.fit(candidate, k), k))
        return self._said[candidate, k]

    def keep_said(self, candidate: Candidate, k: int, output: np.ndarray) -> np.ndarray:
        """Return what a candidate says, kept for an average while it fits in memory, and for intervals in short."""
        if self.has_intervals:
            places = self.kept_places(k)
            truth = self.problem.y[self.folds[k][1][places]]
            said = output[places, truth] if self.problem.classes else output[places]
            self.told.put(candidate, k, said)
        size = sum(own.size for own in self._said.values()) + output.size
        if self.averaged is not None and size <= SAID_CELLS:
            self._said[candidate, k] = output
        return output

    def kept_places(self, k: int) -> np.ndarray:
        """Places among the judging rows of fold ``k`` that tell how far candidates err."""
        rows = [len(judge) for _, judge in self.folds]
        return draw_places(rows[k], sum(rows), self.seed, k)

    def difficulty(self, rows: np.ndarray, *, is_shipped: bool = False) -> np.ndarray | None:
        """Return features by which rows may differ in how far models err; ``None`` where there are none to look at.

        Args:
            rows: Any of the whole.
            is_shipped: Whether as the models see them that are written, which may have learned all rows.
        """
        return None

    def slices(self) -> Iterable[tuple[str, np.ndarray]]:
        """Parts of the test rows by what stands in them, with names; none where rows have nothing to part them by."""
        return ()

    def combine(self, models: Sequence[Any], weights: Sequence[float]) -> Any:
        """Return one model that says the weighted mean of what others say."""
        assert self.averaged is not None
        return self.averaged(models, weights)

    @abstractmethod
    def watch(self, settings: Any) -> History | None:
        """Return the learning curve of the network on the first fold, if it has one to show."""

    @abstractmethod
    def concerns(self) -> list[Concern]:
        """Return all that may make the result less than it seems."""

    def nothing_learned(self, recommended: str) -> list[Concern]:
        """Say, if so, that no model is better than the trivial one."""
        if recommended != self.simple[0]:
            return []
        return [Concern("Nothing was learned", f"no model is better than the trivial one, {recommended}", self.remedy)]  # fmt: skip

    def beyond(self, model: Any, output: np.ndarray) -> list[Concern]:
        """Say, if so, that values of the test rows were held because they lay far beyond those of training."""
        return []

    def describe(self, report: Report) -> None:
        """Add what the data are to the report."""
        self.sections.describe_data(report, self.problem)

    def describe_network(self, settings: Any) -> list[tuple[str, object]]:
        """Return the network's settings, for people."""
        return self.sections.describe_network(settings)

    def explain(self, report: Report, findings: "Findings") -> None:
        """Add figures of what the recommended model does on the test rows to the report."""
        self.sections.judge_figures(report, self.problem, findings)

    def usage(self, findings: "Findings") -> str:
        """Return Python lines that use the model folder."""
        return self.sections.usage(self.problem, findings)

    def command(self, folder: Path) -> str:
        """Return what to type next; empty for the usual ``gradatim predict``."""
        return ""

    @abstractmethod
    def kept(self, findings: "Findings") -> dict[str, Any]:
        """Return what the stored model needs beside its fitted models."""

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:
        """Return the predictions of the test rows as ``predict`` writes them, with where each row came from."""
        return prediction_frame(output, self.problem.labels, self.problem.places(), decision)

    def save(self, folder: Path, findings: "Findings", about: Mapping[str, Any], extra: Mapping[str, bytes]) -> Any:  # fmt: skip
        """Write the model folder, with the ``extra`` files, and return the model as it will be loaded."""
        model = self.stored(
            **self.kept(findings),
            models=findings.shipped,
            recommended=findings.verdict.recommended,
            about=dict(about),
            decisions={name: own.tolist() for name, own in findings.decisions.items()},
            intervals=findings.calibrations.shipped(self, is_done=findings.completion.is_done),
        )
        given = () if findings.decision is None else (findings.decision,)
        table = self.predictions(findings.output, *given).to_csv(index=False)
        model.save(folder, {**extra, "predictions.csv": table.encode(errors="surrogateescape")})
        return model


def _is_told(criterion: Criterion, y: np.ndarray) -> bool:
    """Whether these rows can tell a criterion that ranks: rows of two classes are needed."""
    ranks = "auc" in criterion.name or criterion.name == "average_precision"
    return not ranks or len(np.unique(y)) > 1
