r"""Can a classifier tell generated rows from real ones? The two-sample test, whose figure is an AUC.

.. math:: \mathrm{AUC} = P(s(\text{generated}) > s(\text{real})) + \tfrac12 P(s(\text{generated}) = s(\text{real}))

:math:`s` is what gradient-boosted trees say of a row that they have not learned from. 0.5 is as good as real rows; 1 is told
apart without fail. Real rows must be ones that the generator has never seen.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from gradatim.errors import require
from gradatim.generative.column_shapes import draw_weights, spread
from gradatim.generative.resampling import Estimate
from gradatim.generative.table_columns import check_tables, codes_of, is_number, numbers_of

TREES = 100
MOST_LEVELS = 200  # that trees take as categories; of a column with more, the order of codes counts


class TwoSampleTest(NamedTuple):
    """How well rows can be told apart.

    Args:
        auc: Mean over the folds, with its interval over resampled rows.
        fold_aucs: Of every fold.
    """

    auc: Estimate
    fold_aucs: tuple[float, ...]


def two_sample_test(
    real: pd.DataFrame,
    generated: pd.DataFrame,
    *,
    folds: int = 5,
    repeats: int = 1,
    num_resamples: int = 200,
    seed: int = 0,
) -> TwoSampleTest:
    """Train a classifier to tell generated from real rows, and judge it on rows that it has not seen.

    Args:
        real: Rows that no generator has learned from.
        generated: What a model made, with the same columns; of the longer table the first rows are taken.
        folds: Parts of the cross-validation.
        repeats: Cross-validations with different folds, whose figures are averaged.
        num_resamples: Resamples of rows for the interval.
        seed: Fixes folds and resamples.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> real = pd.DataFrame({"x": rng.normal(size=300)})
        >>> far = pd.DataFrame({"x": rng.normal(size=300) + 4})
        >>> two_sample_test(real, far).auc.value > 0.98
        True

    Reference:
        Lopez-Paz and Oquab, Revisiting Classifier Two-Sample Tests, 2017.
    """
    check_tables("two_sample_test", real, generated)
    rows = min(len(real), len(generated))
    require(rows >= 2 * folds, f"two_sample_test: both tables must have at least {2 * folds} rows", rows)  # fmt: skip
    X, is_category = as_features([real.iloc[:rows], generated.iloc[:rows]])
    y = np.repeat([0, 1], rows)
    weights = draw_weights(rows, rows, num_resamples, seed)
    aucs, resampled = [], []
    for repeat in range(repeats):
        cutting = StratifiedKFold(folds, shuffle=True, random_state=seed + repeat)
        for train, test in cutting.split(X, y):
            trees = boosted_trees(is_category, len(train)).fit(X[train], y[train])
            said, is_real = trees.decision_function(X[test]), y[test] == 0
            parts = said[is_real], said[~is_real]
            aucs.append(auc(*parts))
            own = weights[0][:, test[is_real]], weights[1][:, test[~is_real] - rows]
            resampled.append(weighted_auc(*parts, *own))
    return TwoSampleTest(spread(float(np.mean(aucs)), np.mean(resampled, axis=0)), tuple(aucs))


def boosted_trees(is_category: np.ndarray, num_rows: int) -> HistGradientBoostingClassifier:
    """Gradient-boosted trees of a size that so many rows bear.

    Args:
        is_category: Of every column, whether its numbers are categories.
        num_rows: Rows to learn from.
    """
    return HistGradientBoostingClassifier(
        max_iter=TREES, max_leaf_nodes=15, min_samples_leaf=20 if num_rows >= 400 else 5,
        categorical_features=is_category if is_category.any() else None, early_stopping=False,
        random_state=0,
    )  # fmt: skip


def as_features(tables: list[pd.DataFrame]) -> tuple[np.ndarray, np.ndarray]:
    """All rows of several tables as one matrix, and which of its columns hold categories.

    Args:
        tables: With the same columns.

    Example:
        >>> as_features([pd.DataFrame({"x": [1.0], "c": ["u"]}), pd.DataFrame({"x": [None], "c": ["v"]})])[0].tolist()
        [[0.5, 0.0], [nan, 1.0]]
    """
    columns, is_category = [], []
    for name in tables[0].columns:
        own = [table[name] for table in tables]
        if is_number(own[0]):
            halves = [
                numbers_of(column) / 2 for column in own
            ]  # trees take means of two: no overflow
            columns.append(np.concatenate(halves))
            is_category.append(False)
        else:
            codes, count = codes_of(own)
            joined = np.concatenate(codes)
            columns.append(np.where(joined < 0, np.nan, joined))
            is_category.append(count <= MOST_LEVELS)
    return np.stack(columns, axis=1).astype(np.float64), np.array(is_category)


def auc(real: np.ndarray, generated: np.ndarray) -> float:
    """Probability that a generated row scores higher than a real one, ties counting half.

    Args:
        real: Scores of real rows.
        generated: Scores of generated rows.

    Example:
        >>> auc(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
        0.875
    """
    return float(weighted_auc(real, generated, np.ones((1, len(real))), np.ones((1, len(generated))))[0])  # fmt: skip


def weighted_auc(real: np.ndarray, generated: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:  # fmt: skip
    """The same with weights of the rows, one figure per set of weights.

    Args:
        real: Scores of real rows, shape ``(N,)``.
        generated: Scores of generated rows, shape ``(M,)``.
        v: Weights of real rows, shape ``(B, N)``.
        w: Weights of generated rows, shape ``(B, M)``.
    """
    order = np.argsort(real, kind="stable")
    below = np.pad((v / v.sum(1, keepdims=True))[:, order].cumsum(1), ((0, 0), (1, 0)))
    low, high = (np.searchsorted(real[order], generated, side) for side in ("left", "right"))
    return ((below[:, low] + below[:, high]) / 2 * w).sum(1) / w.sum(1)
