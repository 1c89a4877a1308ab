"""Permutation importance: how much worse the predictions get when one column is shuffled."""

import numpy as np

from gradatim.evaluation.metrics import score
from gradatim.fitting.tables.predictors import Fitted, predict
from gradatim.fitting.tables.preprocessing import Preprocessing, Table, take_rows

MAX_PREDICTIONS = 20_000  # rows predicted in all, so that a slow model does not hold up the report


def permutation_importance(
    fitted: Fitted,
    preprocessing: Preprocessing,
    table: Table,
    y: np.ndarray,
    *,
    seed: int = 0,
) -> dict[str, float]:
    r"""Mean increase of the score when a column is shuffled, the largest first.

    .. math:: I_j = \tfrac1R\sum_r s(y, f(X^{(r,j)})) - s(y, f(X))

    Args:
        fitted: The model :math:`f`.
        preprocessing: From cells to features.
        table: Typed cells of the rows to measure on.
        y: Their targets.
        seed: Fixes the shuffles.
    """
    rng = np.random.default_rng(seed)
    count = len(preprocessing.encoders)
    rows = rng.permutation(len(y))[: min(2000, max(100, MAX_PREDICTIONS // count))]
    repeats = int(np.clip(MAX_PREDICTIONS // (count * len(rows)), 1, 3))
    cells = take_rows(table, rows)
    blocks = [e.encode(cells[e.column.name]) for e in preprocessing.encoders]
    y = y[rows]
    base = score(y, predict(fitted, np.concatenate(blocks, axis=1)), fitted.classes)
    found = {}
    for k, encoder in enumerate(preprocessing.encoders):
        scores = []
        for _ in range(repeats):
            shuffled = [b[rng.permutation(len(y))] if j == k else b for j, b in enumerate(blocks)]
            scores.append(
                score(y, predict(fitted, np.concatenate(shuffled, axis=1)), fitted.classes)
            )
        found[encoder.column.name] = float(np.mean(scores)) - base
    return dict(sorted(found.items(), key=lambda item: -item[1]))
