"""The saved model of series, and what it forecasts."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.errors import InvalidValue, choose
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.series.candidates import SimpleForecasts
from gradatim.fitting.series.networks import NetworkForecasts
from gradatim.fitting.series.problem import ONLY, Layout, read_series
from gradatim.fitting.series.times import Axis
from gradatim.fitting.tables.reading import iterate
from gradatim.model_folder import gather_tensors, save_model, tensors_from, tensors_of
from gradatim.models import describe, load_weights, rebuild

FittedSeries = SimpleForecasts | NetworkForecasts


class SeriesModel:
    """Models of series, with everything that turns a past into a forecast.

    Args:
        layout: Which columns hold what.
        axis: How stamps become steps.
        names: Names of the series.
        horizon: Steps ahead.
        models: Fitted models by name.
        reach: For each model, how far 90 % of its errors reached at each step ahead, shape ``(S, horizon)``.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
    """

    def __init__(
        self,
        *,
        layout: Layout,
        axis: Axis,
        names: list[str],
        horizon: int,
        models: dict[str, FittedSeries],
        reach: dict[str, np.ndarray],
        recommended: str,
        about: dict[str, Any],
    ) -> None:
        self.layout, self.axis, self.names, self.horizon = layout, axis, names, horizon
        self.models, self.reach, self.recommended, self.about = models, reach, recommended, about

    def choose(self, model: str = RECOMMENDED) -> str:
        """The name of the model that ``model`` stands for."""
        name = self.recommended if model == RECOMMENDED else model
        return choose("predict", "model", name, self.models)

    def forecast(self, pasts: Sequence[np.ndarray], model: str = RECOMMENDED) -> np.ndarray:
        """Return the next steps of every series from its past, shape ``(S, horizon)``."""
        return self.models[self.choose(model)].forecast(pasts)

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
        _, series, last = read_series(frame, self.layout, notes, self.axis)
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
        columns[self.layout.time or "step"] = stamps
        if self.names != [ONLY]:
            columns[self.layout.group or "series"] = np.repeat(self.names, self.horizon)
        columns["prediction"] = forecasts.ravel()
        columns["low"], columns["high"] = (forecasts - reach).ravel(), (forecasts + reach).ravel()
        return pd.DataFrame(columns)

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Forecast what follows a table, whose rows must fit in memory."""
        self.choose(model)
        yield self._predict(pd.concat(list(iterate(data, notes))), model, notes)

    def save(self, folder: str | Path, extra: dict[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        layout = {"time": self.layout.time, "values": self.layout.values, "group": self.layout.group}  # fmt: skip
        description = {
            "layout": layout,
            "axis": self.axis.to_json(),
            "names": self.names,
            "horizon": self.horizon,
            "recommended": self.recommended,
            "models": {name: _describe(model) for name, model in self.models.items()},
            "about": self.about,
        }
        tensors = gather_tensors({name: _tensors(model) for name, model in self.models.items()})
        reach = tensors_from({f"{name}/reach": reach for name, reach in self.reach.items()})
        return save_model(folder, "series", description, tensors | reach, extra)

    def __repr__(self) -> str:
        count = f"{len(self.names)} series" if self.names != [ONLY] else self.layout.values[0]
        return f"SeriesModel({self.recommended!r} for {count}, {self.horizon} steps ahead)"


def _describe(model: FittedSeries) -> dict[str, Any]:
    if isinstance(model, SimpleForecasts):
        return {"kind": model.kind, "period": model.period}
    return {"kind": model.kind, "settings": model.settings, "module": describe(model.module)}


def _tensors(model: FittedSeries) -> dict[str, Tensor]:
    if isinstance(model, NetworkForecasts):
        return model.module.state_dict()
    return tensors_from(model.arrays)


def from_folder(description: dict[str, Any], tensors: dict[str, Tensor]) -> SeriesModel:
    """Rebuild a saved model of series."""
    models: dict[str, FittedSeries] = {}
    reach, horizon = {}, description["horizon"]
    for name, facts in description["models"].items():
        own = tensors_of(name, tensors)
        reach[name] = own.pop("reach").numpy()
        if facts["kind"] == NetworkForecasts.kind:
            module = rebuild(facts["module"])
            load_weights("load_model", module, own)
            models[name] = NetworkForecasts(module.eval(), facts["settings"], horizon)
        else:
            arrays = {key: tensor.numpy() for key, tensor in own.items()}
            models[name] = SimpleForecasts(facts["kind"], horizon, facts["period"], arrays)
    layout = description["layout"]
    return SeriesModel(
        layout=Layout(layout["time"], tuple(layout["values"]), layout["group"]),
        axis=Axis(**description["axis"]),
        names=description["names"],
        horizon=horizon,
        models=models,
        reach=reach,
        recommended=description["recommended"],
        about=description["about"],
    )
