"""The problem to solve: a typed table, a target, and the rows set aside for the test."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import (
    Cells,
    Column,
    Levels,
    clean,
    find_columns,
    read_cells,
    read_plain_numbers,
)
from gradatim.data.tables.reading import RawTable
from gradatim.data.tables.targets import read_target
from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidValue, nearest_first
from gradatim.evaluation.splits import make_strata, split_test
from gradatim.fitting.classes import LabelledRows, check_test, keep_known, source_rows
from gradatim.fitting.options import Options
from gradatim.fitting.tables.hints import describe_levels, text_hints
from gradatim.fitting.tables.kind import TableOptions
from gradatim.fitting.tables.preprocessing import describe_unread, read_columns
from gradatim.fitting.tables.twins import Twins, find_twins

MIN_ROWS = 20


@dataclass
class Problem(LabelledRows):
    """Typed cells, target and split.

    Args:
        name: Short name of the table.
        target: Name of the column to predict.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per row.
        columns: The columns a model may use.
        table: Their cells.
        rows: Place of every row in the source.
        train: Rows to learn from.
        test: Rows that judge at the end.
        groups: Group of every row, if any.
        times: Time of every row, if any.
        notes: What was done to the data, one sentence each.
        weight: How much each row weighs, if they weigh.
    """

    name: str
    target: str
    labels: list[str | int]
    y: np.ndarray
    columns: list[Column]
    table: dict[str, Cells]
    rows: np.ndarray
    train: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None = None
    times: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    weight: np.ndarray | None = None

    def contents(self) -> Iterator[bytes]:
        """Yield all cells, the target and the split."""
        yield from super().contents()
        for column in self.columns:
            cells = self.table[column.name]
            yield repr(column).encode()
            for part in cells if isinstance(cells, tuple) else (cells,):
                yield part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()

    def places(self) -> tuple[str, np.ndarray]:
        """Where each test row came from, as a column."""
        return source_rows(self.rows[self.test])


def prepare(raw: RawTable, job: TableOptions, test: RawTable | None = None) -> Problem:
    """Find target, task, types and test rows.

    Args:
        raw: The table.
        job: What was asked for.
        test: A table of test rows, where the user has one.
    """
    frame, is_test = join_test(raw.frame, None if test is None else test.frame)
    notes = [*raw.notes, *([] if test is None else test.notes)]
    target = find_name(frame, job.target or raw.target, "target", raw.target)
    for argument in ("time_column", "group", "weight"):
        if getattr(job, argument) is not None:
            find_name(frame, getattr(job, argument), argument)
    dropped = [find_name(frame, name, "drop") for name in job.drop]
    frame, is_test, weight = weigh_rows(frame, is_test, job.weight, notes)
    check_rows(int(clean(frame[target]).notna().sum()), target)
    labels, y, kept = read_labels(frame[target], job.task, is_test, notes)
    check_rows(len(y), target)
    frame, is_test = frame.iloc[kept], is_test[kept]
    weight = None if weight is None else weight[kept]
    groups = _read_groups(frame, job.group)
    times = None if job.time_column is None else read_times(frame, job.time_column)[0]
    hidden = [target, *dropped, *filter(None, [job.group, job.weight])]
    features = read_plain_numbers(frame.drop(columns=list(dict.fromkeys(hidden))))
    twins = find_twins(features) if groups is None and times is None else None
    notes += [] if twins is None else [twins.sentence]
    train, held_out = split_rows(
        y, labels, is_test if test is not None else None, job, groups, times, twins
    )
    columns, left_out = find_columns(features.iloc[train], reads_texts=True)
    notes += left_out + text_hints(columns)
    if not columns:
        raise InvalidValue(
            " ".join(
                [
                    f"fit: the table must have a column to predict {target!r} from, and none is left.",
                    *left_out[:3],
                ]
            )
        )
    table, unread = read_columns(features, columns, "fit")
    notes += describe_unread(unread, columns) + describe_levels(table, columns, train)
    problem = Problem(
        raw.name, target, labels, y, columns, table, frame.index.to_numpy(), train, held_out, groups, times, notes, weight
    )  # fmt: skip
    problem.twins = None if twins is None else twins.codes
    return problem


def weigh_rows(
    frame: pd.DataFrame, is_test: np.ndarray, name: str | None, notes: list[str]
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Read what rows weigh, from a column of numbers that are not negative; rows that weigh nothing are left out.

    Args:
        frame: The rows.
        is_test: Which are the user's own test rows.
        name: The column; ``None`` where rows do not weigh.
        notes: Collects what was done.

    Returns:
        Rows, which of them are for the test, and what they weigh.
    """
    if name is None:
        return frame, is_test, None
    values = pd.to_numeric(clean(frame[name]), errors="coerce").to_numpy(
        np.float64, na_value=np.nan
    )
    for is_bad, rule in (
        (~np.isfinite(values), "a number in every row"),
        (values < 0, "0 or more"),
    ):
        if is_bad.any():
            place = int(is_bad.argmax())
            row = int(source_rows(frame.index.to_numpy()[place : place + 1])[1][0])
            raise InvalidValue(f"fit: weight must be {rule}, got {str(frame[name].iloc[place])!r} in row {row} of {name!r}.")  # fmt: skip
    weighs = values > 0
    if not weighs.any():
        raise InvalidValue(f"fit: weight must be more than 0 for some rows, got zeros only in {name!r}.")  # fmt: skip
    if not weighs.all():
        count = int((~weighs).sum())
        notes.append(f"{count:,} row{' weighs' if count == 1 else 's weigh'} nothing and {'is' if count == 1 else 'are'} left out.")  # fmt: skip
    return frame[weighs], is_test[weighs], values[weighs]


