"""Tables as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option

if TYPE_CHECKING:
    from gradatim.fitting.tables.model import TableModel
    from gradatim.fitting.tables.player import TablePlayer

TASKS = ("auto", "regression", "binary", "multiclass", "classification")
CELLS_PER_SECOND, ROWS_PER_SECOND = 50_000, 2_000  # of the budget
LEAST_CELLS = (
    1_000_000  # that are read in any case, but no more than 1,000 rows and no fewer than 200
)


def target_option() -> Any:
    """The column to predict."""
    return option(None, "Column to predict; built-in sets know it.", metavar="COLUMN")


def task_option() -> Any:
    """Numbers or classes."""
    return option("auto", "auto, regression, binary, multiclass or classification.", choices=TASKS)


def weight_option() -> Any:
    """How much rows weigh."""
    return option(
        None, "Weights of the rows, in training and judging; no feature.", metavar="COLUMN"
    )


def refuse_target(job: Any, *others: str) -> None:
    """Refuse options that name the target as their own column."""
    for name in others:
        if job.target is not None and getattr(job, name) == job.target:
            raise InvalidValue(
                f"fit: {name} must differ from the target, got {job.target!r} for both."
            )


@dataclass(frozen=True, kw_only=True)
class RowOptions(ContestOptions):
    """What may be asked of the columns of a table, whatever is learned from its rows.

    Args:
        target: Column with what is known of every row; ``None`` for a built-in set, which knows.
        time_column: Column of times: the past predicts the future.
        group: Column of groups that must not be torn apart.
        drop: Columns to leave out.
    """

    target: str | None = target_option()
    time_column: str | None = option(None, "Times: the past predicts the future.", metavar="COLUMN")
    group: str | None = option(None, "Groups that stay together.", metavar="COLUMN")
    drop: tuple[str, ...] = option((), "Leave a column out; may be repeated.", metavar="COLUMN")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_target(self, "time_column", "group")
        if self.target is not None and self.target in self.drop:
            raise InvalidValue(f"fit: drop must not name the target, got {self.target!r}.")

    def most_rows(self, columns: int) -> int:
        """Rows of a table of so many columns that the budget can deal with, or that were asked for.

        Example:
            >>> [job.most_rows(10) for job in (TableOptions(), TableOptions(rows=50))]
            [120000, 50]
        """
        if self.rows is not None:
            return self.rows
        seconds = 60.0 if self.trials is not None else max(self.budget, 1.0)
        cells = seconds * CELLS_PER_SECOND / max(columns, 1)
        least = min(max(LEAST_CELLS // max(columns, 1), 200), 1000)
        return max(int(min(cells, seconds * ROWS_PER_SECOND)), least)


@dataclass(frozen=True, kw_only=True)
class TableOptions(RowOptions):
    """What may be asked for a table.

    Args:
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        weight: Column of weights: rows count by it in training and judging, and it is no feature.
    """

    task: str = task_option()
    weight: str | None = weight_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_target(self, "weight")
        if self.time_column is not None and self.group is not None:
            raise InvalidValue("fit: time_column and group must not be given together. Choose one.")


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    return True


def _read(data: Any, job: TableOptions) -> "TablePlayer":
    from gradatim.fitting.tables.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "TableModel":
    from gradatim.fitting.tables.model import TableModel

    return TableModel.from_folder(description, tensors)


TABLE = Kind(
    name="table",
    words="a table",
    title="Tables",
    options=TableOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
