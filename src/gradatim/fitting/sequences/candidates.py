"""The simple models that a network must beat, from the simplest to the most complex."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sklearn.ensemble import ExtraTreesClassifier

from gradatim.fitting.averaged import AveragedModel
from gradatim.fitting.images.pixels import forest_arrays
from gradatim.fitting.planning import affordable_rows
from gradatim.fitting.player import FAILURES
from gradatim.fitting.sequences.features import (
    KERNELS,
    NOTHING,
    STATISTICS,
    FeatureModel,
    extract,
)
from gradatim.fitting.sequences.loo_ridge import fit_loo_ridge
from gradatim.fitting.sequences.nearest import ASKED, NearestNeighbour, fit_nearest
from gradatim.fitting.sequences.networks import SequenceNetwork
from gradatim.fitting.sequences.steps import Sequences
from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables.predictors import Fitted
from gradatim.timeseries import RandomKernels

NEAREST, TREES, RIDGE = "1-NN with DTW", "trees on statistics", "ridge on random kernels"
FEATURES, FEATURES_OF_LONG = 84 * 60, 84 * 24  # answers of kernels, where series are short and long
LONG = 200  # steps
FOREST = 200  # trees
FREE_CELLS = 20_000  # so few take no time worth measuring
LEAST_SERIES = 60  # from which a model learns, or is left out
FIRST = 40  # series of the first probe of what a model costs

FittedSequences = FeatureModel | NearestNeighbour | SequenceNetwork


class SequenceAverage(AveragedModel):
    """The average of several of them."""

    parts = (FeatureModel, NearestNeighbour, SequenceNetwork)


MEMBERS = (*SequenceAverage.parts[:2], SequenceAverage, SequenceNetwork)


def simple_models(classes: int) -> tuple[str, ...]:
    """Names of the simple models for a task, the simplest first.

    Example:
        >>> simple_models(0)[:2]
        ('mean', '1-NN with DTW')
    """
    return ("class frequencies" if classes else "mean", NEAREST, TREES, RIDGE)


def fit_simple(
    name: str,
    sequences: Sequences,
    y: np.ndarray,
    classes: int,
    seed: int,
    chosen: Mapping[str, Any] | None = None,
) -> FeatureModel | NearestNeighbour:
    """Fit a simple model; its own settings are chosen inside the series given, unless they are given too.

    Args:
        name: One of :func:`simple_models`.
        sequences: The series.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes kernels, trees and draws.
        chosen: Settings of the same model on fewer series; they stay.
    """
    if name == NEAREST:
        return fit_nearest(sequences, y, classes, seed, chosen)
    if name == RIDGE:
        steps = torch.from_numpy(sequences.padded()[..., : max(sequences.num_moving, 1)])
        count = FEATURES if sequences.longest <= LONG else FEATURES_OF_LONG
        kernels = RandomKernels.learn(steps, torch.from_numpy(sequences.lengths), num_features=count, seed=seed)  # fmt: skip
        X = extract(KERNELS, sequences, kernels)
        return FeatureModel(KERNELS, fit_loo_ridge(X, y, classes, (chosen or {}).get("penalty")), kernels)  # fmt: skip
    if name == TREES:
        return FeatureModel(STATISTICS, _grow(extract(STATISTICS, sequences), y, classes, seed, chosen))  # fmt: skip
    return FeatureModel(NOTHING, tables.fit_simple(name, extract(NOTHING, sequences), y, classes, seed))  # fmt: skip


def _grow(X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None) -> Fitted:  # fmt: skip
    """A forest for classes, as few series suffice for it; boosted trees for values."""
    if not classes:
        return tables.fit_simple(tables.TREES, X, y, classes, seed, chosen)
    forest = ExtraTreesClassifier(
        FOREST, min_samples_leaf=1, max_features="sqrt", random_state=seed
    )
    with tables.quietly():
        forest.fit(X.astype(np.float32), y)
    return forest_arrays(forest, np.bincount(y, minlength=classes) / len(y))


def rows_in_time(
    name: str,
    train: Sequences,
    y: np.ndarray,
    judge: Sequences,
    classes: int,
    seed: int,
    seconds: float,
) -> int | None:
    """From how many series of a fold a simple model learns within ``seconds``.

    Args:
        name: One of :func:`simple_models`.
        train: Series to learn from.
        y: Their classes or values.
        judge: Series to judge by.
        classes: Number of classes; 0 for regression.
        seed: Fixes which series are tried.
        seconds: Time for a training and its judgement.

    Returns:
        ``None`` for all, 0 for too few.
    """
    rows, ratio = len(y), len(judge) / len(y)
    if train.values.size <= FREE_CELLS:
        return None
    order = np.random.default_rng([seed, 5]).permutation(rows)

    def probe(count: int) -> float:
        few, judged = order[:count], np.arange(max(int(ratio * count), 1))
        started = time.perf_counter()
        try:
            fit_simple(name, train.take(few), y[few], classes, seed).outputs(judge.take(judged))
        except FAILURES:  # the fold will tell
            return 0.0
        return time.perf_counter() - started

    found = affordable_rows(rows, seconds, probe, lambda count: effort(name, count, ratio), first=FIRST, least=LEAST_SERIES)  # fmt: skip
    return None if found == rows else found


def effort(name: str, rows: int, ratio: float) -> float:
    """How the work of a fit and its judgement grows with the series, in units of one model's own.

    Args:
        name: One of :func:`simple_models`.
        rows: Series to learn from.
        ratio: Judging series per training series.

    Example:
        >>> effort("trees on statistics", 200, 0.25) / effort("trees on statistics", 100, 0.25)
        2.0
    """
    if name == NEAREST:
        return rows * (ratio * rows + min(rows, ASKED))
    return rows + rows**3 / 1e6 if name == RIDGE else rows
