"""Which rows somebody has called anomalies."""

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import TRUTHS, clean, words
from gradatim.errors import InvalidValue, nearest_first

NORMAL = {"0", "normal", "ok", "good", "regular", "inlier", "healthy", *(n for pair in TRUTHS for n, v in pair.items() if not v)}  # fmt: skip
ODD = {"anomaly", "anomalous", "abnormal", "outlier", "novelty", "fault", "faulty", "failure", "defect", "attack", "fraud", "bad", "-1", *(n for pair in TRUTHS for n, v in pair.items() if v)}  # fmt: skip


def read_marks(cells: pd.Series, normal: str | None, notes: list[str]) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Say which rows are anomalies, and which rows say whether they are.

    Args:
        cells: The column of marks: two values, or any where the normal one is given.
        normal: The value that means a normal row; by default the usual words tell, or the more frequent value is.
        notes: Collects what was decided.

    Returns:
        Whether each row is an anomaly, and whether it is marked at all.

    Example:
        >>> read_marks(pd.Series(["no", "yes", None], name="fault"), None, [])
        (array([False,  True, False]), array([ True,  True, False]))
    """
    name = str(cells.name)
    levels = words(clean(cells))
    counts = np.bincount(levels.codes[levels.codes >= 0], minlength=len(levels.names))
    is_known = levels.codes >= 0
    if not is_known.all():
        missing = int((~is_known).sum())
        rows = "1 row has" if missing == 1 else f"{missing:,} rows have"
        notes.append(f"{rows} no mark in {name!r} and {'is' if missing == 1 else 'are'} left out.")
    chosen = _given(normal, levels.names, name) if normal is not None else _found(levels.names, counts, name, notes)  # fmt: skip
    if len(levels.names) == 1:
        raise InvalidValue(f"fit: target must mark normal rows and anomalies, got only {levels.names[0]!r} in {name!r}. Leave --target out.")  # fmt: skip
    return is_known & (levels.codes != chosen), is_known


def _given(normal: str, names: list[str], name: str) -> int:
    if normal not in names:
        near = nearest_first(normal, names)
        listed = ", ".join(map(repr, near[:6])) + (", …" if len(near) > 6 else "")
        raise InvalidValue(f"fit: normal must be a value of {name!r} ({listed}), got {normal!r}.")
    return names.index(normal)


def _found(names: list[str], counts: np.ndarray, name: str, notes: list[str]) -> int:
    """The normal one of two values: by their words, or the more frequent one."""
    if len(names) == 1:
        return 0
    if len(names) != 2:
        example = names[int(counts.argmax())] if names else "0"
        raise InvalidValue(f"fit: target must have two values, normal and not, got {len(names):,} in {name!r}. Name the normal one, such as --normal {example!r}.")  # fmt: skip
    lowered = [value.lower() for value in names]
    votes = [(value in NORMAL) - (value in ODD) for value in lowered]
    if votes[0] != votes[1]:
        return int(votes[1] > votes[0])
    if counts[0] == counts[1]:
        raise InvalidValue(f"fit: target must tell which value is normal, {names[0]!r} or {names[1]!r} of {name!r}, got {int(counts[0]):,} rows of each. Try --normal {names[0]!r}.")  # fmt: skip
    odd = int(counts.argmin())
    notes.append(f"{names[odd]!r}, the rarer value of {name!r}, is taken for the anomalies (--normal {names[odd]!r} turns it round).")  # fmt: skip
    return 1 - odd
