"""Tagged sentences in the contest."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tagged import Tagged, read_tagged
from gradatim.errors import InvalidType, require
from gradatim.evaluation.criteria import (
    check_criterion,
    find_criterion,
    named_criterion,
    usual_criterion,
)
from gradatim.evaluation.judged import Judged
from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, FLATTERS, TRUST_FOLDS
from gradatim.fitting.findings import Findings
from gradatim.fitting.mistakes import Costs
from gradatim.fitting.player import NETWORK, Candidate, Figures, Player
from gradatim.fitting.tags import sections
from gradatim.fitting.tags.counted import CHAIN, FREQUENCIES, PER_WORD, fit_counts
from gradatim.fitting.tags.family import Family, LearnedFamily, PretrainedFamily
from gradatim.fitting.tags.kind import TagOptions
from gradatim.fitting.tags.measures import span_f1, spans_of, tag_figures
from gradatim.fitting.tags.model import FittedTags, TagModel, tag_frame
from gradatim.fitting.tags.problem import (
    FEWEST_DOCUMENTS,
    TagProblem,
    has_documents,
    is_spans,
    prepare,
)
from gradatim.fitting.work import Work
from gradatim.models import SentenceEncoder, published_minilm
from gradatim.reports import Concern
from gradatim.training import History

FOLDS = 5
FIGURES = ("log_loss", "accuracy", "macro_f1")  # over words
WORDS_PER_SECOND = 2_000  # of the budget, from which the network can learn several times
READ_PER_SECOND = 1_500  # of the budget, that a published encoder reads


def read_player(data: "str | Path", job: TagOptions) -> "TagPlayer":
    """Read tagged sentences, and set the test sentences aside."""
    if not isinstance(data, str | Path):
        raise InvalidType(f"fit: data must be a file or folder of tagged sentences, got a {type(data).__name__}. Write them to a file, a word and its tag a line.")  # fmt: skip
    columns = job.word_column, job.tag_column
    found = _sample(read_tagged(data, *columns), job)
    test = read_tagged(job.test, *columns) if isinstance(job.test, str) else None
    encoder = None if job.pretrained is None else published_minilm()
    return TagPlayer(prepare(found, job, test), job.seed, encoder)


def _sample(found: Tagged, job: TagOptions) -> Tagged:
    """Keep as many sentences as were asked for, or as the budget can read, of whole documents where there are some."""
    lengths = np.array([len(words) for words in found.words])
    rng = np.random.default_rng([job.seed, 3])
    order = rng.permutation(len(lengths))
    documents = np.array(found.documents)
    if has_documents(documents):
        names, inverse = np.unique(documents, return_inverse=True)
        place = rng.permutation(len(names))[inverse]
        order = np.argsort(place, kind="stable")
    kept, why = len(order), "as asked"
    if job.rows is not None:
        kept = min(kept, job.rows)
    elif job.trials is None:
        pace = WORDS_PER_SECOND if job.pretrained is None else READ_PER_SECOND
        within = np.cumsum(lengths[order]) <= job.budget * pace
        kept, why = max(int(within.sum()), 1), "as the budget allows (a longer --budget takes more)"
    if kept == len(order):
        return found
    note = f"A random sample of {kept:,} of {len(order):,} sentences is used, {why}."
    found.notes.append(note)
    return found.pick(np.sort(order[:kept]).tolist())


class TagPlayer(Player):
    """Sentences with tags that were read and split.

    Args:
        problem: Sentences, tags and split.
        seed: Fixes folds, weights and draws.
        encoder: A published encoder, where one was asked for.
    """

    sections, stored = sections, TagModel
    remedy = "Try more sentences, or check which column holds the tags"
    last = 3.6  # on all training sentences, on all, and once for the learning curve
    problem: TagProblem
    simple = (FREQUENCIES, PER_WORD, CHAIN)

    def __init__(
        self, problem: TagProblem, seed: int, encoder: SentenceEncoder | None = None
    ) -> None:
        super().__init__(problem, seed)
        self.task = f"tagging with {problem.classes} tags"
        self.title = f"{problem.name}: tags of words"
        self.rows = len(problem.train), len(problem.test)
        self.headline = (
            f"{problem.name}: {self.task} ({self.rows[0]:,} training sentences of "
            f"{problem.lengths[problem.train].sum():,} words, {self.rows[1]:,} test sentences)"
        )
        self.folds = problem.folds(FOLDS, seed)
        self.family: Family = (
            LearnedFamily(problem, seed)
            if encoder is None
            else PretrainedFamily(problem, encoder, seed)
        )
        self._known: dict[int | None, np.ndarray] = {}

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Let the networks measure, or read."""
        self.family.prepare(work, budget, tell)

    def draw(self, trial: int) -> Any:
        """Settings of trial number ``trial``."""
        return self.family.draw(trial)

    def cost(self, settings: Any) -> float:
        """Training time in units of that of the default settings, about."""
        return self.family.cost(settings)

    def affordable_rows(self, candidate: Candidate, seconds: float) -> int | None:
        """Sentences from which the network learns in time; counting is quick."""
        if candidate.name != NETWORK:
            return None
        rows = self._mixed(self.folds[0][0])
        found = self.family.affordable(candidate.settings, rows, seconds)
        return None if found == len(rows) else found

    def _mixed(self, rows: np.ndarray) -> np.ndarray:
        return np.random.default_rng([self.seed, 4]).permutation(rows)

    def _learned(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Sentences that a candidate learns from: all, or as many as the budget allows."""
        most = self.most_rows.get(name)
        return rows if most is None or most >= len(rows) else np.sort(self._mixed(rows)[:most])

    def fit(self, candidate: Candidate, k: int | None) -> FittedTags:
        """The candidate on the training sentences of fold ``k``, or on all."""
        return self._fit(candidate, self.split(k)[0], self.seed + (k or 0))

    def _fit(self, candidate: Candidate, rows: np.ndarray, seed: int) -> FittedTags:
        p = self.problem
        rows = self._learned(candidate.name, rows)
        if candidate.name == NETWORK:
            return self.family.fit(candidate.settings, rows, seed)[0]
        return fit_counts(candidate.name, p.words_of(rows), p.y[p.tokens(rows)], p.classes)

    def complete(self, candidate: Candidate, elder: FittedTags) -> FittedTags:
        """The candidate on all sentences."""
        return self._fit(candidate, self.everything, self.seed)

    def outputs(self, model: FittedTags, k: int | None) -> np.ndarray:
        """Probabilities of the tags of the words to judge by."""
        return self.family.outputs(model, self.split(k)[1])

    def is_known(self, k: int | None) -> np.ndarray:
        """Which words to judge by stand in a training sentence."""
        if k not in self._known:
            learned, judged = (self.problem.words_of(rows) for rows in self.split(k))
            seen = {word for words in learned for word in words}
            self._known[k] = np.array([word in seen for words in judged for word in words])
        return self._known[k]

    def judge_by(self, score: str | None, costs: Costs | None = None) -> None:
        """Decide what decides: a figure over all words."""
        require(costs is None, "fit: costs must be given for classes of rows", "tags of words", "Leave --costs out.")  # fmt: skip
        if score is not None:
            p = self.problem
            self.criterion = find_criterion("fit", score, p.classes)
            check_criterion("fit", self.criterion, p.y, p.classes)

    def measure(self, output: np.ndarray, k: int | None, decision: np.ndarray | None = None) -> Figures:  # fmt: skip
        """Figures over words, of which the log loss decides unless another is asked for; then known and unknown words, sentences, spans."""
        p, rows = self.problem, self.split(k)[1]
        y, said = p.y[p.tokens(rows)], output.argmax(1)
        judged, first = Judged(y, output, p.classes), self.criterion or usual_criterion(p.classes)
        figures = {first.label: first.figure(judged)}
        others = [own for own in map(named_criterion, FIGURES) if own != first]
        figures |= {own.label: own.figure(judged) for own in others}
        figures |= tag_figures(y, said, self.is_known(k), p.lengths[rows])
        if is_spans(p.labels):
            starts = np.concatenate([[0], np.cumsum(p.lengths[rows])]).tolist()
            names = np.array(p.labels, dtype=object)
            right, found = (spans_of(names[codes].tolist(), starts) for codes in (y, said))
            figures["span F1"] = span_f1(right, found)
        return figures

    def watch(self, settings: Any) -> History | None:
        """The chosen network on the first fold once more, watched epoch by epoch."""
        train, judge = self.folds[0]
        return self.family.fit(settings, self._learned(NETWORK, train), self.seed, judge)[1]

    def concerns(self) -> list[Concern]:
        """Repeated sentences, neighbours on both sides, little data."""
        p, found = self.problem, []
        learned = {tuple(words) for words in p.words_of(p.train)}
        repeated = sum(tuple(words) in learned for words in p.words_of(p.test))
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test sentences stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        if not p.is_grouped and p.documents.min() >= 0:
            advice = "Begin each document with a line -DOCSTART-, or give a folder with a file for each"  # fmt: skip
            found.append(Concern("Neighbours", f"fewer than {FEWEST_DOCUMENTS} documents are marked, so that neighbouring sentences may stand on both sides", advice))  # fmt: skip
        if len(p.test) < 10:
            found.append(Concern("Little to judge by", f"{len(p.test)} test sentences", TRUST_FOLDS))  # fmt: skip
        if len(p.train) < 200:
            found.append(Concern("Little data", f"{len(p.train):,} training sentences", ANOTHER_SPLIT))  # fmt: skip
        return found

    def explain(self, report: Any, findings: Findings) -> None:
        """Add what the recommended model confuses, the hardest words, and sentences with mistakes."""
        sections.judge_figures(report, self.problem, findings, self.is_known(None))

    def predictions(self, output: np.ndarray, decision: np.ndarray | None = None) -> pd.DataFrame:  # fmt: skip
        """The test words as ``predict`` writes them, with the place of their sentence in the source."""
        p = self.problem
        return tag_frame(output, p.labels, p.words_of(p.test), p.rows[p.test])

    def describe_network(self, settings: Any) -> list[tuple[str, object]]:
        """The settings, for people."""
        return self.family.describe(settings)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Tags, and how the source is written."""
        return {"labels": self.problem.labels, "layout": list(self.problem.layout)}
