"""Permutation importance: how much worse the predictions get when one column is shuffled."""

import numpy as np

from gradatim.fitting.columns import Levels
from gradatim.fitting.metrics import score
from gradatim.fitting.predictors import Fitted, predict
from gradatim.fitting.preprocessing import Preprocessing, Table

MAX_ROWS = 2000
MAX_COLUMNS = 60


def permutation_importance(
    fitted: Fitted,
    preprocessing: Preprocessing,
    table: Table,
    y: np.ndarray,
    *,
    repeats: int = 3,
    seed: int = 0,
) -> dict[str, float]:
    r"""Mean increase of the score when a column is shuffled, the largest first.

    .. math:: I_j = \tfrac1R\sum_r s(y, f(X^{(r,j)})) - s(y, f(X))

    Args:
        fitted: The model :math:`f`.
        preprocessing: From cells to features.
        table: Typed cells of the rows to measure on.
        y: Their targets.
        repeats: Shuffles :math:`R` of each column.
        seed: Fixes the shuffles.
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:MAX_ROWS]
    blocks = [_encode(e, table, rows) for e in preprocessing.encoders]
    y = y[rows]
    base = score(y, predict(fitted, np.concatenate(blocks, axis=1)), fitted.classes)
    found = {}
    for k, encoder in enumerate(preprocessing.encoders[:MAX_COLUMNS]):
        scores = []
        for _ in range(repeats):
            shuffled = [b[rng.permutation(len(y))] if j == k else b for j, b in enumerate(blocks)]
            scores.append(
                score(y, predict(fitted, np.concatenate(shuffled, axis=1)), fitted.classes)
            )
        found[encoder.column.name] = float(np.mean(scores)) - base
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _encode(encoder: object, table: Table, rows: np.ndarray) -> np.ndarray:
    cells = table[encoder.column.name]  # type: ignore[attr-defined]
    part = Levels(cells.codes[rows], cells.names) if isinstance(cells, Levels) else cells[rows]
    return encoder.encode(part)  # type: ignore[attr-defined, no-any-return]
