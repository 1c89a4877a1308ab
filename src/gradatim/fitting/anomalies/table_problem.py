"""Anomalies among the rows of a table."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Cells, Column, find_columns, read_plain_numbers
from gradatim.data.tables.reading import RawTable
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import split_test
from gradatim.fitting.anomalies.kind import AnomalyOptions
from gradatim.fitting.anomalies.labels import read_marks
from gradatim.fitting.anomalies.made_up import Judging, odd_rows
from gradatim.fitting.anomalies.problem import AnomalyProblem, find_alarms, thin
from gradatim.fitting.anomalies.readers import TableReader
from gradatim.fitting.classes import check_test
from gradatim.fitting.tables.hints import describe_levels
from gradatim.fitting.tables.preprocessing import (
    describe_unread,
    fit_preprocessing,
    read_columns,
    take_rows,
)
from gradatim.fitting.tables.problem import find_name, join_test

MIN_ROWS = 20


@dataclass(kw_only=True)
class TableAnomalies(AnomalyProblem):
    """Rows of a table.

    Args:
        columns: The columns that detectors look at.
        table: Their cells.
        places: Place of every row in the source.
    """

    columns: list[Column]
    table: dict[str, Cells]
    places: np.ndarray

    def contents(self) -> Iterator[bytes]:
        """Yield all cells and the split."""
        yield from super().contents()
        for column in self.columns:
            cells = self.table[column.name]
            yield repr(column).encode()
            for part in cells if isinstance(cells, tuple) else (cells,):
                yield part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()

    def learn(self, rows: np.ndarray) -> TableReader:
        """The preprocessing learned from normal rows."""
        return TableReader(fit_preprocessing(self.table, self.columns, rows))

    def features(self, reader: TableReader, rows: np.ndarray) -> np.ndarray:
        """Features of rows."""
        return reader.preprocessing.transform(take_rows(self.table, rows))

    def make_up(self, reader: TableReader, rows: np.ndarray, most: int, rng: np.random.Generator) -> Judging:  # fmt: skip
        """Judge by rows, and by rows with swapped or strange cells."""
        rows = thin(rows, most, rng)
        odd, kinds = odd_rows(self.table, reader.preprocessing, rows, rng)
        return Judging(np.concatenate([self.features(reader, rows), odd]), len(rows), 1, kinds, rows)  # fmt: skip

    def order(self, rows: np.ndarray, seed: int) -> np.ndarray:
        """Rows in random order."""
        return np.random.default_rng([seed, 11]).permutation(rows)


def prepare_table(raw: RawTable, job: AnomalyOptions, test: RawTable | None = None) -> TableAnomalies:  # fmt: skip
    """Find marks, types and test rows.

    Args:
        raw: The table.
        job: What was asked for.
        test: A table of test rows, where the user has one.
    """
    frame, is_test = join_test(raw.frame, None if test is None else test.frame)
    notes = [*raw.notes, *([] if test is None else test.notes)]
    target, is_odd, kept = find_marks(frame, raw, job, notes)
    dropped = [find_name(frame, name, "drop") for name in job.drop]
    hidden = [*dropped, *(name for name in (job.target or raw.target,) if name is not None)]
    frame, is_odd, is_test = frame.iloc[kept], is_odd[kept], is_test[kept]
    normal = int((~is_odd).sum())
    require(normal >= MIN_ROWS, f"fit: the table must have at least {MIN_ROWS} normal rows", normal)
    train, held = _split(is_odd, is_test if test is not None else None, job)
    parts = [rows[is_odd[rows] == odd] for odd in (False, True) for rows in (train, held)]
    check_test(len(parts[1]), "normal rows")
    require(len(parts[0]) >= MIN_ROWS // 2, f"fit: test must leave at least {MIN_ROWS // 2} normal rows to learn from", len(parts[0]))  # fmt: skip
    features = read_plain_numbers(frame.drop(columns=list(dict.fromkeys(hidden))))
    # all normal rows show what numbers rows: an identifier would make every later row odd
    columns, left_out = find_columns(features[~is_odd])
    notes += left_out
    if not columns:
        raise InvalidValue(" ".join(["fit: the table must have a column that changes from row to row, and none is left.", *left_out[:3]]))  # fmt: skip
    table, unread = read_columns(features, columns, "fit")
    notes += describe_unread(unread, columns) + describe_levels(table, columns, parts[0])
    return TableAnomalies(
        name=raw.name,
        alarms=find_alarms(job.alarms, len(parts[0]), notes, "rows"),
        target=target,
        train=parts[0],
        test=parts[1],
        odd_train=parts[2],
        odd_test=parts[3],
        notes=notes,
        columns=columns,
        table=table,
        places=frame.index.to_numpy(),
    )


def find_marks(frame: pd.DataFrame, raw: RawTable, job: AnomalyOptions, notes: list[str]) -> tuple[str | None, np.ndarray, np.ndarray]:  # fmt: skip
    """The column of marks, the anomalies, and the rows that are used.

    The target of a built-in set marks anomalies where it has two values, or where its normal one is given.
    """
    rows = np.arange(len(frame))
    if job.target is None and job.normal is not None and raw.target is None:
        raise InvalidValue(f"fit: normal must come with a target, the column of which it is a value, got {job.normal!r} alone.")  # fmt: skip
    if job.target is None and raw.target is not None and job.normal is None and frame[raw.target].nunique() != 2:  # fmt: skip
        notes.append(f"Column {raw.target!r} is left out: it is the target of the set, and does not say which rows are normal (--normal does).")  # fmt: skip
        return None, np.zeros(len(frame), bool), rows
    name = job.target or raw.target
    if name is None:
        return None, np.zeros(len(frame), bool), rows
    name = find_name(frame, name, "target", raw.target)
    is_odd, is_known = read_marks(frame[name], job.normal, notes)
    return name, is_odd, np.flatnonzero(is_known)


def _split(is_odd: np.ndarray, is_test: np.ndarray | None, job: AnomalyOptions) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    if is_test is not None:
        return np.flatnonzero(~is_test), np.flatnonzero(is_test)
    return split_test(is_odd.astype(int), float(job.test), np.random.default_rng([job.seed, 0]))
