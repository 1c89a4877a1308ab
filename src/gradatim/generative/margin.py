r"""One column of a table against the normal distribution, both ways: heavy tails, spikes and whole numbers all become normal.

.. math:: z = \Phi^{-1}\bigl(F(x^-) + V\,(F(x) - F(x^-))\bigr), \quad V \sim U(0, 1), \qquad x = F^{-1}(\Phi(z))

:math:`F` is the distribution function of the column. Where a value is frequent, :math:`F` jumps, and :math:`V` spreads its
rows over the jump: :math:`z` is exactly normal whatever the column is, and the inverse gives the value back. Categories are
values in the order of their frequency. Missing cells are no part of it.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from gradatim.errors import require
from gradatim.generative.table_columns import is_number, numbers_of

KNOTS = 2048  # quantiles that are kept
CONTINUOUS = 0.5  # share of different values past which there are others between them


class Side(NamedTuple):
    """A column as numbers, and which of its cells are there."""

    values: np.ndarray
    is_there: np.ndarray


@dataclass(frozen=True, eq=False)
class Margin:
    """The distribution of a column.

    Args:
        knots: Quantiles at even steps, ascending; codes of ``levels`` where there are some.
        missing: Share of missing cells.
        is_continuous: Whether there are values between the knots.
        levels: Categories, the most frequent first; none of numbers.
    """

    knots: np.ndarray
    missing: float
    is_continuous: bool
    levels: tuple[object, ...] = ()

    @classmethod
    def learn(cls, column: pd.Series) -> Self:
        """Learn the distribution of a column.

        Args:
            column: Numbers, times, or anything else as categories.

        Example:
            >>> margin = Margin.learn(pd.Series(["b", "a", "b", None]))
            >>> margin.levels, margin.missing
            (('b', 'a'), 0.25)
        """
        present = column.dropna()
        require(len(present), "Margin.learn: column must have cells that are not missing", "none")
        if is_number(column):
            values, levels = np.sort(numbers_of(present)), ()
            is_continuous = len(np.unique(values)) > CONTINUOUS * len(values)
        else:
            counts = present.astype(object).value_counts(sort=False)
            counts = counts.sort_index(key=lambda names: names.map(str)).sort_values(ascending=False, kind="stable")  # fmt: skip
            levels, is_continuous = tuple(counts.index), False
            values = np.repeat(np.arange(len(counts)), counts.to_numpy()).astype(np.float64)
        return cls(_thinned(values), 1.0 - len(present) / len(column), is_continuous, levels)

    def read(self, column: pd.Series) -> Side:
        """A column as the numbers that the knots are of; categories that are not known count as missing.

        Args:
            column: Of the same kind as the one it was learned from.
        """
        if self.levels:
            place = {level: float(k) for k, level in enumerate(self.levels)}
            values = np.array([place.get(cell, np.nan) for cell in column.astype(object)])
        else:
            values = numbers_of(column)
        is_there = ~np.isnan(values)
        return Side(np.where(is_there, values, self.knots[0]), is_there)

    def jump(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r""":math:`F(x^-)` and :math:`F(x)` of values, within (0, 1).

        Args:
            values: Numbers, shape ``(N,)``.

        Example:
            >>> Margin(np.array([0.0, 0.0, 1.0, 2.0]), 0.0, False).jump(np.array([0.0, 1.0]))
            (array([0. , 0.5]), array([0.5 , 0.75]))
        """
        count = len(self.knots)
        low, high = (
            np.searchsorted(self.knots, values, side).astype(np.float64)
            for side in ("left", "right")
        )
        between = (low == high) & (low > 0) & (low < count)
        if between.any():
            at = low[between].astype(int)
            below, above = self.knots[at - 1], self.knots[at]
            place = at - 0.5 + (values[between] - below) / (above - below)
            low[between] = high[between] = place
        return low / count, high / count

    def to_normal(self, values: np.ndarray, uniform: np.ndarray) -> np.ndarray:
        r"""Return :math:`z` of values.

        Args:
            values: Numbers, shape ``(N,)``.
            uniform: :math:`V`, in the same shape; 0.5 is the middle of a jump.
        """
        low, high = self.jump(values)
        edge = 0.25 / len(self.knots)
        return ndtri(np.clip(low + uniform * (high - low), edge, 1.0 - edge))

    def from_normal(self, z: np.ndarray) -> np.ndarray:
        """Return the value of every :math:`z`.

        Args:
            z: Shape ``(N,)``.

        Example:
            >>> Margin(np.array([0.0, 0.0, 1.0, 2.0]), 0.0, False).from_normal(np.array([-9.0, 0.1, 9.0])).tolist()
            [0.0, 1.0, 2.0]
        """
        count = len(self.knots)
        place = ndtr(z) * count
        if not self.is_continuous:
            found: np.ndarray = self.knots[np.clip(place.astype(int), 0, count - 1)]
            return found
        return np.interp(place - 0.5, np.arange(count), self.knots)

    def write(self, values: np.ndarray, is_there: np.ndarray) -> pd.Series:
        """Undo :meth:`read`.

        Args:
            values: Numbers, shape ``(N,)``.
            is_there: Which cells are not missing.
        """
        if not self.levels:
            return pd.Series(np.where(is_there, values, np.nan))
        cells = np.array([*self.levels, None], dtype=object)
        codes = np.where(is_there, np.clip(values, 0, len(self.levels) - 1), len(self.levels))
        return pd.Series(cells[codes.astype(int)], dtype=object)


def _thinned(values: np.ndarray) -> np.ndarray:
    """At most :data:`KNOTS` of ascending values, at even steps from the first to the last."""
    if len(values) <= KNOTS:
        return values
    return values[np.round(np.linspace(0, len(values) - 1, KNOTS)).astype(int)]


def learn_margins(table: pd.DataFrame) -> dict[str, Margin]:
    """The margin of every column of a table, by name.

    Args:
        table: Numbers, times and categories; no column may be missing altogether.
    """
    return {str(name): Margin.learn(table[name]) for name in table.columns}
