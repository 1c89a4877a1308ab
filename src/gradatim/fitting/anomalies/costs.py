"""What a detector costs, measured on few rows before it learns from many."""

import time

import numpy as np

from gradatim.fitting.anomalies.candidates import COMPONENTS, FORECAST, fit_simple
from gradatim.fitting.anomalies.networks import LEARNED, course, fit_network
from gradatim.fitting.anomalies.readers import Reader
from gradatim.fitting.planning import LEAST_ROWS
from gradatim.fitting.player import FAILURES, NETWORK, Candidate

FREE_CELLS = 200_000  # a table so small takes no time worth measuring, but for a network
FIRST = 500  # rows of a probe
GROWING = (COMPONENTS, FORECAST)  # learn from all rows; others from a sample, whatever the number
PROBE_ROWS, PROBE_STEPS = 256, 20  # of a network


def rows_in_time(candidate: Candidate, reader: Reader, X: np.ndarray, scored: np.ndarray, seed: int, seconds: float) -> int | None:  # fmt: skip
    """From how many rows a detector learns within ``seconds``.

    Args:
        candidate: A simple detector, or the network with its settings.
        reader: What the features stand for.
        X: Features to learn from.
        scored: Features that are scored afterwards.
        seed: Fixes which rows are tried.
        seconds: Time for a training and the scores.

    Returns:
        ``None`` for all, 0 for too few.
    """
    if candidate.name == NETWORK:
        return None if _network_seconds(candidate, reader, X, scored, seed) <= seconds else 0
    if X.size + scored.size <= FREE_CELLS:
        return None
    order = np.random.default_rng([seed, 5]).permutation(len(X))
    tried, few = order[:FIRST], scored[:FIRST]
    started = time.perf_counter()
    try:
        detector = fit_simple(candidate.name, X[tried], reader.shape(), seed)
        learning = time.perf_counter() - started
        detector.raw(few)
    except FAILURES:  # the fold will tell
        return None
    scoring = (time.perf_counter() - started - learning) * len(scored) / len(few)
    if candidate.name not in GROWING:
        return None if learning + scoring <= seconds else 0
    rows = int(len(tried) * max(seconds - scoring, 0.0) / max(learning, 1e-9))
    return None if rows >= len(X) else rows * (rows >= LEAST_ROWS)


def _network_seconds(candidate: Candidate, reader: Reader, X: np.ndarray, scored: np.ndarray, seed: int) -> float:  # fmt: skip
    """How long a training and its scores take, by the time of the first steps."""
    few = X[:PROBE_ROWS]
    try:
        for _ in range(2):  # the first time everything is slow
            started = time.perf_counter()
            detector, _ = fit_network(few, candidate.settings, reader.channels, seed, steps=PROBE_STEPS)  # fmt: skip
            spent = time.perf_counter() - started
    except FAILURES:  # the fold will tell
        return 0.0
    tried, needed = _steps(len(few), PROBE_STEPS), _steps(min(len(X), LEARNED))
    started = time.perf_counter()
    detector.raw(scored[:PROBE_ROWS])
    scoring = (time.perf_counter() - started) * len(scored) / min(PROBE_ROWS, len(scored))
    return spent * needed / tried + scoring


def _steps(rows: int, steps: int | None = None) -> int:
    size, epochs = course(rows, steps)
    return epochs * -(-rows // size)
