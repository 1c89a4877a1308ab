r"""Rows that repeat another one, exactly or nearly: on both sides of a split they would make a model look better than it is.

Two rows are *twins* where their categories are equal and their numbers fall into one cell of a grid of :math:`10^{-4}`
standard deviations; a second grid, moved by half a cell, finds those that a border parts. With few numbers rows come so near
by chance, so there only equal rows count. In a table most of whose rows have twins, as one of few categories, twins are
the rule and stay where they fall.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from gradatim.data.tables.columns import clean, numbers_rows

GRID = 1e-4  # standard deviations
FEWEST_NUMBERS = 3  # columns of many different numbers, from which near means twin
MANY = 20  # different numbers
LOOKED_AT = 50  # columns that are looked at first
MOST = 0.5  # share of rows with twins, past which they are no accident


class Twins(NamedTuple):
    """Which rows repeat each other.

    Args:
        codes: A number for every row, the same for twins.
        exact: Rows that repeat an earlier one exactly.
        near: Rows that repeat an earlier one nearly.
    """

    codes: np.ndarray
    exact: int
    near: int

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        parts = [f"{count:,} {'row repeats' if count == 1 else 'rows repeat'} another one {how}" for count, how in ((self.exact, "exactly"), (self.near, "nearly")) if count]  # fmt: skip
        return f"{' and '.join(parts)} in all columns but the target; such rows stay together in every split."


def find_twins(frame: pd.DataFrame) -> Twins | None:
    """Find rows that repeat each other.

    Args:
        frame: The columns to learn from, with numbers as numbers.

    Returns:
        ``None`` where no row has a twin, or most have.

    Example:
        >>> find_twins(pd.DataFrame({"a": [1.5, 2.5, 1.5, 4.5, 5.5], "b": list("xyxzw")})).codes.tolist()
        [0, 1, 0, 2, 3]
    """
    frame = pd.DataFrame({name: _plain(frame[name]) for name in frame.columns})
    names = [name for name in frame.columns if not numbers_rows(frame[name], str(name))]
    if not names:
        return None
    few = names[:: -(-len(names) // LOOKED_AT)]
    codes = _codes(frame[few])
    counts = np.bincount(codes)
    rows = np.flatnonzero(counts[codes] > 1)
    if len(few) < len(names) and len(rows):
        inner = _codes(frame[names], rows)
        codes = np.arange(len(frame)) + len(rows)
        codes[rows] = inner
        codes = np.unique(codes, return_inverse=True)[1]
    extra = len(codes) - (codes.max() + 1)
    has_twin = np.bincount(codes)[codes] > 1
    if not extra or has_twin.mean() > MOST:
        return None
    exact = int(frame[names].iloc[np.flatnonzero(has_twin)].duplicated().sum())
    return Twins(codes, exact, int(extra) - exact)


def _codes(frame: pd.DataFrame, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """A number for each of some rows, the same for twins; what is near is told by all rows."""
    numeric = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])]
    many = [name for name in numeric if frame[name].nunique() > MANY]
    if len(many) < FEWEST_NUMBERS:
        return _hashed(frame.iloc[rows])
    values = frame[many].to_numpy(np.float64)
    with np.errstate(all="ignore"):
        scale = np.nanstd(values, axis=0) * GRID
        cells = (values[rows] - np.nanmean(values, axis=0)) / np.where(scale > 0, scale, 1.0)
    others = frame.drop(columns=many).iloc[rows]
    first, second = (
        _hashed(pd.concat([others, pd.DataFrame(np.floor(cells + half), index=others.index).add_prefix("cell ")], axis=1))
        for half in (0.0, 0.5)
    )  # fmt: skip
    count, size = len(cells), first.max() + 1
    links = np.concatenate([first, second + size]), np.tile(np.arange(count), 2) + size + second.max() + 1  # fmt: skip
    nodes = int(links[1].max()) + 1
    found = connected_components(coo_matrix((np.ones(2 * count), links), (nodes, nodes)), directed=False)[1]  # fmt: skip
    return np.unique(found[-count:], return_inverse=True)[1]


def _plain(series: pd.Series) -> pd.Series:
    """Cells that can be compared; lists, records and complex numbers become texts."""
    return clean(series) if series.dtype == object or series.dtype.kind == "c" else series


def _hashed(frame: pd.DataFrame) -> np.ndarray:
    return np.asarray(pd.factorize(pd.util.hash_pandas_object(frame, index=False))[0])
