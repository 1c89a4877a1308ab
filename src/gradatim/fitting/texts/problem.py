"""Texts with targets, and the rows set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean
from gradatim.data.tables.reading import RawTable
from gradatim.errors import InvalidValue
from gradatim.fitting.classes import LabelledRows, source_rows
from gradatim.fitting.tables.problem import (
    check_rows,
    find_name,
    join_test,
    read_labels,
    split_rows,
)
from gradatim.fitting.texts.kind import TextOptions


@dataclass
class TextProblem(LabelledRows):
    """Texts, target and split.

    Args:
        name: Short name of the table.
        text: Name of the column of texts.
        target: Name of the column to predict.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per row.
        texts: The texts.
        rows: Place of every row in the source.
        train: Rows to learn from.
        test: Rows that judge at the end.
        notes: What was done to the data, one sentence each.
    """

    name: str
    text: str
    target: str
    labels: list[str | int]
    y: np.ndarray
    texts: list[str]
    rows: np.ndarray
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)

    def contents(self) -> Iterator[bytes]:
        """Yield all texts, the target and the split."""
        yield from super().contents()
        for text in self.texts:
            yield text.encode("utf-8", "surrogatepass") + b"\0"

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
    text = find_name(frame, job.text or "text", "text")
    target = find_name(frame, job.target or raw.target, "target", raw.target)
    if text == target:
        raise InvalidValue(f"fit: text must differ from the target, got {text!r} for both.")
    check_rows(int(clean(frame[target]).notna().sum()), target)
    labels, y, kept = read_labels(frame[target], job.task, is_test, notes)
    check_rows(len(y), target)
    frame, is_test = frame.iloc[kept], is_test[kept]
    texts = read_texts(frame[text], notes)
    if not any(texts):
        raise InvalidValue(f"fit: text must hold texts, got only empty cells in {text!r}.")
    others = [str(name) for name in frame.columns if name not in (text, target)]
    if others:
        shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
        notes.append(
            f"Only {text!r} is read; {shown} {'is' if len(others) == 1 else 'are'} left out."
        )
    mask = is_test if test is not None else None
    train, held_out = split_rows(y, labels, mask, job, None, None)
    rows = frame.index.to_numpy()
    return TextProblem(
        raw.name, text, target, labels, y, texts, rows, train, held_out, notes
    )  # fmt: skip


def read_texts(cells: pd.Series, notes: list[str]) -> list[str]:
    """Cells as texts; missing ones are empty and counted."""
    missing = cells.isna()
    if missing.any():
        count = int(missing.sum())
        rows = "1 row has" if count == 1 else f"{count:,} rows have"
        notes.append(f"{rows} no text and {'is' if count == 1 else 'are'} read as empty.")
    return ["" if absent else str(cell) for cell, absent in zip(cells, missing, strict=True)]
