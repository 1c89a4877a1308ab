"""From how many whole things, series or graphs, a simple model learns in time: it is tried on few."""

import time
from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np

from gradatim.fitting.planning import affordable_rows
from gradatim.fitting.player import FAILURES

LEAST = 60  # things from which a model learns, or is left out
FIRST = 40  # things of the first probe


class Things(Protocol):
    """Series or graphs as numbers."""

    def __len__(self) -> int: ...

    def take(self, rows: np.ndarray) -> Self:
        """Some of them."""


def things_in_time(
    fit: Callable[[Any, np.ndarray], Any],
    train: Things,
    y: np.ndarray,
    judge: Things,
    effort: Callable[[int], float],
    seed: int,
    seconds: float,
) -> int | None:
    """From how many things of a fold a model learns, and judges as large a share of the others, within ``seconds``.

    Args:
        fit: Learns from things and their targets.
        train: Things to learn from.
        y: Their targets.
        judge: Things to judge by.
        effort: How the work grows with the things, in any unit.
        seed: Fixes which are tried.
        seconds: Time for a training and its judgement.

    Returns:
        ``None`` for all, 0 for too few.
    """
    rows, ratio = len(y), len(judge) / len(y)
    order = np.random.default_rng([seed, 5]).permutation(rows)

    def probe(count: int) -> float:
        few, judged = order[:count], np.arange(max(int(ratio * count), 1))
        started = time.perf_counter()
        try:
            fit(train.take(few), y[few]).outputs(judge.take(judged))
        except FAILURES:  # the fold will tell
            return 0.0
        return time.perf_counter() - started

    found = affordable_rows(rows, seconds, probe, effort, first=FIRST, least=LEAST)
    return None if found == rows else found
