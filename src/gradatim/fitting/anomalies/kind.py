"""Anomalies of tables and series as a kind of data."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradatim.errors import InvalidType, InvalidValue
from gradatim.fitting.kind import Kind
from gradatim.fitting.options import option
from gradatim.fitting.tables.kind import RowOptions

if TYPE_CHECKING:
    from gradatim.fitting.anomalies.model import AnomalyModel
    from gradatim.fitting.anomalies.player import AnomalyPlayer

ALARMS = 0.01
LONGEST_WINDOW = 1_000  # steps


def read_alarms(value: "str | float") -> float:
    """Read a share of alarms such as ``0.01`` or ``1%``.

    Example:
        >>> read_alarms("1%"), read_alarms(0.05)
        (0.01, 0.05)
    """
    if isinstance(value, bool) or not isinstance(value, str | float | int):
        raise InvalidType(f"fit: alarms must be a share such as 0.01 or 1%, got {value!r}.")
    found = re.fullmatch(r"\s*(-?\d*\.?\d+(?:e-?\d+)?)\s*(%?)\s*", str(value).lower())
    share = float(found[1]) / (100.0 if found[2] else 1.0) if found else -1.0
    if not 0.0 < share < 1.0:
        raise InvalidValue(f"fit: alarms must be a share between 0 and 1, got {value!r}. Try {ALARMS}.")  # fmt: skip
    return share


@dataclass(frozen=True, kw_only=True)
class AnomalyOptions(RowOptions):
    """What may be asked where anomalies are looked for.

    Args:
        alarms: Share of normal rows that may raise an alarm; ``None`` takes 0.01, or more where there are too few rows.
        target: Column that marks anomalies; they judge and never train.
        normal: The value of the target that means a normal row; found by default.
        time_column: Column of times; the rows are then steps of series.
        group: Column that names the series of each row.
        window: Steps of a series that are looked at together; found by default.
    """

    alarms: float | None = option(None, "Share of normal rows that may raise an alarm.", metavar="SHARE", read=read_alarms, shown=str(ALARMS))  # fmt: skip
    target: str | None = option(None, "Column that marks anomalies, which judge and never train.", metavar="COLUMN")  # fmt: skip
    normal: str | None = option(None, "Value of the target that means a normal row.", metavar="VALUE")  # fmt: skip
    time_column: str | None = option(None, "Times: the rows are steps of a series.", metavar="COLUMN")  # fmt: skip
    group: str | None = option(None, "Column that names the series of a row.", metavar="COLUMN")
    window: int | None = option(None, "Steps of a series that are looked at together.", metavar="STEPS")  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("group", "window"):
            value = getattr(self, name)
            if value is not None and self.time_column is None:
                raise InvalidValue(f"fit: {name} must come with a time_column where anomalies are looked for, got {value!r} alone.")  # fmt: skip
        if self.time_column is not None and isinstance(self.test, str):
            raise InvalidValue("fit: test must be a share for series, got a file. Try 0.2.")
        if self.window is not None and not 2 <= self.window <= LONGEST_WINDOW:
            raise InvalidValue(f"fit: window must be from 2 to {LONGEST_WINDOW:,} steps, got {self.window}. Try 16.")  # fmt: skip


def _read(data: "str | Path | Any", job: AnomalyOptions) -> "AnomalyPlayer":
    from gradatim.fitting.anomalies.player import read_player

    return read_player(data, job)


def _load(description: dict[str, Any], tensors: dict[str, Any]) -> "AnomalyModel":
    from gradatim.fitting.anomalies.model import AnomalyModel

    return AnomalyModel.from_folder(description, tensors)


ANOMALY = Kind(
    name="anomaly",
    words="anomalies",
    title="Anomalies",
    options=AnomalyOptions,
    read=_read,
    load=_load,
    flag="anomaly",
    flag_help="Learn what normal rows look like, or steps of a series, and give an alarm at others.",
)
