"""What a candidate costs on a table, measured on few of its rows before it learns from many."""

import time
from typing import NamedTuple

import numpy as np

from gradatim.fitting.goals import Goal
from gradatim.fitting.planning import affordable_rows
from gradatim.fitting.player import FAILURES, NETWORK, Candidate
from gradatim.fitting.tables import networks
from gradatim.fitting.tables.candidates import (
    EXTRA,
    FOREST,
    PROCESS,
    TREES,
    Settings,
    effort,
    expected_rounds,
    fit_simple,
)
from gradatim.fitting.tables.predictors import predict

FREE_CELLS = 20_000  # a table so small takes no time worth measuring
FREE_ROWS = 100  # the same for a Gaussian process, whose work grows with other things
WHOLE = (EXTRA, PROCESS)  # learn from all rows, or not at all
PROBE_CELLS = 100_000  # of the first probe: 1,000 rows at most, 100 at least
PROBE_ROUNDS = 10  # of trees


class FoldData(NamedTuple):
    """What a fold learns from and is judged by.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        X_judge: Features of the judging rows.
        classes: Number of classes; 0 for regression.
        goal: What is trained for beside the usual.
    """

    X: np.ndarray
    y: np.ndarray
    X_judge: np.ndarray
    classes: int
    goal: Goal = Goal()


def rows_in_time(candidate: Candidate, data: FoldData, seed: int, seconds: float) -> int | None:
    """From how many rows of a fold a candidate learns within ``seconds``.

    Extra trees and a Gaussian process learn from all rows in half of that time, or leave it to the boosted trees behind them.

    Args:
        candidate: A simple model, or the network with its settings.
        data: The fold.
        seed: Fixes which rows are tried.
        seconds: Time for a training and its judgement.

    Returns:
        ``None`` for all, 0 for too few.
    """
    rows, columns = data.X.shape
    is_free = rows <= FREE_ROWS if candidate.name == PROCESS else data.X.size <= FREE_CELLS
    if is_free:
        return None
    order = np.random.default_rng([seed, 5]).permutation(rows)
    ratio = len(data.X_judge) / rows
    if candidate.name == NETWORK:
        job = networks.NetworkJob(data.X, data.y, candidate.settings, seed, data.goal)
        found = affordable_rows(
            rows, seconds,
            lambda count: networks.training_seconds(job, data.classes),
            lambda count: networks.effort(count, candidate.settings),
            first=rows,
        )  # fmt: skip
    else:
        found = affordable_rows(
            rows, seconds * (0.5 if candidate.name in WHOLE else 1.0),
            lambda count: _probe(candidate.name, data, order[:count], seed),
            lambda count: effort(candidate.name, count, columns, ratio, data.classes),
            first=FREE_ROWS if candidate.name == PROCESS else int(np.clip(PROBE_CELLS // columns, 100, 1000)),
            share=min(2 * PROBE_ROUNDS / _rounds(candidate.name, data), 1.0),
        )  # fmt: skip
    if found == rows:
        return None
    return 0 if candidate.name in WHOLE else found


def _probe(name: str, data: FoldData, rows: np.ndarray, seed: int) -> float:
    """Seconds to learn from these rows and to judge a share of the judging rows; trees are counted up from a few rounds."""
    if name not in (TREES, EXTRA):
        return _time(name, data, rows, seed, {})
    first, some = (_time(name, data, rows, seed, {"trees": n}) for n in (1, PROBE_ROUNDS))
    pace = max(some - first, 0.0) / (PROBE_ROUNDS - 1)
    return some + pace * (_rounds(name, data) - PROBE_ROUNDS)


def _time(name: str, data: FoldData, rows: np.ndarray, seed: int, chosen: Settings) -> float:
    judged = data.X_judge[: max(len(data.X_judge) * len(rows) // len(data.X), 1)]
    X, y, goal = data.X[rows], data.y[rows], data.goal.take(rows)
    started = time.perf_counter()
    try:
        predict(fit_simple(name, X, y, data.classes, seed, chosen, goal), judged)
    except FAILURES:  # the fold will tell
        return 0.0
    return time.perf_counter() - started


def _rounds(name: str, data: FoldData) -> int:
    """Trees that a fit grows one after another; 1 where it grows none."""
    if name == EXTRA:
        return FOREST
    return expected_rounds(data.y, data.classes) if name == TREES else 1
