"""Texts in the contest."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Column
from gradatim.data.tables.reading import RawTable, read_table
from gradatim.data.word_counts import count_terms, read_corpus
from gradatim.events import Tell
from gradatim.fitting.classes import ANOTHER_SPLIT, FLATTERS
from gradatim.fitting.family import Family
from gradatim.fitting.findings import Findings
from gradatim.fitting.player import NETWORK, Candidate, Player
from gradatim.fitting.tables.slices import slice_rows
from gradatim.fitting.texts import sections
from gradatim.fitting.texts.family import FEWEST, SHARE, LearnedFamily, PretrainedFamily
from gradatim.fitting.texts.kind import TextOptions
from gradatim.fitting.texts.linear import WORDS, WordModel, fit_trivial, fit_words
from gradatim.fitting.texts.model import FittedText, TextModel
from gradatim.fitting.texts.problem import TextProblem, prepare
from gradatim.fitting.work import Work
from gradatim.models import SentenceEncoder, published_minilm
from gradatim.reports import Concern, Report
from gradatim.training import History

CHARACTERS_PER_SECOND = 500_000  # of the budget
FOLDS = 5
TOKENS_PER_SECOND = 5_000  # that a published encoder reads, about


def read_player(data: "str | Path | pd.DataFrame", job: TextOptions) -> "TextPlayer":
    """Read a table with a column of texts, and set the test rows aside."""
    raw = read_table(data, seconds=job.seconds_to_look)
    _sample(raw, job)
    test = read_table(job.test) if isinstance(job.test, str) else None
    problem = prepare(raw, job, test)
    encoder = None if job.pretrained is None else published_minilm()
    return TextPlayer(problem, job.seed, encoder)


def _sample(raw: RawTable, job: TextOptions) -> None:
    """Keep as many rows as were asked for, or as the budget can read."""
    limit, why = job.rows, "as asked"
    if limit is None and job.trials is None:
        sizes = raw.frame.iloc[:200].map(lambda cell: len(str(cell))).sum(axis=1)
        limit = int(job.budget * CHARACTERS_PER_SECOND / max(float(sizes.mean()), 1.0))
        if job.pretrained is not None:
            limit = min(limit, int(SHARE * job.budget * TOKENS_PER_SECOND / FEWEST))
        why = "as the budget allows (a longer --budget takes more)"
    if limit is not None and len(raw.frame) > limit:
        kept = np.random.default_rng([job.seed, 3]).permutation(len(raw.frame))[:limit]
        raw.frame = raw.frame.iloc[np.sort(kept)]
        raw.notes.append(f"A random sample of {limit:,} of {raw.rows:,} rows is used, {why}.")


class TextPlayer(Player):
    """Texts that were read, cut into words and split.

    Args:
        problem: Texts, target and split.
        seed: Fixes folds, weights and inner splits.
        encoder: A published encoder, where one was asked for.
    """

    sections, stored, has_intervals = sections, TextModel, True
    remedy = "Try more texts, or a target that depends on them"
    last = 3.6  # on all training texts, on all texts, and once for the learning curve
    problem: TextProblem

    def __init__(
        self, problem: TextProblem, seed: int, encoder: SentenceEncoder | None = None
    ) -> None:
        super().__init__(problem, seed)
        self.task = problem.task
        self.title = f"{problem.name}: {problem.target} from {problem.source}"
        self.rows = len(problem.train), len(problem.test)
        self.headline = (
            f"{problem.name}: {problem.task} of {problem.target!r} from {problem.source} "
            f"({self.rows[0]:,} training texts, {self.rows[1]:,} test texts)"
        )
        self.simple = ("class frequencies" if problem.classes else "mean", WORDS)
        self.corpus = read_corpus(problem.texts)
        self.terms = count_terms(self.corpus)
        self.folds = problem.folds(FOLDS, seed)
        self.family: Family = (
            LearnedFamily(problem, self.corpus, seed)
            if encoder is None
            else PretrainedFamily(problem, self.corpus.lengths, self.terms, encoder, seed)
        )

    def plan_network(self, work: Work, budget: float | None, tell: Tell) -> None:
        """Let the networks measure their speed and plan."""
        self.family.prepare(work, budget, tell)

    def draw(self, trial: int) -> Any:
        """Settings of trial number ``trial``."""
        return self.family.draw(trial)

    def cost(self, settings: Any) -> float:
        """Training time in units of that of the default settings, about."""
        return self.family.cost(settings)

    def fit(self, candidate: Candidate, k: int | None) -> FittedText:
        """The candidate on the training texts of fold ``k``, or on all."""
        rows = self.split(k)[0]
        y, classes, weight = (
            self.problem.y[rows],
            self.problem.classes,
            self.problem.weight_of(rows),
        )
        if candidate.name == NETWORK:
            return self.family.fit(candidate.settings, rows, self.seed + (k or 0))[0]
        if candidate.name == WORDS:
            return fit_words(
                self.terms, rows, y, classes, self.seed, table=self.problem.table, row_weight=weight
            )
        return fit_trivial(y, classes, weight)

    def complete(self, candidate: Candidate, elder: FittedText) -> FittedText:
        """The candidate on all texts."""
        rows = self.everything
        if candidate.name == NETWORK:
            return self.family.fit(candidate.settings, rows, self.seed)[0]
        if isinstance(elder, WordModel) and candidate.name == WORDS:
            return fit_words(self.terms, rows, self.problem.y[rows], elder.classes, self.seed, elder.settings["penalty"], self.problem.table, self.problem.weight_of(rows))  # fmt: skip
        return fit_trivial(self.problem.y[rows], self.problem.classes, self.problem.weight_of(rows))

    def outputs(self, model: FittedText, k: int | None) -> np.ndarray:
        """Probabilities or values of the judging texts of fold ``k``, or of the test texts."""
        return self.family.outputs(model, self.split(k)[1])

    def slices(self) -> Iterator[tuple[str, np.ndarray]]:
        """The shorter and the longer test texts, and parts by what stands in the other columns."""
        p, lengths = self.problem, np.asarray(self.corpus.lengths, float)
        yield from slice_rows([Column("words", "numeric")], {"words": lengths}, p.test)
        if p.table is not None:
            yield from slice_rows(p.table.columns, p.table.cells, p.test)

    def watch(self, settings: Any) -> History | None:
        """The chosen network on the first fold once more, watched epoch by epoch, if it learns in epochs."""
        train, judge = self.folds[0]
        return self.family.fit(settings, train, self.seed, judge)[1]

    def concerns(self) -> list[Concern]:
        """Repeated texts, rare classes, little data."""
        p, found = self.problem, []
        learned = {p.texts[k] for k in p.train.tolist()}
        repeated = sum(p.texts[k] in learned for k in p.test.tolist())
        if repeated:
            seen = f"{repeated:,} of {len(p.test):,} test texts stand in the training part too"
            found.append(Concern("Repeats", seen, FLATTERS))
        found += p.doubts()
        if len(p.train) < 500:
            found.append(Concern("Little data", f"{len(p.train):,} training texts", ANOTHER_SPLIT))
        return found

    def describe(self, report: Report) -> None:
        """Add sizes, lengths and the target."""
        sections.describe_data(report, self.problem, self.corpus.lengths)

    def describe_network(self, settings: Any) -> list[tuple[str, object]]:
        """The settings, for people."""
        return self.family.describe(settings)

    def kept(self, findings: Findings) -> dict[str, Any]:
        """Columns and labels."""
        p = self.problem
        columns = [] if p.table is None else [asdict(column) for column in p.table.columns]
        return {"text": p.text, "target": p.target, "labels": p.labels, "columns": columns}
