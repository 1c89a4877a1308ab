"""Rows in three parts: to learn from, to choose a network by, and to judge by."""

import numpy as np
import pandas as pd

from gradatim.errors import require

LEAST_ROWS = 80
VALIDATION = 0.15  # of what is not held out


def split_rows(table: pd.DataFrame, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Places of training, validation and held-out rows.

    Args:
        table: All rows.
        share: Of the held-out rows.
        seed: Fixes the split.

    Example:
        >>> [len(part) for part in split_rows(pd.DataFrame({"x": range(100)}), 0.2, 0)]
        [68, 12, 20]
    """
    rows = len(table)
    rule = f"fit: the table must have at least {LEAST_ROWS} rows to make more of them"
    require(rows >= LEAST_ROWS, rule, rows)
    order = np.random.default_rng([seed, 11]).permutation(rows)
    held = round(share * rows)
    kept = round(VALIDATION * (rows - held))
    rule = "fit: test must leave at least 10 rows to judge by, 10 to choose by and 30 to learn from"
    require(
        held >= 10 and kept >= 10 and rows - held - kept >= 30,
        rule,
        f"{share:g} of {rows} rows",
        "Try 0.2.",
    )
    parts = np.split(order, [rows - held - kept, rows - held])
    return parts[0], parts[1], parts[2]
