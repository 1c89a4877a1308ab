"""The saved model of anomalies: what turns rows into features, the detectors, and what they say."""

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.reading import iterate
from gradatim.errors import InvalidValue, require
from gradatim.fitting.anomalies.detectors import Detector, Scoring, score
from gradatim.fitting.anomalies.networks import Autoencoder
from gradatim.fitting.anomalies.program import detector_program
from gradatim.fitting.anomalies.readers import Reader, TableReader, WindowReader, reader_from
from gradatim.fitting.anomalies.steps import Steps
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Program, refuse_to_export
from gradatim.fitting.stored import Facts, StoredModel

SCORE, ALARM, BECAUSE = "score", "alarm", "because"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnomalyModel(StoredModel):
    """Detectors of anomalies, with everything that turns rows into scores.

    Args:
        models: Fitted detectors by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        alarms: Share of normal rows that may raise an alarm.
        reader: From rows to features.
    """

    folder_kind = "anomaly"
    members = (Autoencoder, Detector)
    own = ("alarms",)

    alarms: float
    reader: Reader

    @property
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""
        return self.reader.columns

    def predict(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> pd.DataFrame:
        """Say how odd every row is, whether that is an alarm, and why.

        Args:
            frame: A table with at least the columns in :attr:`columns`.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.

        Returns:
            For every row ``score`` (above 1 is an alarm), ``alarm`` and ``because``: the columns that made an alarm. Series
            have the time before these, and the name of the series; a step with too few steps before it has no score.
        """
        notes: list[str] = []
        table = pd.concat(self.prediction_tables(frame, model, notes), ignore_index=True)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=2)
        return table

    def prediction_tables(self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Look at rows, one table for each chunk; series are read whole."""
        detector, unread = self.fitted(model), Counter[str]()
        if isinstance(self.reader, WindowReader):
            frame = pd.concat(list(iterate(data, notes)), ignore_index=True)
            yield self._of_series(detector, self.reader, frame, notes)
            return
        for chunk in iterate(data, notes):
            X = self.reader.read(chunk, unread)
            yield pd.DataFrame(told(detector, self.reader, X))
        notes += self.reader.describe(unread)

    def _of_series(self, detector: Scoring, reader: WindowReader, frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:  # fmt: skip
        steps = reader.read(frame, notes)
        rows = np.flatnonzero(steps.place >= reader.window - 1)
        if not len(rows):
            raise InvalidValue(f"predict: a series must have at least {reader.window} steps, got {int(steps.lengths.max())}.")  # fmt: skip
        early = len(steps.rows) - len(rows)
        notes.append(f"{early:,} rows have no score: fewer than {reader.window - 1} steps come before them.")  # fmt: skip
        found = told_of_steps(detector, reader, steps, rows)
        places = steps.rows[rows]
        columns: dict[str, Any] = {free(name): frame[name].to_numpy() for name in (reader.layout.time, reader.layout.group) if name is not None}  # fmt: skip
        for name, empty in ((SCORE, np.nan), (ALARM, False), (BECAUSE, "")):
            cells = np.full(len(frame), empty, dtype=object if name == BECAUSE else None)
            cells[places] = found[name]
            columns[name] = cells
        return pd.DataFrame(columns)

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: cells of rows, or windows of numbers, to scores."""
        fitted = self.fitted(which)
        if not isinstance(fitted, Autoencoder):
            refuse_to_export(self, which)
        return detector_program(fitted, self.reader)

    def rehearsal(self, model: str) -> np.ndarray:
        """Scores and blame of rows that hold little."""
        return self.fitted(model).rehearse(self.reader.made_up())

    def facts(self) -> Facts:
        """Share of alarms, and what turns rows into features."""
        return {**super().facts(), "reader": self.reader.to_json()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`."""
        alarms = description["alarms"]
        is_share = isinstance(alarms, float) and 0.0 < alarms < 1.0
        require(is_share, "load_model: alarms must be a share between 0 and 1", alarms)
        return {"alarms": alarms, "reader": reader_from(description["reader"])}

    def __repr__(self) -> str:
        return f"AnomalyModel({self.recommended!r}, alarms {self.alarms:g}, {len(self.columns)} columns)"


def free(name: str) -> str:
    """A column of the data under a name that is none of ours."""
    return f"{name} of the data" if name in (SCORE, ALARM, BECAUSE) else name


def told(detector: Scoring, reader: TableReader, X: np.ndarray) -> dict[str, Any]:
    """Scores, alarms and reasons of rows."""
    scores = score(detector, X)
    alarms = scores > 1.0
    because = np.full(len(X), "", dtype=object)
    if alarms.any():
        because[alarms] = reader.reasons(detector.blame(X[alarms]))
    return {SCORE: scores, ALARM: alarms, BECAUSE: because}


def told_of_steps(detector: Scoring, reader: WindowReader, steps: Steps, rows: np.ndarray) -> dict[str, Any]:  # fmt: skip
    """Scores, alarms and reasons of steps with enough steps before them, some windows at a time."""
    size = max(4_000_000 // (reader.window * reader.channels), 1)
    parts = [score(detector, reader.features(steps.values, rows[k : k + size])) for k in range(0, len(rows), size)]  # fmt: skip
    scores = np.concatenate(parts)
    alarms = scores > 1.0
    because = np.full(len(rows), "", dtype=object)
    for k in range(0, int(alarms.sum()), size):
        own = np.flatnonzero(alarms)[k : k + size]
        stamps = [steps.stamps[row + 1 - reader.window : row + 1] for row in rows[own].tolist()]
        because[own] = reader.reasons(detector.blame(reader.features(steps.values, rows[own])), stamps)  # fmt: skip
    return {SCORE: scores, ALARM: alarms, BECAUSE: because}
