r"""What tells a cluster from all other rows, column by column, with effect sizes.

.. math:: d = \frac{\bar x_\text{in} - \bar x_\text{out}}{s}, \qquad h = 2 \arcsin\sqrt{p_\text{in}} - 2 \arcsin\sqrt{p_\text{out}}

Cohen's :math:`d` for numbers and dates, with the pooled deviation :math:`s`, and his :math:`h` for shares: 0.2 is small, 0.5 medium, 0.8
large. The clusters were made from these columns, so that large effects are to be expected: they describe, and test nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Cells, Column, Levels
from gradatim.fitting.tables.preprocessing import Table
from gradatim.reports.values import format_value
from gradatim.wording import percent

SMALL = 0.2  # an effect that is not worth a word
MOST = 20.0  # an effect beyond which nothing is told apart
LEVELS = 50  # of a category that are looked at, the most frequent


class Difference(NamedTuple):
    """How a column differs between a cluster and all other rows.

    Args:
        what: The column, or one of its categories.
        inside: Mean or share of the cluster, in words.
        outside: Of the others.
        effect: :math:`d` or :math:`h`.
    """

    what: str
    inside: str
    outside: str
    effect: float

    def __str__(self) -> str:
        return f"{self.what} {self.inside} (others {self.outside})"


def mean_effect(inside: np.ndarray, outside: np.ndarray) -> float:
    """Cohen's d of two samples, at most 20.

    Example:
        >>> round(mean_effect(np.array([4.0, 6.0]), np.array([1.0, 3.0])), 4)
        2.1213
    """
    largest = float(np.abs(np.concatenate([inside, outside])).max()) or 1.0
    inside, outside = inside / largest, outside / largest  # squares of huge numbers would overflow
    squares = ((inside - inside.mean()) ** 2).sum() + ((outside - outside.mean()) ** 2).sum()
    s = np.sqrt(squares / max(len(inside) + len(outside) - 2, 1))
    away = float(inside.mean() - outside.mean())
    return float(np.clip(away / s, -MOST, MOST)) if s > 0 else MOST * float(np.sign(away))


def share_effect(inside: float, outside: float) -> float:
    """Cohen's h of two shares.

    Example:
        >>> round(share_effect(0.5, 0.0), 4)
        1.5708
    """
    return float(2 * np.arcsin(np.sqrt(inside)) - 2 * np.arcsin(np.sqrt(outside)))


def differences(table: Table, columns: list[Column], is_in: np.ndarray) -> list[Difference]:
    """What sets some rows apart from the others, the largest effects first.

    Args:
        table: Typed cells.
        columns: What they are.
        is_in: Which rows belong to the cluster.
    """
    if is_in.all() or not is_in.any():
        return []
    found = [d for column in columns for d in _of_column(table[column.name], column, is_in)]
    return sorted((d for d in found if abs(d.effect) >= SMALL), key=lambda d: -abs(d.effect))


def _of_column(cells: Cells, column: Column, is_in: np.ndarray) -> Iterator[Difference]:
    if isinstance(cells, Levels):
        is_missing = cells.codes < 0
        counts = np.bincount(cells.codes[~is_missing], minlength=len(cells.names))
        for code in np.argsort(-counts, kind="stable")[:LEVELS].tolist():
            yield _of_share(f"{column.name} = {cells.names[code]}", cells.codes == code, is_in)
    else:
        is_missing = np.isnan(cells)
        inside, outside = (cells[part & ~is_missing] for part in (is_in, ~is_in))
        if len(inside) and len(outside):
            yield _of_mean(column, inside, outside)
    if is_missing.any():
        yield _of_share(f"{column.name} is missing", is_missing, is_in)


def _of_share(what: str, holds: np.ndarray, is_in: np.ndarray) -> Difference:
    inside, outside = float(holds[is_in].mean()), float(holds[~is_in].mean())
    return Difference(what, percent(inside), percent(outside), share_effect(inside, outside))


def _of_mean(column: Column, inside: np.ndarray, outside: np.ndarray) -> Difference:
    means = _mean(inside), _mean(outside)
    if column.kind == "boolean":
        return Difference(column.name, percent(means[0]), percent(means[1]), share_effect(*means))
    words = [_date(m) if column.kind == "date" else str(format_value(m)) for m in means]
    return Difference(column.name, words[0], words[1], mean_effect(inside, outside))


def _mean(values: np.ndarray) -> float:
    """The mean of numbers whose sum may be none."""
    largest = float(np.abs(values).max()) or 1.0
    return float((values / largest).mean() * largest)


def _date(days: float) -> str:
    """A day in words; one beyond the calendar as a number."""
    try:
        return str(pd.Timestamp(days, unit="D").date())
    except (ValueError, OverflowError):
        return str(format_value(days))
