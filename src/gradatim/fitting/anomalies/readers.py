"""From the user's rows to the features that detectors see, and back to names: a table, or windows of series."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import require
from gradatim.fitting.anomalies.candidates import Shape
from gradatim.fitting.anomalies.steps import Layout, Steps, read_steps
from gradatim.fitting.stored import whole
from gradatim.fitting.tables.preprocessing import (
    LIMIT,
    Preprocessing,
    describe_unread,
    from_json,
    made_up_rows,
    read_columns,
)

NAMED = 3  # causes of an alarm
LEAST = 0.05  # of the blame, that a cause has
LONGEST = 1_000  # steps of a window


class Reading(ABC):
    """What turns rows into features."""

    channels = 0  # numbers of a step; 0 where rows are no windows
    form: str

    @abstractmethod
    def shape(self) -> Shape:
        """What every feature stands for."""

    @abstractmethod
    def made_up(self) -> np.ndarray:
        """Features of rows that hold little, to try a model with."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""


@dataclass(frozen=True)
class TableReader(Reading):
    """Rows of a table.

    Args:
        preprocessing: From typed columns to features.
    """

    preprocessing: Preprocessing
    form = "table"

    @property
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""
        return [encoder.column.name for encoder in self.preprocessing.encoders]

    def read(self, frame: pd.DataFrame, unread: Counter[str]) -> np.ndarray:
        """Features of rows; cells that could not be read are counted."""
        table, missed = read_columns(frame, [e.column for e in self.preprocessing.encoders])
        unread.update(missed)
        return self.preprocessing.transform(table)

    def describe(self, unread: Counter[str]) -> list[str]:
        """What was counted, one sentence each."""
        return describe_unread(+unread, [e.column for e in self.preprocessing.encoders])

    def shape(self) -> Shape:
        """What every feature stands for."""
        cells, is_number, is_mark = [], [], []
        for place, e in enumerate(self.preprocessing.encoders):
            is_category = e.column.kind == "categorical"
            marks = (len(e.levels) + e.marks_other if is_category else 0) + e.marks_missing
            width = len(e.names())
            cells += [place] * width
            is_number += [k == 0 and not is_category for k in range(width)]
            is_mark += [is_category or k >= width - marks for k in range(width)]
        last = np.arange(len(cells))
        return Shape(np.array(cells), np.array(is_number, bool), np.array(is_mark, bool), last)

    def reasons(self, blame: np.ndarray) -> list[str]:
        """The columns that made alarms, the strongest first, each with its share of the blame.

        Args:
            blame: Of every feature, shape ``(N, F)``.
        """
        cells = self.shape().cells
        by_column = np.zeros((len(blame), len(self.columns)))
        np.add.at(by_column.T, cells, blame.T)
        return [_named(row, self.columns) for row in by_column]

    def made_up(self) -> np.ndarray:
        """Features of rows that hold little."""
        columns = [e.column for e in self.preprocessing.encoders]
        return self.preprocessing.transform(read_columns(made_up_rows(columns), columns)[0])

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return {"form": self.form, "preprocessing": self.preprocessing.to_json()}


@dataclass(frozen=True)
class WindowReader(Reading):
    """Windows of series: a row is a step with the steps before it, features go step by step.

    Args:
        layout: Which columns hold what.
        window: Steps that are looked at together.
        center: Mean of every channel; scale: its deviation.
    """

    layout: Layout
    window: int
    center: list[float]
    scale: list[float]
    form = "series"

    @property
    def channels(self) -> int:  # type: ignore[override]
        """Numbers of a step."""
        return len(self.layout.channels)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""
        others = [name for name in (self.layout.time, self.layout.group) if name is not None]
        return [*others, *self.layout.channels]

    def standardize(self, values: np.ndarray) -> np.ndarray:
        """Values in deviations from the mean, limited; last axis: channels."""
        return np.clip((values - np.array(self.center)) / np.array(self.scale), -LIMIT, LIMIT)

    def features(self, values: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Windows that end with some rows, shape ``(N, window · channels)``.

        Args:
            values: All steps, shape ``(T, channels)``.
            rows: Steps with enough steps before them.
        """
        before = np.arange(1 - self.window, 1)
        return self.standardize(values[rows[:, None] + before]).reshape(len(rows), -1)

    def read(self, frame: pd.DataFrame, notes: list[str]) -> Steps:
        """Steps of a new table."""
        return read_steps(frame, self.layout, notes, owner="predict")

    def shape(self) -> Shape:
        """What every feature stands for."""
        count = self.window * self.channels
        last = np.arange(count - self.channels, count)
        return Shape(np.arange(count), np.ones(count, bool), np.zeros(count, bool), last)

    def reasons(self, blame: np.ndarray, stamps: Sequence[Sequence[str]]) -> list[str]:
        """The channels that made alarms, each with the time at which it was strangest.

        Args:
            blame: Of every feature, shape ``(N, F)``.
            stamps: Times of every window.
        """
        whole = blame.reshape(len(blame), self.window, self.channels)
        peaks = whole.argmax(1)  # (N, channels)
        return [
            _named(row.sum(0), [f"{name} at {times[k]}" for name, k in zip(self.layout.channels, peak, strict=True)])
            for row, peak, times in zip(whole, peaks, stamps, strict=True)
        ]  # fmt: skip

    def made_up(self) -> np.ndarray:
        """Features of rows that hold little."""
        steps = np.arange(3.0)[:, None] * np.ones(self.window * self.channels)
        return np.clip(steps, 0.0, LIMIT)

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        layout = {"time": self.layout.time, "channels": list(self.layout.channels), "group": self.layout.group}  # fmt: skip
        return {"form": self.form, "layout": layout, "window": self.window, "center": self.center, "scale": self.scale}  # fmt: skip


Reader = TableReader | WindowReader


def reader_from(facts: dict[str, Any]) -> Reader:
    """Undo ``to_json`` of a reader; what it cannot have written is refused."""
    if facts["form"] == TableReader.form:
        return TableReader(from_json(facts["preprocessing"]))
    require(facts["form"] == WindowReader.form, "load_model: form must be table or series", "another")  # fmt: skip
    layout = facts["layout"]
    names = [layout["time"], *layout["channels"]]
    is_named = all(isinstance(name, str) for name in names) and len(names) > 1
    require(is_named and isinstance(layout["group"], str | None), "load_model: names of columns must be texts", "others")  # fmt: skip
    own = Layout(layout["time"], tuple(layout["channels"]), layout["group"])
    sizes = np.array([facts["center"], facts["scale"]], dtype=float)
    is_sound = sizes.shape == (2, len(own.channels)) and bool(np.isfinite(sizes).all() and (sizes[1] > 0).all())  # fmt: skip
    require(is_sound, "load_model: every channel must have a finite center and a positive scale", "others")  # fmt: skip
    window = whole(facts, "window", LONGEST)
    require(window >= 2, "load_model: window must be at least 2", window)
    return WindowReader(own, window, *(part.tolist() for part in sizes))


def _named(blame: np.ndarray, names: Sequence[str]) -> str:
    """The strongest causes with their shares.

    >>> _named(np.array([1.0, 3.0, 0.0]), ["a", "b", "c"])
    'b 75 %, a 25 %'
    """
    total = float(blame.sum())
    if not total > 0:
        return ""
    order = np.argsort(-blame, kind="stable")[:NAMED].tolist()
    kept = [k for k in order if blame[k] >= LEAST * total] or order[:1]
    return ", ".join(f"{names[k]} {100 * blame[k] / total:.0f} %" for k in kept)
