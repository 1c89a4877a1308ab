"""Graphs with a class or a number each, and those set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim import data as catalogue
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import Split, make_strata, split_test
from gradatim.fitting.classes import LabelledRows, check_test
from gradatim.fitting.graphs.encoding import learn_encoder
from gradatim.fitting.graphs.kind import GraphOptions, is_built_in
from gradatim.fitting.graphs.memory import are_graphs, read_memory
from gradatim.fitting.graphs.raw import RawGraphs, join
from gradatim.fitting.graphs.reading import read_graphs
from gradatim.fitting.graphs.twins import Twins, find_twins
from gradatim.fitting.tables.problem import read_labels

MIN_GRAPHS = 12
LEARNED = 8  # graphs to learn from, at the least
CELLS_PER_SECOND = 40_000  # nodes and edges for a second of the budget, about
MOST_CELLS = 30_000_000


@dataclass
class GraphProblem(LabelledRows):
    """Graphs, target and split.

    Args:
        name: Short name of the data.
        target: Name of what is predicted.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per graph.
        raw: The graphs.
        numbers: Place of each graph in its source, from 1.
        train: Graphs to learn from.
        test: Graphs that judge at the end.
        repeats: Which graphs repeat each other, if any do.
        notes: What was done to the data, one sentence each.
    """

    things = "graphs"
    name: str
    target: str
    labels: list[str | int]
    y: np.ndarray
    raw: RawGraphs
    numbers: np.ndarray
    train: np.ndarray
    test: np.ndarray
    repeats: Twins | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.repeats is not None and not self.repeats.is_rule:
            self.twins = self.repeats.codes

    def contents(self) -> Iterator[bytes]:
        """Yield all graphs, the target and the split."""
        yield from super().contents()
        for part in (self.raw.x, self.raw.edges, self.raw.e, self.raw.sizes):
            yield np.ascontiguousarray(part).tobytes()

    def places(self) -> tuple[str, list[int]]:
        """Numbers of the test graphs, as a column."""
        return "graph", self.numbers[self.test].tolist()

    def fold_rows(self, count: int, seed: int) -> list[Split]:
        """Folds of the training graphs; those that repeat each other stay together."""
        return self.folds(count, seed)


def read_source(data: Any, owner: str = "fit") -> RawGraphs:
    """Read graphs of any source.

    Args:
        data: A file, a folder, the name of a built-in set, or graphs in memory.
        owner: Who reads, for messages.
    """
    if not isinstance(data, str | Path):
        require(are_graphs(data), f"{owner}: data must be graphs in a list, or a file or folder of them", type(data).__name__)  # fmt: skip
        return read_memory(data, owner=owner)
    if not Path(data).exists() and is_built_in(str(data)):
        own = catalogue.load(str(data))
        raw = read_memory(own.graphs, own.name, owner)
        if own.y is not None:
            raw.target = pd.Series(own.y if own.target_names is None else np.array(own.target_names, dtype=object)[own.y])  # fmt: skip
        return raw
    return read_graphs(Path(data), owner)


def prepare(data: Any, job: GraphOptions) -> GraphProblem:
    """Read graphs and targets, find repeats, and set the test graphs aside.

    Args:
        data: As in :func:`read_source`.
        job: What was asked for.
    """
    raw = read_source(data)
    own, is_test = len(raw), np.zeros(len(raw), dtype=bool)
    if isinstance(job.test, str):
        other = read_source(job.test)
        is_test = np.arange(len(raw) + len(other)) >= len(raw)
        raw = join(raw, other)
    notes = raw.notes
    if not raw.edges.size:
        notes.append("No graph has an edge: models see sets of nodes.")
    _check_count(0 if raw.target is None else int(raw.target.notna().sum()))
    assert raw.target is not None
    labels, y, kept = read_labels(raw.target.rename(raw.target_name), job.task, is_test, notes)
    _check_count(len(y))
    drawn = _draw(raw, kept, is_test, job, notes)
    rows, y, is_test = kept[drawn], y[drawn], is_test[kept[drawn]]
    numbers = np.where(is_test & (rows >= own), rows - own, rows) + 1
    raw = raw.take(rows)
    repeats = find_twins(learn_encoder(raw).encode(raw))
    train, test = _split(y, labels, is_test if is_test.any() else None, job, repeats)
    if repeats is not None:
        notes.append(_told(repeats, is_test.any()))
    return GraphProblem(raw.name, raw.target_name, labels, y, raw, numbers, train, test, repeats, notes)  # fmt: skip


def _check_count(count: int) -> None:
    require(count >= MIN_GRAPHS, f"fit: data must hold at least {MIN_GRAPHS} graphs with a y", count)  # fmt: skip


def _told(repeats: Twins, has_own_test: bool) -> str:
    if repeats.is_rule:
        return f"{repeats.words}: most graphs have others like them, so that these stay where they fall."  # fmt: skip
    parts = "every fold" if has_own_test else "every split"
    return f"{repeats.words}; such graphs stay together in {parts}."


def _draw(raw: RawGraphs, kept: np.ndarray, is_test: np.ndarray, job: GraphOptions, notes: list[str]) -> np.ndarray:  # fmt: skip
    """Which of the graphs are used: as many as were asked for, or as the budget allows; test graphs of their own all are."""
    ties = np.bincount(raw.owner[raw.edges[0]], minlength=len(raw))
    cells = (raw.sizes + ties)[kept]
    limit = MOST_CELLS if job.trials is not None else min(CELLS_PER_SECOND * job.budget, MOST_CELLS)
    own = np.flatnonzero(~is_test[kept])
    most = job.rows if job.rows is not None else max(int(limit / max(cells.mean(), 1.0)), 10 * MIN_GRAPHS)  # fmt: skip
    if len(own) <= most:
        return np.arange(len(kept))
    notes.append(f"A random sample of {most:,} of {len(own):,} graphs is used (a longer --budget or --rows takes more).")  # fmt: skip
    chosen = own[np.random.default_rng([job.seed, 3]).permutation(len(own))[:most]]
    return np.sort(np.concatenate([chosen, np.flatnonzero(is_test[kept])]))


def _split(
    y: np.ndarray,
    labels: list[str | int],
    is_test: np.ndarray | None,
    job: GraphOptions,
    repeats: Twins | None,
) -> Split:
    """Training and test graphs: the user's own, or a share of all."""
    if is_test is not None:
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        strata = make_strata(y, is_classification=bool(labels))
        twins = None if repeats is None or repeats.is_rule else repeats.codes
        rng = np.random.default_rng([job.seed, 0])
        train, test = split_test(strata, float(job.test), rng, keep=2, twins=twins)
    check_test(len(test), "graphs")
    require(len(train) >= LEARNED, f"fit: test must leave at least {LEARNED} graphs to learn from", len(train))  # fmt: skip
    if len(np.unique(y[train])) < 2:
        raise InvalidValue("fit: the training graphs must have different targets, got one value only.")  # fmt: skip
    return train, test
