r"""Simple generators of tables, which a network must beat: independent columns, the Gaussian copula, and jittered rows.

The copula is fitted to mixed columns by :mod:`~gradatim.generative.hidden_correlation`; whether a cell is missing is a variable
of its own.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
import torch
from scipy.special import ndtr, ndtri

from gradatim.errors import require, require_whole
from gradatim.generative.hidden_correlation import Scores, latent_correlation
from gradatim.generative.margin import Margin, learn_margins

MOST_ROWS = 20_000  # from which correlations are learned


@dataclass(frozen=True, eq=False)
class IndependentColumns:
    """Every column drawn from its own distribution, whatever the others are.

    Args:
        margins: Of every column, by name.
    """

    margins: dict[str, Margin]

    @classmethod
    def learn(cls, table: pd.DataFrame) -> Self:
        """Learn the distributions of a table.

        Args:
            table: Numbers, times and categories.
        """
        return cls(learn_margins(table))

    def sample(self, num_rows: int, *, generator: torch.Generator) -> pd.DataFrame:
        """Draw rows.

        Args:
            num_rows: How many.
            generator: Source of randomness.

        Example:
            >>> model = IndependentColumns.learn(pd.DataFrame({"x": [0.0, 1.0], "c": ["u", "v"]}))
            >>> model.sample(3, generator=torch.Generator().manual_seed(0)).shape
            (3, 2)
        """
        z = normal_draws(num_rows, 2 * len(self.margins), generator)
        return write_scores(self.margins, z[:, ::2], z[:, 1::2])


@dataclass(frozen=True, eq=False)
class GaussianCopula:
    r"""Columns drawn from their own distributions, tied by the correlations of normal variables behind them.

    Args:
        margins: Of every column, by name.
        correlation: Of the normal variables: those of the columns, then those of the columns that may be missing.
    """

    margins: dict[str, Margin]
    correlation: np.ndarray

    @classmethod
    def learn(cls, table: pd.DataFrame) -> Self:
        """Learn distributions and correlations of a table.

        Args:
            table: Numbers, times and categories.

        Reference:
            Patki et al., The Synthetic Data Vault, 2016.
        """
        margins = learn_margins(table)
        rows = table.iloc[np.linspace(0, len(table) - 1, min(len(table), MOST_ROWS)).astype(int)]
        sides = {name: margin.read(rows[name]) for name, margin in margins.items()}
        scores = [Scores.of(own.values, own.is_there) for own in sides.values()]
        for name, margin in margins.items():
            if margin.missing:
                is_there = sides[name].is_there
                scores.append(Scores.of(~is_there * 1.0, np.ones(len(rows), bool)))
        return cls(margins, latent_correlation(scores))

    def sample(self, num_rows: int, *, generator: torch.Generator) -> pd.DataFrame:
        """Draw rows.

        Args:
            num_rows: How many.
            generator: Source of randomness.

        Example:
            >>> x = np.linspace(-1, 1, 50)
            >>> model = GaussianCopula.learn(pd.DataFrame({"x": x, "y": -x}))
            >>> rows = model.sample(100, generator=torch.Generator().manual_seed(0))
            >>> float(rows.corr().loc["x", "y"]) < -0.99
            True
        """
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        z = normal_draws(num_rows, len(root), generator) @ root.T
        count = len(self.margins)
        absent, own = np.full((num_rows, count), -np.inf), count
        for k, margin in enumerate(self.margins.values()):
            if margin.missing:
                absent[:, k] = z[:, own]
                own += 1
        return write_scores(self.margins, z[:, :count], absent)


@dataclass(frozen=True, eq=False)
class JitteredRows:
    r"""Rows of the data, drawn with replacement and moved a little: what copying looks like.

    .. math:: z' = \frac{z + h\,\epsilon}{\sqrt{1 + h^2}}

    Args:
        margins: Of every column, by name.
        table: The rows.
        width: :math:`h`, how far numbers move as normal scores; categories stay.
    """

    margins: dict[str, Margin]
    table: pd.DataFrame
    width: float = 0.1

    @classmethod
    def learn(cls, table: pd.DataFrame, *, width: float = 0.1) -> Self:
        """Keep the rows of a table.

        Args:
            table: Numbers, times and categories.
            width: :math:`h`.
        """
        require(width >= 0, "JitteredRows: width must be at least 0", width)
        return cls(learn_margins(table), table, width)

    def sample(self, num_rows: int, *, generator: torch.Generator) -> pd.DataFrame:
        """Draw rows.

        Args:
            num_rows: How many.
            generator: Source of randomness.

        Example:
            >>> rows = JitteredRows.learn(pd.DataFrame({"x": [0.0, 1.0], "c": ["u", "v"]}), width=0.0)
            >>> drawn = rows.sample(20, generator=torch.Generator().manual_seed(0))
            >>> bool((drawn.c == np.where(drawn.x == 0, "u", "v")).all())
            True
        """
        require_whole("JitteredRows", num_rows=num_rows)
        chosen = torch.randint(len(self.table), (num_rows,), generator=generator).numpy()
        noise = normal_draws(num_rows, 2 * len(self.margins), generator)
        columns = {}
        for k, (name, margin) in enumerate(self.margins.items()):
            side = margin.read(self.table[name].iloc[chosen])
            values = side.values
            if not margin.levels and self.width:
                spread = margin.to_normal(values, ndtr(noise[:, 2 * k]))  # over jumps
                z = spread + self.width * noise[:, 2 * k + 1]
                values = margin.from_normal(z / np.sqrt(1 + self.width**2))
            columns[name] = margin.write(values, side.is_there)
        return pd.DataFrame(columns)


def normal_draws(num_rows: int, count: int, generator: torch.Generator) -> np.ndarray:
    """Normal numbers, shape ``(num_rows, count)``.

    Args:
        num_rows: Rows.
        count: Columns.
        generator: Source of randomness.
    """
    require_whole("sample", num_rows=num_rows)
    return torch.randn(num_rows, count, dtype=torch.float64, generator=generator).numpy()


def write_scores(margins: dict[str, Margin], z: np.ndarray, absent: np.ndarray) -> pd.DataFrame:
    """A table of normal scores.

    Args:
        margins: Of every column, by name.
        z: Scores of the cells, shape ``(N, columns)``.
        absent: Scores of being missing, in the same shape: the largest are, at the rate of the column.
    """
    columns = {}
    for k, (name, margin) in enumerate(margins.items()):
        is_there = absent[:, k] <= ndtri(1.0 - margin.missing) if margin.missing else np.ones(len(z), bool)  # fmt: skip
        columns[name] = margin.write(margin.from_normal(z[:, k]), is_there)
    return pd.DataFrame(columns)
