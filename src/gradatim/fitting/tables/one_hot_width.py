"""How wide a table is and becomes by its categories, and how much of it the budget can then deal with."""

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import read_plain_numbers
from gradatim.data.tables.reading import RawTable
from gradatim.fitting.options import Options
from gradatim.fitting.tables.kind import RowOptions
from gradatim.fitting.tables.preprocessing import MAX_LEVELS

LOOKED_AT = 2000  # rows from which the width is estimated
FEATURES_PER_SECOND = 500_000  # of the budget
LEAST = 1000  # rows
FEW = 500  # columns; a wider table has few rows already
COLUMNS_PER_SECOND = (
    500  # of the budget: each is typed, encoded in every fold, explained and written
)
LEAST_COLUMNS = 1000


def estimate_width(frame: pd.DataFrame) -> int:
    """Features that a table becomes, about: one for a number, one for each frequent level of a category.

    Example:
        >>> estimate_width(pd.DataFrame({"x": ["1", "2", "3"], "town": ["Basel", "Bern", "Basel"]}))
        3
    """
    head = read_plain_numbers(frame.head(LOOKED_AT))
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in head.dtypes]
    return sum(1 if is_number else min(head.iloc[:, k].nunique(), MAX_LEVELS) for k, is_number in enumerate(numeric))  # fmt: skip


def keep_affordable_rows(raw: RawTable, job: RowOptions) -> None:
    """Draw as many rows of a table as the budget allows at its width; a note says so.

    Args:
        raw: The table; its rows are replaced.
        job: What was asked for; rows that were asked for stay.
    """
    if job.rows is not None or job.trials is not None or raw.frame.shape[1] > FEW:
        return
    width = estimate_width(raw.frame)
    most = max(int(job.budget * FEATURES_PER_SECOND / max(width, 1)), LEAST)
    if len(raw.frame) <= most:
        return
    rows = np.random.default_rng([job.seed, 6]).permutation(len(raw.frame))[:most]
    raw.frame = raw.frame.iloc[np.sort(rows)]
    raw.notes.append(
        f"A random sample of {most:,} of {raw.rows:,} rows is used: categories make about {width:,} features of the columns "
        "(a longer --budget or --rows takes more)."
    )


def keep_affordable_columns(raw: RawTable, job: Options) -> None:
    """Draw as many columns of a very wide table as the budget allows; a note says so.

    Args:
        raw: The table; its columns are replaced.
        job: What was asked for; columns that it names stay.
    """
    names = [str(name) for name in raw.frame.columns]
    most = max(int(job.budget * COLUMNS_PER_SECOND), LEAST_COLUMNS)
    if job.trials is not None or len(names) <= most:
        return
    named = {
        raw.target,
        *(getattr(job, name, None) for name in ("target", "time_column", "group", "weight")),
        *getattr(job, "drop", ()),
    }
    order = np.random.default_rng([job.seed, 7]).permutation(len(names))
    first = sorted(order.tolist(), key=lambda k: names[k] not in named)
    raw.frame = raw.frame.iloc[:, sorted(first[:most])]
    raw.notes.append(f"A random choice of {most:,} of {len(names):,} columns is used (a longer --budget takes more).")  # fmt: skip
