r"""From the columns of a table to numbers whose distances mean something: every column counts about alike.

The preprocessing is that of all tables: a number in deviations from its mean, a category as one mark per level, a date as scaled
time with sine and cosine of its cycles, a missing cell filled and marked. Then every column is weighed:

- a number keeps its variance of 1;
- a column of two values counts as a category of two levels does, for else a rare one would lie ten deviations off;
- features of one column, such as the cycles of a date, together get no more than the variance of a number.
"""

from collections.abc import Sequence

import numpy as np

from gradatim.data.tables.columns import Levels
from gradatim.fitting.tables.preprocessing import Encoder, Preprocessing, Table

TWO_LEVELS = np.sqrt(2.0)  # distance between two levels, each of which has a mark of its own


def find_weights(preprocessing: Preprocessing, table: Table) -> np.ndarray:
    """Factors of all features, shape ``(F,)``.

    Args:
        preprocessing: Learned from the table.
        table: Typed cells.
    """
    return np.concatenate([_weights(e, table) for e in preprocessing.encoders])


def _weights(encoder: Encoder, table: Table) -> np.ndarray:
    cells = table[encoder.column.name]
    features = encoder.encode(cells)
    weights = np.ones(features.shape[1])
    if not isinstance(cells, Levels):
        values = np.unique(cells[~np.isnan(cells)])
        if len(values) == 2:
            weights[0] = TWO_LEVELS * encoder.scale / (values[1] - values[0])
    whole = float((weights**2 * features.var(0)).sum())
    return weights / np.sqrt(max(whole, 1.0))


def find_blocks(encoders: Sequence[Encoder]) -> list[list[int]]:
    """Numbers of the features that belong together: marks of one category, cycles of one date.

    Args:
        encoders: Of all columns, in order.
    """
    blocks, start = [], 0
    for encoder in encoders:
        width = len(encoder.names())
        own = list(range(start, start + width))
        if encoder.column.kind == "categorical":
            blocks.append(own)
        else:
            end = width - encoder.marks_missing
            blocks += [own[:end], *([k] for k in own[end:])]
        start += width
    return [block for block in blocks if block]
