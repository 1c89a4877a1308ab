r"""Ladders of bins beside the numbers of a table, with which a network bends its answer where trees would cut.

Features that take more than two values get :math:`T` bins between quantiles of the rows given
(:func:`~gradatim.nn.piecewise_linear`); the features themselves stay.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn

from gradatim.errors import require
from gradatim.nn import PiecewiseLinearEncoding, piecewise_linear, quantile_edges

FEATURE, EDGES = "input.feature", "input.edges"  # arrays of a fitted network
MOST_WIDTH = 2048  # bins of all features together
MOST_CELLS = 10_000_000  # that ladders of all rows may fill
LEAST_BINS = 3
LOOKED_AT = 10_000  # rows from which edges are learned, about


def numeric_features(X: np.ndarray) -> np.ndarray:
    """Places of the features that take more than two values.

    Example:
        >>> numeric_features(np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 3.0]])).tolist()
        [1]
    """
    low, high = X.min(0), X.max(0)
    return np.flatnonzero(((low < X) & (high > X)).any(0))


def num_bins(bins: int, features: int, rows: int) -> int:
    """Bins of each feature: as many as asked for, as far as width and memory allow; 0 where too few would be left.

    Example:
        >>> num_bins(8, 10, 1000), num_bins(8, 500, 1000), num_bins(8, 5000, 1000)
        (8, 4, 0)
    """
    if not features or not bins:
        return 0
    most = min(bins, MOST_WIDTH // features, MOST_CELLS // (features * rows))
    return most if most >= LEAST_BINS else 0


def learn_ladders(X: np.ndarray, bins: int) -> dict[str, np.ndarray]:
    """Learn the edges of the bins from rows; nothing where there are none.

    Args:
        X: Features, shape ``(N, D)``.
        bins: Bins asked for.

    Returns:
        Which features have ladders, and their edges ``(features, bins + 1)``.
    """
    if not bins:
        return {}
    features = numeric_features(X)
    bins = num_bins(bins, len(features), len(X))
    if not bins:
        return {}
    some = X[:: max(len(X) // LOOKED_AT, 1), features]
    edges = quantile_edges(torch.from_numpy(np.ascontiguousarray(some)), bins)
    return {FEATURE: features.astype(np.int32), EDGES: edges.numpy().astype(np.float32)}


def add_ladders(arrays: Mapping[str, np.ndarray], X: np.ndarray) -> np.ndarray:
    """Features with their ladders behind them; as they are, where a model has none.

    Example:
        >>> arrays = {"input.feature": np.array([0]), "input.edges": np.array([[0.0, 2.0, 4.0]])}
        >>> add_ladders(arrays, np.array([[3.0, 9.0]])).tolist()
        [[3.0, 9.0, 1.0, 0.5]]
    """
    if EDGES not in arrays:
        return X
    own = torch.from_numpy(np.ascontiguousarray(X[:, arrays[FEATURE]]))
    edges = torch.from_numpy(arrays[EDGES]).to(own.dtype)
    return np.concatenate([X, piecewise_linear(own, edges).flatten(1).numpy()], axis=1)


def ladder_module(arrays: Mapping[str, np.ndarray]) -> nn.Module:
    """What :func:`add_ladders` does, as a module of tensors."""
    if EDGES not in arrays:
        return nn.Identity()
    return PiecewiseLinearEncoding(arrays[EDGES].tolist(), columns=arrays[FEATURE].tolist())


def check_ladders(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse edges of a folder that fall, or that belong to no features."""
    if EDGES not in arrays and FEATURE not in arrays:
        return
    feature, edges = arrays.get(FEATURE), arrays.get(EDGES)
    is_sound = (
        feature is not None
        and edges is not None
        and feature.dtype.kind == "i"
        and feature.ndim == 1
        and edges.ndim == 2
        and len(edges) == len(feature)
        and edges.shape[1] > 1
        and bool((feature >= 0).all())
        and bool((np.diff(edges, axis=1) >= 0).all())
    )
    require(is_sound, "load_model: edges of bins must rise, a row for each feature", "others")
