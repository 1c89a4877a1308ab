"""What a user may not know of a column: that its texts could be read, and what becomes of many categories."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Column, Levels, clean
from gradatim.fitting.tables.preprocessing import Table, fit_preprocessing

PROBE = 1000  # cells looked at
TEXTS = 0.5  # share of different cells past which they are texts, if they are long
WORDS = 4.0  # of a text, on average
OTHERS = 10  # categories counted as one, from which that is said


def text_hints(frame: pd.DataFrame) -> list[str]:
    """Say which columns hold texts that could be read word by word.

    Args:
        frame: The training rows.

    Example:
        >>> reviews = [f"film number {k} was rather good" for k in range(30)]
        >>> text_hints(pd.DataFrame({"review": reviews, "town": ["Bern", "Genf"] * 15}))
        ["Column 'review' holds texts: a table cannot read them, --text 'review' does."]
    """
    found = []
    for name in frame.columns:
        if pd.api.types.is_numeric_dtype(frame[name]):
            continue
        cells = clean(frame[name].iloc[:PROBE]).dropna()
        if not isinstance(cells.dtype, pd.StringDtype) or len(cells) < 2:
            continue
        is_long = cells.str.count(r"\s+").mean() + 1 >= WORDS
        if is_long and cells.nunique() > TEXTS * len(cells):
            found.append(
                f"Column {name!r} holds texts: a table cannot read them, --text {name!r} does."
            )
    return found


def describe_levels(table: Table, columns: Sequence[Column], rows: np.ndarray) -> list[str]:
    """Say what becomes of columns with many categories, one sentence each.

    Args:
        table: Typed cells.
        columns: What they are.
        rows: The training rows.

    Example:
        >>> names = [f"{k:02d}" for k in range(80)]
        >>> cells = {"town": Levels(np.repeat(np.arange(80), 4), names)}
        >>> describe_levels(cells, [Column("town", "categorical")], np.arange(320))
        ["Column 'town' has 80 categories: the 50 most frequent are told apart, the other 30 count as one."]
    """
    found = []
    for column in columns:
        cells = table[column.name]
        if not isinstance(cells, Levels):
            continue
        codes = cells.codes[rows]
        kept = fit_preprocessing(table, [column], rows).encoders[0].levels
        distinct = len(np.unique(codes[codes >= 0]))
        others = distinct - len(kept)
        if others >= OTHERS:
            told = (
                f"the {len(kept)} most frequent are told apart, the other {others:,} count as one"
            )
            told = told if kept else "none is frequent, and all count as one"
            found.append(f"Column {column.name!r} has {distinct:,} categories: {told}.")
    return found
