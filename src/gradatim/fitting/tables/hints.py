"""What a user may not know of a column: that its texts could be read, and what becomes of many categories."""

from collections.abc import Sequence

import numpy as np

from gradatim.data.tables.columns import Column, Levels
from gradatim.fitting.tables.preprocessing import Table, fit_preprocessing
from gradatim.fitting.tables.themes import THEMES

OTHERS = 10  # categories counted as one, from which that is said


def text_hints(columns: Sequence[Column]) -> list[str]:
    """Say what becomes of columns that hold texts.

    Args:
        columns: What was found.

    Example:
        >>> text_hints([Column("review", "text"), Column("town", "categorical")])
        ["Column 'review' holds texts: 16 themes of their words are read; --text 'review' reads them word by word."]
    """
    return [
        f"Column {column.name!r} holds texts: {THEMES} themes of their words are read; --text {column.name!r} reads them word by word."
        for column in columns
        if column.kind == "text"
    ]


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
        if not isinstance(cells, Levels) or column.kind == "text":
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
