"""From typed columns of nodes to features; many columns of counts, mostly 0, stay sparse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradatim.data.tables.columns import Cells, Column
from gradatim.errors import require
from gradatim.fitting.tables.preprocessing import Preprocessing, fit_preprocessing, from_json

ENOUGH = 50  # columns of counts that are taken together
ZEROS = 0.8  # share of cells that are 0 in a column of counts


@dataclass(frozen=True)
class NodeFeatures:
    r"""What turns cells into features.

    Args:
        preprocessing: Of the columns that are prepared one by one, as those of a table.
        counts: Columns of counts, taken together: :math:`x_i / \lVert x_i \rVert`, so that zeros stay zeros.
    """

    preprocessing: Preprocessing
    counts: list[str]

    @property
    def columns(self) -> list[Column]:
        """All columns that are read."""
        own = [encoder.column for encoder in self.preprocessing.encoders]
        return [*own, *(Column(name, "numeric") for name in self.counts)]

    def transform(self, table: Mapping[str, Cells], rows: int) -> np.ndarray:
        """Features of all nodes, shape ``(N, D)``.

        Args:
            table: Typed cells by column.
            rows: Number of nodes.
        """
        parts = [np.zeros((rows, 0))]
        if self.preprocessing.encoders:
            parts.append(self.preprocessing.transform(table))
        if self.counts:
            cells = np.stack([np.asarray(table[name]) for name in self.counts], axis=1)
            cells = np.nan_to_num(cells, nan=0.0, posinf=0.0, neginf=0.0)
            norm = np.sqrt((cells**2).sum(1, keepdims=True))
            parts.append(cells / np.where(norm > 0, norm, 1.0))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def to_json(self) -> dict[str, Any]:
        """Plain data; :meth:`from_json` takes it back."""
        return {"preprocessing": self.preprocessing.to_json(), "counts": self.counts}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "NodeFeatures":
        """Undo :meth:`to_json`; what it cannot have written is refused."""
        counts = data["counts"]
        is_sound = isinstance(counts, list) and all(isinstance(name, str) for name in counts)
        require(is_sound, "load_model: names of columns must be texts", repr(counts)[:40])
        return cls(from_json(data["preprocessing"]), counts)


def find_counts(table: Mapping[str, Cells], columns: Sequence[Column]) -> list[str]:
    """Columns of numbers from 0, mostly 0 and none missing, where there are many.

    Args:
        table: Typed cells by column.
        columns: All columns.
    """
    found = []
    for column in columns:
        cells = table[column.name]
        if column.kind == "numeric" and isinstance(cells, np.ndarray) and len(cells):
            is_count = bool((cells >= 0).all()) and float((cells == 0).mean()) >= ZEROS
            found += [column.name] if is_count else []
    return found if len(found) >= ENOUGH else []


def learn_node_features(
    table: Mapping[str, Cells], columns: Sequence[Column], counts: Sequence[str], rows: np.ndarray
) -> NodeFeatures:
    """Learn centers, scales and levels from some nodes alone.

    Args:
        table: Typed cells by column.
        columns: All columns.
        counts: Those that are counts.
        rows: Nodes to learn from.
    """
    taken = set(counts)
    others = [column for column in columns if column.name not in taken]
    return NodeFeatures(fit_preprocessing(table, others, rows), list(counts))
