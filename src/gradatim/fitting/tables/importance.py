"""Permutation importance: how much worse the predictions get when one column is shuffled."""

from collections.abc import Callable

import numpy as np

from gradatim.evaluation.metrics import score
from gradatim.fitting.clock import never
from gradatim.fitting.tables.predictors import BLOCK, Fitted, predict
from gradatim.fitting.tables.preprocessing import Preprocessing, Table, take_rows

MAX_PREDICTIONS = 20_000  # rows predicted in all, so that a slow model does not hold up the report


def permutation_importance(
    fitted: Fitted,
    preprocessing: Preprocessing,
    table: Table,
    y: np.ndarray,
    *,
    seed: int = 0,
    is_over: Callable[[], bool] = never,
    judge: Callable[[np.ndarray, np.ndarray], float] | None = None,
) -> dict[str, float]:
    r"""Mean increase of the score when a column is shuffled, the largest first.

    .. math:: I_j = \tfrac1R\sum_r s(y, f(X^{(r,j)})) - s(y, f(X))

    Args:
        fitted: The model :math:`f`.
        preprocessing: From cells to features.
        table: Typed cells of the rows to measure on.
        y: Their targets.
        seed: Fixes the shuffles.
        judge: The loss of targets and outputs, :math:`s`; the usual one by default.
        is_over: Whether time is up; columns whose features go along with the predictions are measured first.
    """
    rng = np.random.default_rng(seed)
    count = len(preprocessing.encoders)
    rows = rng.permutation(len(y))[: min(2000, max(100, MAX_PREDICTIONS // count))]
    repeats = int(np.clip(MAX_PREDICTIONS // (count * len(rows)), 1, 3))
    cells, y = take_rows(table, rows), y[rows]
    blocks = [e.encode(cells[e.column.name]) for e in preprocessing.encoders]
    ends = np.cumsum([block.shape[1] for block in blocks])
    X = np.concatenate(blocks, axis=1)
    output = predict(fitted, X)
    judge = judge or (lambda truth, said: score(truth, said, fitted.classes))
    base = judge(y, output)
    together = max(BLOCK // (repeats * len(rows)), 1)  # columns that one pass of the model measures
    order, found = _promising(X, output, ends), dict[str, float]()
    for start in range(0, count, together):
        if is_over():
            break
        part = order[start : start + together]
        whole = np.tile(X, (repeats * len(part), 1)).reshape(len(part), repeats, *X.shape)
        for place, k in enumerate(part):
            for copy in whole[place]:
                columns = slice(ends[k] - blocks[k].shape[1], ends[k])
                copy[:, columns] = blocks[k][rng.permutation(len(y))]
        outputs = predict(fitted, whole.reshape(-1, X.shape[1])).reshape(len(part), repeats, *output.shape)  # fmt: skip
        for own, k in zip(outputs, part, strict=True):
            worse = np.mean([judge(y, copy) for copy in own]) - base
            found[preprocessing.encoders[k].column.name] = float(worse)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _promising(X: np.ndarray, output: np.ndarray, ends: np.ndarray) -> list[int]:
    """Columns, those first of which a feature goes along most with what the model says."""
    said = output.reshape(len(X), -1) - output.reshape(len(X), -1).mean(0)
    spread = np.maximum(X.std(0), 1e-12)
    along = np.abs(said.T @ ((X - X.mean(0)) / spread)).max(0)  # one for each feature
    best = np.maximum.reduceat(along, np.concatenate([[0], ends[:-1]]))
    return np.argsort(-best, kind="stable").tolist()
