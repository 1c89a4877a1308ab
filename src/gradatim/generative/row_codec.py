r"""Rows of a table as vectors that a network learns, and back.

A number becomes its normal score (:class:`~gradatim.generative.margin.Margin`), so that whatever its distribution is, the network
sees a standard normal one: heavy tails, spikes and whole numbers come back as they are in the data. A category becomes one
entry for each level, 1 for its own and -1 for the others, two levels one entry; of more than :data:`MOST_LEVELS` its normal
score in the order of frequency. A column with missing cells has an entry more, which says whether the cell is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
import torch
from scipy.special import ndtri
from torch import Tensor

from gradatim.errors import require
from gradatim.generative.margin import Margin, learn_margins

MOST_LEVELS = 20  # with an entry of their own


class Block(NamedTuple):
    """Entries of a vector that belong together.

    Args:
        column: Whose they are.
        is_category: One of them is meant, the largest; otherwise each is a number of its own.
        start: The first entry.
        width: How many.
    """

    column: str
    is_category: bool
    start: int
    width: int

    @property
    def entries(self) -> slice:
        """Where they are."""
        return slice(self.start, self.start + self.width)


@dataclass(frozen=True, eq=False)
class RowCodec:
    """How rows become vectors.

    Args:
        margins: Distribution of every column, by name, in the order of the table.
    """

    margins: Mapping[str, Margin]

    @classmethod
    def learn(cls, table: pd.DataFrame) -> Self:
        """Learn the distributions of a table.

        Args:
            table: Numbers, times, and anything else as categories; no column may be missing altogether.

        Example:
            >>> table = pd.DataFrame({"x": [0.5, 1.5, None], "c": ["u", "v", "u"]})
            >>> codec = RowCodec.learn(table)
            >>> codec.dim, [block.column for block in codec.blocks]
            (3, ['x', 'x', 'c'])
        """
        return cls(learn_margins(table))

    @property
    def blocks(self) -> list[Block]:
        """All entries, in order."""
        found, start = [], 0
        for name, margin in self.margins.items():
            for is_category, width in _widths(margin):
                found.append(Block(name, is_category, start, width))
                start += width
        return found

    @property
    def dim(self) -> int:
        """Entries of a vector."""
        return sum(width for margin in self.margins.values() for _, width in _widths(margin))

    def encode(self, table: pd.DataFrame, *, generator: torch.Generator | None = None) -> Tensor:
        """Vectors of rows, shape ``(N, dim)``.

        Args:
            table: With the columns that it was learned from; categories that are not known count as missing.
            generator: Source of the places within jumps; the middle of each without one.
        """
        parts = []
        for name, margin in self.margins.items():
            side = margin.read(table[name])
            count = len(margin.levels)
            for is_category, width in _widths(margin):
                if is_category and count and count <= MOST_LEVELS:
                    codes = np.where(side.is_there, side.values, count).astype(int)
                    parts.append(_signs(np.minimum(codes, max(width, 2) - 1), width))
                elif is_category:
                    parts.append(np.where(side.is_there, 1.0, -1.0)[:, None])
                else:
                    uniform = _uniform(len(table), generator)
                    z = margin.to_normal(side.values, uniform)
                    parts.append(np.where(side.is_there, z, ndtri(uniform))[:, None])
        return torch.from_numpy(np.concatenate(parts, axis=1).astype(np.float32))

    def decode(self, vectors: Tensor) -> pd.DataFrame:
        """Rows of vectors.

        Args:
            vectors: Shape ``(N, dim)``; of a category the largest entry is taken.
        """
        rule = f"RowCodec.decode: vectors must have shape (N, {self.dim})"
        require(vectors.ndim == 2 and vectors.shape[1] == self.dim, rule, tuple(vectors.shape))
        entries = vectors.double().numpy()
        columns: dict[str, pd.Series] = {}
        values: np.ndarray = np.empty(0)
        is_there: np.ndarray = np.empty(0)
        for block in self.blocks:
            margin, own = self.margins[block.column], entries[:, block.entries]
            if not block.is_category:
                values = margin.from_normal(own[:, 0])
                is_there = np.ones(len(own), bool)
            elif margin.levels and len(margin.levels) <= MOST_LEVELS:
                codes = own.argmax(1) if block.width > 1 else np.where(own[:, 0] > 0, 0, 1)
                values, is_there = codes.astype(np.float64), codes < len(margin.levels)
            else:
                is_there = own[:, 0] > 0
            columns[block.column] = margin.write(values, is_there)
        return pd.DataFrame(columns)


def _widths(margin: Margin) -> list[tuple[bool, int]]:
    """Entries of a column, block by block: whether they are a category, and how many."""
    count = len(margin.levels)
    if count and count <= MOST_LEVELS:
        levels = count + (margin.missing > 0)
        return [(True, 1 if levels <= 2 else levels)]
    return [(False, 1), *([(True, 1)] if margin.missing else [])]


def _signs(codes: np.ndarray, width: int) -> np.ndarray:
    if width == 1:
        return np.where(codes == 0, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(width), 1.0, -1.0)


def _uniform(count: int, generator: torch.Generator | None) -> np.ndarray:
    if generator is None:
        return np.full(count, 0.5)
    drawn = torch.rand(count, dtype=torch.float64, generator=generator)
    return drawn.clamp(1e-6, 1 - 1e-6).numpy()
