"""One row as a mapping, from cells to features without a data frame: what a server asks a thousand times a second."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradatim.data.tables.columns import Levels
from gradatim.data.tables.text_files import MISSING
from gradatim.fitting.tables.preprocessing import LIMIT, Encoder, Preprocessing

_OTHER = "\0"  # a category that no table has


def known_levels(encoder: Encoder) -> list[str]:
    """Categories that a model tells apart.

    Example:
        >>> from gradatim.data.tables.columns import Column
        >>> known_levels(Encoder(Column("town", "categorical"), levels=["Bern"], known=["Chur", None], means=[[1.0], [0.0]]))
        ['Bern', 'Chur']
    """
    return list(dict.fromkeys([*encoder.levels, *(name for name in encoder.known if name is not None)]))  # fmt: skip


def level_rows(encoder: Encoder) -> np.ndarray:
    """Features of every known category, then of any other, then of a missing one."""
    names = known_levels(encoder)
    return encoder.encode(Levels(np.array([*range(len(names) + 1), -1]), [*names, _OTHER]))


class RowReader:
    """Reads rows that hold plain numbers and texts.

    Args:
        preprocessing: How columns become features.
    """

    def __init__(self, preprocessing: Preprocessing) -> None:
        self._encoders = preprocessing.encoders
        self._levels = {
            encoder.column.name: (
                dict(zip(known_levels(encoder), (rows := level_rows(encoder).tolist()), strict=False)),
                rows[-2] if encoder.marks_other else None,
                rows[-1],
            )
            for encoder in self._encoders
            if encoder.column.kind == "categorical"
        }  # fmt: skip

    def features(self, row: Mapping[str, Any]) -> np.ndarray | None:
        """The features ``(1, D)`` of a row, or ``None`` where a cell needs a closer look."""
        found: list[float] = []
        for encoder in self._encoders:
            cell = row.get(encoder.column.name, _OTHER)
            part = self._level(encoder, cell) if encoder.column.kind == "categorical" else _number(encoder, cell)  # fmt: skip
            if part is None:
                return None
            found += part
        return np.array([found])

    def _level(self, encoder: Encoder, cell: object) -> list[float] | None:
        known, other, missing = self._levels[encoder.column.name]
        if cell is None:
            return missing
        if not isinstance(cell, str) or cell == _OTHER:
            return None
        name = cell.strip()
        return missing if name in MISSING else known.get(name, other)


def _number(encoder: Encoder, cell: object) -> list[float] | None:
    """Features of a plain number of a column of numbers."""
    if encoder.column.kind != "numeric" or not (cell is None or type(cell) in (int, float)):
        return None
    x = math.nan if cell is None else float(cell)  # type: ignore[arg-type]
    if math.isinf(x):
        return None
    is_missing = math.isnan(x)
    scaled = ((encoder.fill if is_missing else x) - encoder.center) / encoder.scale
    return [min(max(scaled, -LIMIT), LIMIT)] + [float(is_missing)] * encoder.marks_missing