def read_labels(
    cells: pd.Series, task: str, is_test: np.ndarray, notes: list[str]
) -> tuple[list[str | int], np.ndarray, np.ndarray]:
    """Read the target; test rows of a class that no training row has are left out.

    Args:
        cells: The column.
        task: As in :func:`read_target`.
        is_test: Which rows are the user's own test rows.
        notes: Collects what was done.

    Returns:
        Class labels (empty for regression), codes or values, and the rows that have them.
    """
    labels, y, kept = read_target(cells, task, notes)
    known = keep_known(labels, y, is_test[kept])
    if known.unknown:
        count, names = len(y) - len(known.rows), ", ".join(map(repr, known.unknown[:3]))
        rows = "1 test row has" if count == 1 else f"{count:,} test rows have"
        notes.append(f"{rows} a class that no training row has ({names}) and {'is' if count == 1 else 'are'} left out.")  # fmt: skip
    return known.labels, known.y, kept[known.rows]


def check_rows(rows: int, target: str) -> None:
    """Refuse a table with too few rows."""
    if rows < MIN_ROWS:
        raise InvalidValue(
            f"fit: the table must have at least {MIN_ROWS} rows with a {target!r}, got {rows}."
        )


def join_test(frame: pd.DataFrame, test: pd.DataFrame | None) -> tuple[pd.DataFrame, np.ndarray]:
    """Put the user's own test rows behind the others; say which rows they are."""
    if test is None:
        return frame, np.zeros(len(frame), dtype=bool)
    missing = [name for name in frame.columns if name not in test.columns]
    if missing:
        raise InvalidValue(f"fit: the test table must have the column {missing[0]!r}, and has not.")
    whole = pd.concat([frame, test[list(frame.columns)].set_axis(-1 - test.index, axis=0)])
    return whole, np.arange(len(whole)) >= len(frame)


def find_name(
    frame: pd.DataFrame,
    name: str | None,
    argument: str,
    known: str | None = None,
    *,
    owner: str = "fit",
) -> str:
    """Return a column's name; one that is not there gets a sentence with the nearest."""
    names = [str(column) for column in frame.columns]
    if name in names:
        return str(name)
    if name is None:
        raise InvalidValue(
            f"{owner}: {argument} must name a column: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}. "
            f"Try --{argument} {names[-1]!r}."
        )
    near = known or nearest_first(name, names)[0]
    listed = ", ".join(nearest_first(name, names)[:6])
    raise InvalidValue(
        f"{owner}: {argument} must be a column of the table ({listed}{', …' if len(names) > 6 else ''}), "
        f"got {name!r}. Try {near!r}."
    )


def _read_groups(frame: pd.DataFrame, name: str | None) -> np.ndarray | None:
    if name is None:
        return None
    cells, _ = read_cells(frame[name], Column(name, "categorical"))
    assert isinstance(cells, Levels)
    if len(cells.names) < 4:
        raise InvalidValue(
            f"fit: group must have at least 4 different values, got {len(cells.names)} in {name!r}. "
            "Fewer groups cannot be split into training and judging parts."
        )
    return cells.codes  # rows without a group form one


def split_rows(
    y: np.ndarray,
    labels: list[str | int],
    is_test: np.ndarray | None,
    job: Options,
    groups: np.ndarray | None,
    times: np.ndarray | None,
    twins: Twins | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return training and test rows: the user's own test rows, or a share of all."""
    if is_test is not None:
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
        if not len(test) or len(train) < MIN_ROWS:
            raise InvalidValue(
                f"fit: training and test table must have rows with a target that can be learned, got {len(train)} and "
                f"{len(test)}."
            )
    else:
        rng = np.random.default_rng([job.seed, 0])
        strata = make_strata(y, is_classification=bool(labels))
        codes = None if twins is None else twins.codes
        train, test = split_test(strata, float(job.test), rng, groups=groups, times=times, twins=codes)  # fmt: skip
    if (labels and len(np.unique(y[train])) < 2) or (not labels and np.ptp(y[train]) == 0):
        raise InvalidValue(
            "fit: the training rows must have different targets, got one value only."
        )
    check_test(len(test), "rows")
    if len(train) < 10:
        raise InvalidValue(
            f"fit: test must leave at least 10 rows to learn from, got {len(train)}."
        )
    return train, test
