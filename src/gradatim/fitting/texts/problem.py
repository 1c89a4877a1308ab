"""Texts with targets, and the rows set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Levels, clean, find_columns
from gradatim.data.tables.reading import RawTable
from gradatim.errors import InvalidValue
from gradatim.fitting.classes import LabelledRows, source_rows
from gradatim.fitting.tables.preprocessing import describe_unread, read_columns
from gradatim.fitting.tables.problem import (
    check_rows,
    find_name,
    join_test,
    read_labels,
    split_rows,
    weigh_rows,
)
from gradatim.fitting.texts.columns import Table, TableColumns, join_texts
from gradatim.fitting.texts.kind import TextOptions


@dataclass
class TextProblem(LabelledRows):
    """Texts, target and split.

    Args:
        name: Short name of the table.
        text: Names of the columns of texts.
        target: Name of the column to predict.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per row.
        texts: The texts.
        rows: Place of every row in the source.
        train: Rows to learn from.
        test: Rows that judge at the end.
        notes: What was done to the data, one sentence each.
        table: The other columns, where they are read.
        weight: How much each text weighs, if they weigh.
    """

    things = "texts"
    name: str
    text: list[str]
    target: str
    labels: list[str | int]
    y: np.ndarray
    texts: list[str]
    rows: np.ndarray
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)
    table: TableColumns | None = None
    weight: np.ndarray | None = None

    def contents(self) -> Iterator[bytes]:
        """Yield all texts, the target and the split."""
        yield from super().contents()
        for text in self.texts:
            yield text.encode("utf-8", "surrogatepass") + b"\0"
        if self.table is not None:
            yield repr(self.table.columns).encode("utf-8", "surrogatepass")
            for cells in self.table.cells.values():
                yield cells.codes.tobytes() if isinstance(cells, Levels) else cells.tobytes()

    @property
    def source(self) -> str:
        """What is read, in words."""
        named = " and ".join(map(repr, self.text))
        count = 0 if self.table is None else len(self.table.columns)
        return named + (f" and {count} other column{'s' if count > 1 else ''}" if count else "")

    def cells(self, rows: np.ndarray) -> Table | None:
        """The other columns of some rows, where they are read."""
        return None if self.table is None else self.table.take(rows)

    def places(self) -> tuple[str, np.ndarray]:
        """Where each test row came from, as a column."""
        return source_rows(self.rows[self.test])


def prepare(raw: RawTable, job: TextOptions, test: RawTable | None = None) -> TextProblem:
    """Find texts, target, task and test rows.

    Args:
        raw: The table.
        job: What was asked for.
        test: A table of test rows, where the user has one.
    """
    frame, is_test = join_test(raw.frame, None if test is None else test.frame)
    notes = [*raw.notes, *([] if test is None else test.notes)]
    text = [find_name(frame, name, "text") for name in job.text or ("text",)]
    if len(set(text)) < len(text):
        raise InvalidValue(f"fit: text must name different columns, got {text[0]!r} twice.")
    target = find_name(frame, job.target or raw.target, "target", raw.target)
    if target in text:
        raise InvalidValue(f"fit: text must differ from the target, got {target!r} for both.")
    if job.weight is not None:
        find_name(frame, job.weight, "weight")
    frame, is_test, weight = weigh_rows(frame, is_test, job.weight, notes)
    check_rows(int(clean(frame[target]).notna().sum()), target)
    labels, y, kept = read_labels(frame[target], job.task, is_test, notes)
    check_rows(len(y), target)
    frame, is_test = frame.iloc[kept], is_test[kept]
    weight = None if weight is None else weight[kept]
    texts = read_texts(join_texts(frame, text), notes)
    named = " and ".join(map(repr, text))
    if not any(texts):
        raise InvalidValue(f"fit: text must hold texts, got only empty cells in {named}.")
    others = [str(name) for name in frame.columns if name not in (*text, target, job.weight)]
    table = _read_others(frame, others, job, notes) if job.with_columns else None
    if others and not job.with_columns:
        shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
        left = f"{shown} {'is' if len(others) == 1 else 'are'} left out"
        notes.append(f"Only {named} is read; {left}. Add --with-columns to read them too." if len(text) == 1 else f"Only {named} are read; {left}. Add --with-columns to read them too.")  # fmt: skip
    mask = is_test if test is not None else None
    train, held_out = split_rows(y, labels, mask, job, None, None)
    rows = frame.index.to_numpy()
    return TextProblem(
        raw.name, text, target, labels, y, texts, rows, train, held_out, notes, table, weight
    )  # fmt: skip


def _read_others(
    frame: pd.DataFrame, others: list[str], job: TextOptions, notes: list[str]
) -> TableColumns:
    """Type the other columns as a table does; those that say nothing are left out with a reason."""
    dropped = {find_name(frame, name, "drop") for name in job.drop}
    columns, reasons = find_columns(frame[[name for name in others if name not in dropped]])
    notes += reasons
    if not columns:
        raise InvalidValue("fit: the table must have a column beside texts and target that can be read, and has none. Leave --with-columns out.")  # fmt: skip
    cells, unread = read_columns(frame, columns, "fit")
    notes += describe_unread(unread, columns)
    return TableColumns(columns, cells)


def read_texts(cells: pd.Series, notes: list[str]) -> list[str]:
    """Cells as texts; missing ones are empty and counted."""
    missing = cells.isna()
    if missing.any():
        count = int(missing.sum())
        rows = "1 row has" if count == 1 else f"{count:,} rows have"
        notes.append(f"{rows} no text and {'is' if count == 1 else 'are'} read as empty.")
    return ["" if absent else str(cell) for cell, absent in zip(cells, missing, strict=True)]
