"""Figures of a table that a generator made, beside held-out rows; the same for all generators."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from gradatim.generative import (
    Estimate,
    Repeats,
    RowCodec,
    Teaching,
    TwoSampleTest,
    copying_share,
    exact_repeats,
    mean_column_similarity,
    mean_pair_similarity,
    train_on_generated,
    two_sample_test,
)

MOST_COMPARED = 2_000  # rows of each table that are compared
MOST_PAIRED = 60  # columns whose pairs are compared
FOLDS = 5


class RowFigures(NamedTuple):
    """How good rows are.

    Args:
        columns: Mean similarity of columns.
        pairs: Mean similarity of pairs of columns.
        test: How surely a classifier tells them from held-out rows.
        teaching: What they teach about the target; ``None`` without one.
        copying: Share whose nearest row is a training row rather than a held-out one; ``None`` of real rows.
        repeats: Rows that are training rows; ``None`` of real rows.
    """

    columns: Estimate
    pairs: Estimate
    test: TwoSampleTest
    teaching: Teaching | None
    copying: Estimate | None
    repeats: Repeats | None

    @property
    def losses(self) -> np.ndarray:
        """What decides: how surely rows are told from real ones, fold by fold."""
        return np.array(self.test.fold_aucs)


class Bench(NamedTuple):
    """What generators are judged by.

    Args:
        train: Rows that they learned from.
        held_out: Rows that none has seen.
        codec: How rows become vectors, for distances.
        target: Column to predict, if there is one.
        seed: Fixes draws.
    """

    train: pd.DataFrame
    held_out: pd.DataFrame
    codec: RowCodec
    target: str | None
    seed: int

    def judge(self, made: pd.DataFrame, *, is_real: bool = False) -> RowFigures:
        """Figures of rows.

        Args:
            made: What a generator made, as many as there are training rows if it can.
            is_real: Whether they are training rows, the reference; they copy by definition.
        """
        real = self.held_out.iloc[:MOST_COMPARED]
        compared = made.iloc[: max(MOST_COMPARED, len(real))]
        some = self.some_columns()
        return RowFigures(
            mean_column_similarity(real, compared, seed=self.seed),
            mean_pair_similarity(real[some], compared[some], seed=self.seed),
            two_sample_test(real, made, folds=FOLDS, seed=self.seed),
            self._teach(made),
            None if is_real else self._copying(made),
            None if is_real else self._repeats(made),
        )

    def some_columns(self) -> list[str]:
        """Columns whose pairs are compared: all of a few, some of many, the target always."""
        names = list(map(str, self.train.columns))
        if len(names) <= MOST_PAIRED:
            return names
        chosen = {names[k] for k in np.linspace(0, len(names) - 1, MOST_PAIRED).astype(int)}
        return [name for name in names if name in chosen or name == self.target]

    def _teach(self, made: pd.DataFrame) -> Teaching | None:
        if self.target is None or self.held_out[self.target].nunique() < 2:
            return None
        return train_on_generated(self.train, self.held_out, made, self.target, seed=self.seed)

    def _copying(self, made: pd.DataFrame) -> Estimate:
        rows = (
            made[:MOST_COMPARED],
            self.train[: 10 * MOST_COMPARED],
            self.held_out[:MOST_COMPARED],
        )
        return copying_share(*map(self.codec.encode, rows), seed=self.seed)

    def _repeats(self, made: pd.DataFrame) -> Repeats:
        return repeated_rows(made, self.train, self.held_out)


def repeated_rows(made: pd.DataFrame, train: pd.DataFrame, held_out: pd.DataFrame) -> Repeats:
    """Rows that are training rows, cell by cell, and those of them that stand in the data once.

    Args:
        made: What a generator made.
        train: Rows that it learned from.
        held_out: Rows that it has not seen.

    Example:
        >>> rows = pd.DataFrame({"x": [1.0, 2.0, 2.0], "c": ["a", "b", "b"]})
        >>> repeated_rows(rows[:2], rows, rows[:0])
        Repeats(total=2, unique=1)
    """
    joined = pd.concat([made, train, held_out], ignore_index=True)
    codes = np.stack([pd.factorize(joined[name], use_na_sentinel=False)[0] for name in joined], 1)
    own, known, others = torch.from_numpy(codes).split([len(made), len(train), len(held_out)])
    return exact_repeats(own, known, others if len(held_out) else None)
