"""The simple models that a network must beat, from the simplest to the most complex."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from gradatim.fitting.averaged import AveragedModel
from gradatim.fitting.forest import grow_trees
from gradatim.fitting.probing import things_in_time
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
from gradatim.timeseries import RandomKernels

NEAREST, TREES, RIDGE = "1-NN with DTW", "trees on statistics", "ridge on random kernels"
FEATURES, FEATURES_OF_LONG = 84 * 60, 84 * 24  # answers of kernels, where series are short and long
LONG = 200  # steps
FREE_CELLS = 20_000  # so few take no time worth measuring

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
        return FeatureModel(STATISTICS, grow_trees(extract(STATISTICS, sequences), y, classes, seed, chosen))  # fmt: skip
    return FeatureModel(NOTHING, tables.fit_simple(name, extract(NOTHING, sequences), y, classes, seed))  # fmt: skip


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
    if train.values.size <= FREE_CELLS:
        return None
    ratio = len(judge) / len(y)
    return things_in_time(
        lambda few, own: fit_simple(name, few, own, classes, seed),
        train, y, judge, lambda count: effort(name, count, ratio), seed, seconds,
    )  # fmt: skip


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
