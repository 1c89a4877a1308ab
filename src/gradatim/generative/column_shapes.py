r"""How alike two tables are column by column, from 0 to 1: numbers by their distribution functions, categories by their shares.

.. math:: \text{numbers: } 1 - \max_x |F(x) - G(x)|, \qquad \text{categories: } 1 - \tfrac12 \sum_c |p_c - q_c|

These are the Kolmogorov-Smirnov and the total-variation complement of SDMetrics; missing cells are left out of both.
"""

import numpy as np
import pandas as pd

from gradatim.generative.resampling import Estimate, interval_around, random_weights
from gradatim.generative.table_columns import check_tables, codes_of, is_number, numbers_of

DIGITS = 14  # after the point, to which numbers are compared
Weights = tuple[np.ndarray, np.ndarray]


def column_similarity(real: pd.DataFrame, generated: pd.DataFrame) -> pd.Series:
    """Similarity of every column, by name; NaN where all cells of one table are missing.

    Args:
        real: Data; numbers and times are compared as such, everything else as categories.
        generated: What a model made, with the same columns.

    Example:
        >>> a = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": ["u", "u", "v", "v"]})
        >>> b = pd.DataFrame({"x": [1.0, 2.0, 3.0, 9.0], "c": ["u", "v", "v", "v"]})
        >>> column_similarity(a, b).to_dict()
        {'x': 0.75, 'c': 0.75}

    Reference:
        SDMetrics, KSComplement and TVComplement.
    """
    check_tables("column_similarity", real, generated)
    return pd.Series(dict(zip(real.columns, _similarities(real, generated, None)[0], strict=True)))


def mean_column_similarity(
    real: pd.DataFrame, generated: pd.DataFrame, *, num_resamples: int = 100, seed: int = 0
) -> Estimate:
    """Mean of :func:`column_similarity` with its interval over resampled rows of both tables.

    Args:
        real: As there.
        generated: As there.
        num_resamples: Resamples.
        seed: Fixes them.

    Example:
        >>> table = pd.DataFrame({"x": np.arange(50.0)})
        >>> mean_column_similarity(table, table).value
        1.0
    """
    check_tables("mean_column_similarity", real, generated)
    weights = draw_weights(len(real), len(generated), num_resamples, seed)
    value = float(np.nanmean(_similarities(real, generated, None)))
    return spread(value, np.nanmean(_similarities(real, generated, weights), axis=1))


def draw_weights(num_real: int, num_generated: int, num_resamples: int, seed: int) -> Weights:
    """Weights of the rows of both tables, one set per resample, shapes ``(B, N)`` and ``(B, M)``.

    Args:
        num_real: Rows of the one.
        num_generated: Rows of the other.
        num_resamples: Resamples.
        seed: Fixes them.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    first, second = (random_weights(n, num_resamples, generator=generator).numpy() for n in (num_real, num_generated))  # fmt: skip
    return first, second


def spread(value: float, resampled: np.ndarray) -> Estimate:
    """A figure with the interval of its resamples.

    Args:
        value: The figure.
        resampled: The same of resampled rows.
    """
    import torch

    return interval_around(value, torch.from_numpy(np.ascontiguousarray(resampled)))


def _similarities(real: pd.DataFrame, generated: pd.DataFrame, weights: Weights | None) -> np.ndarray:  # fmt: skip
    """Of every set of weights and column, shape ``(B, columns)``."""
    weights = weights or (np.ones((1, len(real))), np.ones((1, len(generated))))
    found = []
    for name in real.columns:
        if is_number(real[name]):
            values = numbers_of(real[name]), numbers_of(generated[name])
            found.append(_ks_complement(*map(_rounded, values), *weights))
        else:
            codes, count = codes_of([real[name], generated[name]])
            found.append(_tv_complement(codes[0], codes[1], count, *weights))
    return np.stack(found, axis=1)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Numbers to so many digits; huge ones as they are."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = values.round(DIGITS)
    return np.where(np.isfinite(rounded), rounded, values)


def _shares(weights: np.ndarray) -> np.ndarray:
    """Weights of sum 1; NaN where there are none."""
    with np.errstate(invalid="ignore"):
        return weights / weights.sum(1, keepdims=True)


def _ks_complement(real: np.ndarray, generated: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:  # fmt: skip
    a, b = ~np.isnan(real), ~np.isnan(generated)
    if not a.any() or not b.any():
        return np.full(len(v), np.nan)
    values = np.concatenate([real[a], generated[b]])
    order = np.argsort(values, kind="stable")
    is_end = np.append(np.diff(values[order]) > 0, True)  # of equal values, the last
    steps = np.concatenate([_shares(v[:, a]), -_shares(w[:, b])], axis=1)[:, order]  # (B, N + M)
    return 1.0 - np.abs(steps.cumsum(1)[:, is_end]).max(1)


def _tv_complement(real: np.ndarray, generated: np.ndarray, count: int, v: np.ndarray, w: np.ndarray) -> np.ndarray:  # fmt: skip
    a, b = real >= 0, generated >= 0
    if not a.any() or not b.any():
        return np.full(len(v), np.nan)
    p, q = weigh(real[a], count, _shares(v[:, a])), weigh(generated[b], count, _shares(w[:, b]))
    return 1.0 - np.abs(p - q).sum(1) / 2


def weigh(codes: np.ndarray, count: int, weights: np.ndarray) -> np.ndarray:
    """Weight of every category, shape ``(B, count)``.

    Args:
        codes: Of every row, from 0, shape ``(N,)``.
        count: How many there are.
        weights: Of every row, shape ``(B, N)``.

    Example:
        >>> weigh(np.array([0, 1, 1]), 2, np.array([[0.5, 0.25, 0.25]])).tolist()
        [[0.5, 0.5]]
    """
    num_sets = len(weights)
    places = codes + count * np.arange(num_sets)[:, None]
    return np.bincount(places.ravel(), weights.ravel(), count * num_sets).reshape(num_sets, count)
