"""Do generated rows teach what real ones do? Train on the one and on the other, and judge both on held-out real rows."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from gradatim.errors import choose, require
from gradatim.generative.column_shapes import draw_weights, spread
from gradatim.generative.resampling import Estimate
from gradatim.generative.table_columns import check_tables, codes_of, is_number, numbers_of
from gradatim.generative.telling_apart import as_features, boosted_trees, weighted_auc


class Teaching(NamedTuple):
    r"""What trees that learned from real and from generated rows are worth on held-out real rows.

    Args:
        metric: ``"AUC"`` of classes, averaged over them; ``"R²"`` of numbers.
        real: Of those that learned from real rows.
        generated: Of those that learned from generated rows.
        loss: The first minus the second, row by row of the test.
    """

    metric: str
    real: Estimate
    generated: Estimate
    loss: Estimate


def train_on_generated(
    train: pd.DataFrame,
    test: pd.DataFrame,
    generated: pd.DataFrame,
    target: str,
    *,
    num_resamples: int = 200,
    seed: int = 0,
) -> Teaching:
    """Train gradient-boosted trees on real and on generated rows, and compare them on held-out real rows.

    Args:
        train: Real rows that the generator learned from.
        test: Real rows that it has never seen.
        generated: What it made; of more rows than ``train`` has the first are taken.
        target: The column to predict.
        num_resamples: Resamples of test rows for the intervals.
        seed: Fixes them.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> rows = pd.DataFrame({"x": rng.normal(size=600)})
        >>> rows["c"] = np.where(rows.x + rng.normal(size=600) > 0, "u", "v")
        >>> found = train_on_generated(rows[:300], rows[300:], rows[:300], "c")
        >>> found.metric, found.loss.value
        ('AUC', 0.0)

    Reference:
        Esteban et al., Real-valued (Medical) Time Series Generation with Recurrent Conditional GANs, 2017.
    """
    check_tables("train_on_generated", train, generated)
    check_tables("train_on_generated", train, test)
    choose("train_on_generated", "target", target, map(str, train.columns))
    require(train.shape[1] > 1, "train_on_generated: train must have columns beside the target", "none")  # fmt: skip
    tables = [train, test, generated.iloc[: len(train)]]
    X, is_category = as_features([table.drop(columns=target) for table in tables])
    parts = np.split(X, np.cumsum([len(table) for table in tables])[:-1])
    columns = [table[target] for table in tables]
    judge = _judge_values if is_number(train[target]) else _judge_classes
    is_known = columns[1].notna().to_numpy()
    columns[1], parts[1] = columns[1][is_known], parts[1][is_known]
    weights = np.concatenate([np.ones((1, len(parts[1]))), draw_weights(len(parts[1]), 1, num_resamples, seed)[0]])  # fmt: skip
    real, made = judge(parts, columns, is_category, weights)
    estimates = (spread(float(own[0]), own[1:]) for own in (real, made, real - made))
    return Teaching("R²" if is_number(train[target]) else "AUC", *estimates)


def _judge_classes(parts: list[np.ndarray], columns: list[pd.Series], is_category: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    codes, count = codes_of(columns)
    y = codes[1]
    found = []
    for X, own in ((parts[0], codes[0]), (parts[2], codes[2])):
        X, own = X[own >= 0], own[own >= 0]
        said = np.zeros((len(y), count))
        if len(np.unique(own)) > 1:
            trees = boosted_trees(is_category, len(X)).fit(X, own)
            said[:, trees.classes_] = trees.predict_proba(parts[1])
        found.append(said)
    judged = [k for k in range(count) if 0 < (y == k).sum() < len(y)]
    require(judged, "train_on_generated: test must hold at least two classes of the target", "one")
    return tuple(np.mean([_one_against_rest(said[:, k], y == k, weights) for k in judged], axis=0) for said in found)  # fmt: skip


def _one_against_rest(said: np.ndarray, is_it: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weighted_auc(said[~is_it], said[is_it], weights[:, ~is_it], weights[:, is_it])


def _judge_values(parts: list[np.ndarray], columns: list[pd.Series], is_category: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    values = [numbers_of(column) for column in columns]
    y, found = values[1], []
    shares = weights / weights.sum(1, keepdims=True)
    variance = shares @ y**2 - (shares @ y) ** 2
    for X, own in ((parts[0], values[0]), (parts[2], values[2])):
        is_known = ~np.isnan(own)
        like: HistGradientBoostingClassifier = boosted_trees(is_category, int(is_known.sum()))
        kept = {name: value for name, value in like.get_params().items() if name not in ("loss", "class_weight")}  # fmt: skip
        trees = HistGradientBoostingRegressor(**kept).fit(X[is_known], own[is_known])
        found.append(1.0 - shares @ (trees.predict(parts[1]) - y) ** 2 / variance)
    return found[0], found[1]
