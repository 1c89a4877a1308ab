"""Series as a kind of data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import ContestOptions, option
from gradatim.fitting.tables.kind import refuse_target

if TYPE_CHECKING:
    from gradatim.fitting.series.model import SeriesModel
    from gradatim.fitting.series.player import SeriesPlayer


@dataclass(frozen=True, kw_only=True)
class SeriesOptions(ContestOptions):
    """What may be asked for series.

    Args:
        forecast: Steps to forecast; must be given.
        target: Column of values; all columns of numbers by default.
        time_column: Column of times; the rows are one step each by default.
        group: Column that names the series of each row.
    """

    forecast: int | None = option(None, "Forecast the next steps of the series in the table.", metavar="STEPS")  # fmt: skip
    target: str | None = option(None, "Column of values; every column of numbers is a series by default.", metavar="COLUMN")  # fmt: skip
    time_column: str | None = option(None, "Times of the rows.", metavar="COLUMN")
    group: str | None = option(None, "Column that names the series of a row.", metavar="COLUMN")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.forecast is None:
            raise InvalidValue("fit: forecast must be a number of steps for series, got None. Try 12.")  # fmt: skip
        if isinstance(self.test, str):
            raise InvalidValue("fit: test must be a share for series, got a file. Try 0.2.")
        refuse_target(self, "time_column", "group")


def _is_meant(data: object, given: Mapping[str, Any]) -> bool:
    """Steps to forecast are given."""
    return given.get("forecast") is not None


def _read(data: Any, job: SeriesOptions) -> "SeriesPlayer":
    from gradatim.fitting.series.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "SeriesModel":
    from gradatim.fitting.series.model import SeriesModel

    return SeriesModel.from_folder(description, tensors)


SERIES = Kind(
    name="series",
    words="series",
    title="Series",
    options=SeriesOptions,
    is_meant=_is_meant,
    read=_read,
    load=_load,
)
