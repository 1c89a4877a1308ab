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
    TREES,
    effort,
    expected_rounds,
    fit_simple,
)
from gradatim.fitting.tables.predictors import predict

FREE_CELLS = 20_000  # a table so small takes no time worth measuring
PROBE_CELLS = 100_000  # of the first probe: 1,000 rows at most, 100 at least
PROBE_ROUNDS = 10  # of trees
FIRST_STEP = 1.0  # seconds that PyTorch takes to make its first optimizer


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

    Extra trees learn from all rows in half of that time, or leave it to the boosted trees behind them.

    Args:
        candidate: A simple model, or the network with its settings.
        data: The fold.
        seed: Fixes which rows are tried.
        seconds: Time for a training and its judgement.

    Returns:
        ``None`` for all, 0 for too few.
    """
    rows, columns = data.X.shape
    if data.X.size <= FREE_CELLS:
        return None
    order = np.random.default_rng([seed, 5]).permutation(rows)
    ratio = len(data.X_judge) / rows
    if candidate.name == NETWORK:
        if seconds < FIRST_STEP:
            return 0
        job = networks.NetworkJob(data.X, data.y, candidate.settings, seed, data.goal)
        found = affordable_rows(
            rows, seconds,
            lambda count: networks.training_seconds(job, data.classes),
            lambda count: networks.effort(count, candidate.settings),
            first=rows,
        )  # fmt: skip
    else:
        found = affordable_rows(
            rows, seconds * (0.5 if candidate.name == EXTRA else 1.0),
            lambda count: _probe(candidate.name, data, order[:count], seed),
            lambda count: effort(candidate.name, count, columns, ratio),
            first=int(np.clip(PROBE_CELLS // columns, 100, 1000)),
            share=1.0 / _rounds(candidate.name, data),
        )  # fmt: skip
    if found == rows:
        return None
    return 0 if candidate.name == EXTRA else found


def _probe(name: str, data: FoldData, rows: np.ndarray, seed: int) -> float:
    """Seconds to learn from these rows and to judge a share of the judging rows; trees are counted up from a few rounds."""
    judged = data.X_judge[: max(len(data.X_judge) * len(rows) // len(data.X), 1)]
    chosen = {"trees": PROBE_ROUNDS} if name in (TREES, EXTRA) else {}
    started = time.perf_counter()
    try:
        predict(
            fit_simple(
                name, data.X[rows], data.y[rows], data.classes, seed, chosen, data.goal.take(rows)
            ),
            judged,
        )
    except FAILURES:  # the fold will tell
        return 0.0
    return (time.perf_counter() - started) * _rounds(name, data)


def _rounds(name: str, data: FoldData) -> float:
    """How many times a probe is a fit, in rounds of trees."""
    if name == EXTRA:
        return FOREST / PROBE_ROUNDS
    return expected_rounds(data.y, data.classes) / PROBE_ROUNDS if name == TREES else 1.0
