"""Clusters of the rows of a table as a kind of data."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import Options, option

if TYPE_CHECKING:
    from gradatim.fitting.clusters.model import ClusterModel
    from gradatim.fitting.clusters.problem import ClusterProblem
    from gradatim.fitting.contest import FitResult

AUTO = "auto"
MOST = 1_000  # clusters
CELLS_PER_SECOND, ROWS_PER_SECOND = 250_000, 20_000  # of the budget
LEAST = 1_000  # rows, of a table of any width


def read_clusters(value: "str | int") -> "str | int":
    """Read a number of clusters, or ``"auto"``.

    Example:
        >>> read_clusters("3"), read_clusters("auto")
        (3, 'auto')
    """
    if hasattr(value, "__index__") and not isinstance(value, bool):
        count = int(value)
    elif isinstance(value, str):
        if value.strip().lower() == AUTO:
            return AUTO
        rule = f"fit: clusters must be a whole number from 1, or {AUTO}"
        require(re.fullmatch(r"\s*-?\d{1,9}\s*", value), rule, repr(value), "Try --clusters auto.")
        count = int(value)
    else:
        raise InvalidType(
            f"fit: clusters must be a whole number from 1, or {AUTO!r}, got {value!r}."
        )
    require(1 <= count <= MOST, f"fit: clusters must be from 1 to {MOST:,}, or {AUTO}", count)
    return count


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Options):
    """What may be asked where clusters are looked for.

    Args:
        clusters: How many, or ``"auto"``; must be given.
        target: Column that is known already; the clusters do not see it and are compared with it.
        drop: Columns to leave out.
    """

    clusters: Any = option(  # noqa: RUF009 - a field like the others, a number or a word
        None, "Find groups of rows that are alike: so many, or auto.", metavar="K", read=read_clusters
    )  # fmt: skip
    target: str | None = option(None, "Column that clusters do not see and are compared with.", metavar="COLUMN")  # fmt: skip
    drop: tuple[str, ...] = option((), "Leave a column out; may be repeated.", metavar="COLUMN")

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.clusters is not None, "fit: clusters must be a whole number from 1, or auto", None)  # fmt: skip
        if self.test != 0.2:
            raise InvalidValue(f"fit: test must be left out where clusters are looked for, which use all rows, got {self.test!r}.")  # fmt: skip
        if self.trials is not None:
            raise InvalidValue(f"fit: trials must be left out where clusters are looked for, which train no network, got {self.trials}.")  # fmt: skip
        if self.target is not None and self.target in self.drop:
            raise InvalidValue(f"fit: drop must not name the target, got {self.target!r}.")

    def most_rows(self, columns: int) -> int:
        """Rows of a table of so many columns that the budget can deal with, or that were asked for.

        Example:
            >>> [ClusterOptions(clusters=3, rows=rows).most_rows(10) for rows in (None, 50)]
            [1200000, 50]
        """
        if self.rows is not None:
            return self.rows
        most = min(ROWS_PER_SECOND, CELLS_PER_SECOND / max(columns, 1)) * self.budget
        return max(int(most), LEAST)


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """A number of clusters is given."""
    return given.get("clusters") is not None


def _read(data: Any, job: ClusterOptions) -> "ClusterProblem":
    from gradatim.fitting.clusters.problem import read_problem

    return read_problem(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "ClusterModel":
    from gradatim.fitting.clusters.model import ClusterModel

    return ClusterModel.from_folder(description, tensors)


def find_groups(read: Callable[[], Any], job: Any, **how: Any) -> "FitResult":
    """The course: how many clusters, where, and what tells them apart."""
    from gradatim.fitting.clusters import course

    return course.find_groups(read, job, **how)


CLUSTER = Kind(
    name="cluster",
    words="clusters",
    title="Clusters",
    options=ClusterOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
    course=find_groups,
)
