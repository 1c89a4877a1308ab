"""The saved model of series, and what it forecasts."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.data.tables.reading import iterate
from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.calibration import check_coverage
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.series.candidates import SimpleForecasts
from gradatim.fitting.series.networks import NetworkForecasts, NextSteps
from gradatim.fitting.series.problem import ONLY, Layout, read_series
from gradatim.fitting.series.times import KINDS, Axis
from gradatim.fitting.stored import Facts, StoredModel
from gradatim.model_folder import tensors_from
from gradatim.wording import shorten

LEVEL = 0.9  # of errors, that intervals reach
FittedSeries = SimpleForecasts | NetworkForecasts


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SeriesModel(StoredModel):
    """Models of series, with everything that turns a past into a forecast.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        layout: Which columns hold what.
        axis: How stamps become steps.
        names: Names of the series.
        horizon: Steps ahead.
        reach: For each model, how far 90 % of its errors reached at each step ahead, shape ``(S, horizon)``.
    """

    folder_kind = "series"
    members = (NetworkForecasts, SimpleForecasts)
    own = ("names", "horizon")

    layout: Layout
    axis: Axis
    names: list[str]
    horizon: int
    reach: dict[str, np.ndarray]

    def forecast(self, pasts: Sequence[np.ndarray], model: str = RECOMMENDED) -> np.ndarray:
        """Return the next steps of every series from its past, shape ``(S, horizon)``."""
        return self.fitted(model).forecast(pasts)

    def rehearsal(self, model: str) -> np.ndarray:
        """Forecasts after a short past, and the stamps of the steps."""
        fitted, count = self.fitted(model), len(self.names)
        require(fitted.serves(count), f"load_model: models must have learned from {count} series", "others")  # fmt: skip
        self.axis.after(0.0, self.horizon)
        return fitted.forecast([np.arange(8.0)])

    def predict(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> pd.DataFrame:
        """Forecast what follows the rows of a table.

        Args:
            frame: The past of every series, in the columns the model was fitted on.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.

        Returns:
            One row per step ahead: time, series (where there are several), ``prediction``, ``low`` and ``high``.
        """
        notes: list[str] = []
        table = self._predict(frame, model, notes)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=2)
        return table

    def _predict(self, frame: pd.DataFrame, model: str, notes: list[str]) -> pd.DataFrame:
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        wanted = [self.layout.time, self.layout.group, *self.layout.values]
        for name in wanted:
            if name is not None and name not in frame.columns:
                raise InvalidValue(f"predict: the table must have the column {name!r}, and has not.")  # fmt: skip
        _, series, last = read_series(frame, self.layout, notes, self.axis, owner="predict")
        missing = [name for name in self.names if name not in series]
        if missing:
            what = f"the series {missing[0]!r}" if missing[0] else "a series of numbers that change"
            raise InvalidValue(f"predict: the table must hold {what}, and does not.")
        pasts = [series[name] for name in self.names]
        return self.table(self.forecast(pasts, model), [last[n] for n in self.names], model)

    def table(
        self, forecasts: np.ndarray, last: Sequence[float], model: str = RECOMMENDED
    ) -> pd.DataFrame:
        """Forecasts as a table, with times and intervals.

        Args:
            forecasts: Shape ``(S, horizon)``.
            last: Stamp of the last known step of every series.
            model: Whose intervals to give.
        """
        reach = self.reach[self.choose(model)]
        columns: dict[str, Any] = {}
        stamps = [stamp for t in last for stamp in self.axis.after(t, self.horizon)]
        columns[_free(self.layout.time or "step")] = stamps
        if self.names != [ONLY]:
            columns[_free(self.layout.group or "series")] = np.repeat(self.names, self.horizon)
        columns["prediction"] = forecasts.ravel()
        columns["low"], columns["high"] = (forecasts - reach).ravel(), (forecasts + reach).ravel()
        return pd.DataFrame(columns)

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Forecast what follows a table, whose rows must fit in memory."""
        self.choose(model)
        yield self._predict(pd.concat(list(iterate(data, notes))), model, notes)

    def interval_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str], coverage: float
    ) -> Iterator[pd.DataFrame]:
        """Forecast with intervals, which every forecast has; how far errors reach was measured for one share only."""
        rule = f"predict: coverage must be {LEVEL} for forecasts, for which alone their errors were measured"
        require(check_coverage("predict", coverage) == LEVEL, rule, coverage)
        return self.prediction_tables(data, model, notes)

    def facts(self) -> Facts:
        """Columns, steps, names and horizon."""
        layout = {"time": self.layout.time, "values": self.layout.values, "group": self.layout.group}  # fmt: skip
        return {"layout": layout, "axis": self.axis.to_json(), **super().facts()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`, and take out how far errors reach."""
        layout, models = description["layout"], description["models"]
        for facts in models.values():
            facts.setdefault("horizon", description["horizon"])
        reach = {name: tensors.pop(f"{name}/reach").numpy() for name in models}
        shape = (len(description["names"]), description["horizon"])
        is_same = all(
            r.shape == shape and models[n]["horizon"] == shape[1] for n, r in reach.items()
        )
        require(is_same, "load_model: reach of every model must have a row for each series and a column for each step", shape)  # fmt: skip
        read = [layout["time"], layout["group"], *layout["values"], *description["names"]]
        is_named = (
            all(name is None or isinstance(name, str) for name in read) and None not in read[2:]
        )
        require(is_named, "load_model: names of columns and series must be texts", "others")
        axis = Axis(**description["axis"])
        choose("load_model", "axis", axis.kind, KINDS)
        is_step = isinstance(axis.step, int | float) and 0 < axis.step < float("inf")
        require(is_step, "load_model: step of the axis must be a positive number", shorten(repr(axis.step), 40))  # fmt: skip
        return {
            **super().arguments(description, tensors),
            "layout": Layout(layout["time"], tuple(layout["values"]), layout["group"]),
            "axis": axis,
            "reach": reach,
        }

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: windows of all series to their next steps."""
        fitted = self.fitted(which)
        if not isinstance(fitted, NetworkForecasts):
            refuse_to_export(self, which)
        length, count = fitted.settings["length"], len(self.names)
        words = f"the last {length} values of every series, in the order of 'names', shape ({count}, {length})"
        windows = Input("windows", torch.zeros(count, length), words, {})
        before = "A shorter past is continued to the left by its first value."
        facts = {"names": self.names, "horizon": self.horizon, "before": before}
        return Program(NextSteps(fitted), [windows], "forecasts", facts)

    def tensors(self) -> dict[str, Tensor]:
        """Those of the models, and how far their errors reach."""
        reach = tensors_from({f"{name}/reach": reach for name, reach in self.reach.items()})
        return super().tensors() | reach

    def __repr__(self) -> str:
        count = f"{len(self.names)} series" if self.names != [ONLY] else self.layout.values[0]
        return f"SeriesModel({self.recommended!r} for {count}, {self.horizon} steps ahead)"


def _free(name: str) -> str:
    """A column of the data under a name that is none of ours."""
    return f"{name} of the data" if name in ("prediction", "low", "high") else name
