r"""How alike two tables are pair of columns by pair, from 0 to 1.

.. math:: \text{numbers: } 1 - \tfrac12 |\rho - \hat\rho|, \qquad
    \text{else: } 1 - \tfrac12 \sum_{a, b} |p_{ab} - q_{ab}|

:math:`\rho` is the correlation, :math:`p_{ab}` the share of rows with categories :math:`a` and :math:`b`; beside a category, a
number counts by ten equal bins of the real data. These are the correlation and contingency similarity of SDMetrics. Where a
column is constant there is no correlation, and the pair is left out of means.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from gradatim.generative.column_shapes import Weights, draw_weights, spread, weigh
from gradatim.generative.resampling import Estimate
from gradatim.generative.table_columns import check_tables, codes_of, is_number, numbers_of

BINS = 10


def pair_similarity(real: pd.DataFrame, generated: pd.DataFrame) -> pd.DataFrame:
    """Similarity of every pair of columns, as a symmetric table; NaN of a column with itself and where there is none.

    Args:
        real: Data.
        generated: What a model made, with the same columns.

    Example:
        >>> a = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
        >>> b = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [3.0, 2.0, 1.0]})
        >>> float(pair_similarity(a, b).loc["x", "y"]), float(pair_similarity(a, a).loc["x", "y"])
        (0.0, 1.0)

    Reference:
        SDMetrics, CorrelationSimilarity and ContingencySimilarity.
    """
    check_tables("pair_similarity", real, generated)
    whole = _similarities(real, generated, None)[0]
    return pd.DataFrame(whole, index=real.columns, columns=real.columns)


def mean_pair_similarity(
    real: pd.DataFrame, generated: pd.DataFrame, *, num_resamples: int = 50, seed: int = 0
) -> Estimate:
    """Mean of :func:`pair_similarity` over all pairs, with its interval over resampled rows of both tables.

    Args:
        real: As there; at least two columns.
        generated: As there.
        num_resamples: Resamples.
        seed: Fixes them.

    Example:
        >>> table = pd.DataFrame({"x": np.arange(50.0), "y": np.arange(50.0) ** 2})
        >>> mean_pair_similarity(table, table).value
        1.0
    """
    check_tables("mean_pair_similarity", real, generated)
    whole = _similarities(real, generated, None)
    if np.isnan(whole).all():
        return Estimate(float("nan"), float("nan"), float("nan"))
    weights = draw_weights(len(real), len(generated), num_resamples, seed)
    again = np.nanmean(_similarities(real, generated, weights), axis=(1, 2))
    return spread(float(np.nanmean(whole)), again)


def _similarities(real: pd.DataFrame, generated: pd.DataFrame, weights: Weights | None) -> np.ndarray:  # fmt: skip
    """Of every set of weights and pair, shape ``(B, columns, columns)``."""
    v, w = weights or (np.ones((1, len(real))), np.ones((1, len(generated))))
    names = list(real.columns)
    numeric = [k for k, name in enumerate(names) if is_number(real[name])]
    found = np.full((len(v), len(names), len(names)), np.nan)
    if numeric:
        first, second = (np.stack([numbers_of(t[names[k]]) for k in numeric], 1) for t in (real, generated))  # fmt: skip
        gap = np.abs(_correlations(first, v) - _correlations(second, w))
        found[:, np.array(numeric)[:, None], numeric] = 1.0 - gap / 2
    codes = [_binned(real[n], generated[n]) for n in names] if len(numeric) < len(names) else []
    for i, j in combinations(range(len(codes)), 2):
        if i in numeric and j in numeric:
            continue
        (a, b, m), (c, d, n) = codes[i], codes[j]
        p = weigh(a * n + c, m * n, v / v.sum(1, keepdims=True))
        q = weigh(b * n + d, m * n, w / w.sum(1, keepdims=True))
        found[:, i, j] = found[:, j, i] = 1.0 - np.abs(p - q).sum(1) / 2
    found[:, range(len(names)), range(len(names))] = np.nan
    return found


def _correlations(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of every set of weights and pair, over the rows that have both, shape ``(B, K, K)``."""
    is_there = ~np.isnan(values)
    largest = np.max(np.abs(values), axis=0, where=is_there, initial=0.0)
    values = values / np.where(largest > 0, largest, 1.0)  # squares of huge numbers would overflow
    centers = np.array([own[there].mean() if there.any() else 0.0 for own, there in zip(values.T, is_there.T, strict=True)])  # fmt: skip
    scales = np.array([(own[there] - c).std() if there.any() else 0.0 for own, there, c in zip(values.T, is_there.T, centers, strict=True)])  # fmt: skip
    scaled = np.where(is_there, (values - centers) / np.where(scales > 0, scales, 1.0), 0.0)
    mask, found = is_there.astype(np.float64), []
    is_whole = bool(is_there.all())
    for own in weights:
        w = own[:, None]
        n = mask.T @ (w * mask)
        first = (w * scaled).T @ mask  # of the one over the rows of both
        squares = (w * scaled**2).T @ mask
        cross = scaled.T @ (w * scaled)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = first / n
            spread_of = np.sqrt(np.maximum(squares / n - mean**2, 0.0))
            found.append((cross / n - mean * mean.T) / (spread_of * spread_of.T))
    stacked = np.stack(found)
    is_dead = (scales == 0) if is_whole else (scales == 0) | (is_there.sum(0) < 2)
    stacked[:, is_dead] = stacked[:, :, is_dead] = np.nan
    return np.clip(stacked, -1.0, 1.0)


def _binned(real: pd.Series, generated: pd.Series) -> tuple[np.ndarray, np.ndarray, int]:
    """Categories of both columns as whole numbers from 0, missing cells as one of their own, and how many there are."""
    if not is_number(real):
        (first, second), count = codes_of([real, generated])
        return first + 1, second + 1, count + 1
    first, second = numbers_of(real), numbers_of(generated)
    there = first[~np.isnan(first)]
    edges = np.histogram_bin_edges(there, BINS)[1:-1] if len(there) else np.empty(0)
    first, second = (np.where(np.isnan(v), BINS, np.digitize(v, edges)) for v in (first, second))
    return first, second, BINS + 1
