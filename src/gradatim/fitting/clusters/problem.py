"""Rows to be clustered, as they were read."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Cells, Column, find_columns, read_plain_numbers
from gradatim.data.tables.reading import RawTable, read_table
from gradatim.errors import InvalidValue, require
from gradatim.fitting.anomalies.readers import TableReader
from gradatim.fitting.clusters.features import find_blocks, find_weights
from gradatim.fitting.clusters.kind import AUTO, ClusterOptions
from gradatim.fitting.tables.hints import describe_levels
from gradatim.fitting.tables.one_hot_width import keep_affordable_columns
from gradatim.fitting.tables.preprocessing import describe_unread, fit_preprocessing, read_columns
from gradatim.fitting.tables.problem import find_name
from gradatim.wording import numbered

LEAST_AUTO = 20  # rows from which a number of clusters can be told


@dataclass(kw_only=True)
class ClusterProblem:
    """A table whose rows are to be clustered.

    Args:
        name: Short name of the table.
        columns: The columns that clusters see.
        table: Their cells.
        reader: From cells to features.
        weights: Factors of the features.
        target: Name and cells of a column that they do not see.
        places: Place of every row in the source.
        notes: What was done to the data, one sentence each.
        clusters: How many are wanted; ``None`` where the rows shall tell.
    """

    name: str
    columns: list[Column]
    table: dict[str, Cells]
    reader: TableReader
    weights: np.ndarray
    target: tuple[Column, Cells] | None
    places: np.ndarray
    notes: list[str]
    clusters: int | None
    x: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.x = self.reader.preprocessing.transform(self.table) * self.weights
        self.blocks = find_blocks(self.reader.preprocessing.encoders)

    @property
    def headline(self) -> str:
        """What is looked at, in a line."""
        return f"{self.name}: clusters among {numbered(len(self.x), 'rows')} by {numbered(len(self.columns), 'columns')}"

    def fingerprint(self) -> str:
        """Return a hash of everything that the clusters depend on."""
        digest = hashlib.sha256(self.x.tobytes())
        digest.update(repr((self.reader.to_json(), self.target and self.target[0])).encode())
        return digest.hexdigest()


def read_problem(data: "str | Path | pd.DataFrame", job: ClusterOptions) -> ClusterProblem:
    """Read a table, find the types of its columns, and make numbers of them."""
    raw = read_table(data, limit=job.most_rows, seed=job.seed, seconds=job.seconds_to_look)
    keep_affordable_columns(raw, job)
    return prepare(raw, job)


def prepare(raw: RawTable, job: ClusterOptions) -> ClusterProblem:
    """Find types and features.

    Args:
        raw: The table.
        job: What was asked for.
    """
    frame, notes = raw.frame, list(raw.notes)
    name = job.target or raw.target
    target = None if name is None else _read_target(frame, find_name(frame, name, "target", raw.target))  # fmt: skip
    hidden = [*([] if target is None else [target[0].name]), *(find_name(frame, n, "drop") for n in job.drop)]  # fmt: skip
    if target is not None and job.target is None:
        notes.append(f"Column {name!r}, the target of the set, is not seen by the clusters, which are compared with it.")  # fmt: skip
    features = read_plain_numbers(frame.drop(columns=list(dict.fromkeys(hidden))))
    columns, left_out = find_columns(features)
    notes += left_out
    if not columns:
        raise InvalidValue(" ".join(["fit: the table must have a column that differs from row to row, and none is left.", *left_out[:3]]))  # fmt: skip
    table, unread = read_columns(features, columns, "fit")
    rows = np.arange(len(frame))
    notes += describe_unread(unread, columns) + describe_levels(table, columns, rows)
    reader = TableReader(fit_preprocessing(table, columns, rows))
    problem = ClusterProblem(
        name=raw.name,
        columns=columns,
        table=table,
        reader=reader,
        weights=find_weights(reader.preprocessing, table),
        target=target,
        places=frame.index.to_numpy(),
        notes=notes,
        clusters=None if job.clusters == AUTO else int(str(job.clusters)),
    )
    _check_rows(problem)
    return problem


def _read_target(frame: pd.DataFrame, name: str) -> tuple[Column, Cells]:
    from gradatim.data.tables.columns import find_column, read_cells

    column = find_column(frame[name], name)
    return column, read_cells(frame[name], column)[0]


def _check_rows(p: ClusterProblem) -> None:
    """Refuse tables with too few rows for what is asked."""
    count: Any = p.clusters
    if count is None:
        rule = f"fit: the table must have at least {LEAST_AUTO} rows to tell how many clusters there are"
        require(len(p.x) >= LEAST_AUTO, rule, len(p.x), "Give a number, as in --clusters 3.")
        return
    require(count <= len(p.x), f"fit: clusters must be at most the number of rows, {len(p.x):,}", count)  # fmt: skip
    if count > 1:
        different = len(np.unique(p.x, axis=0)) if count > 2 else 2
        require(count <= different, f"fit: clusters must be at most the number of different rows, {different:,}", count)  # fmt: skip
