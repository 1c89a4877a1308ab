"""The saved model of series, and what it predicts."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.data.tables.columns import Cells, Column
from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.network import Answer
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.sequences.candidates import MEMBERS
from gradatim.fitting.sequences.grid import SINCE, to_grid
from gradatim.fitting.sequences.networks import SequenceNetwork
from gradatim.fitting.sequences.raw import Layout, RawSeries
from gradatim.fitting.sequences.reading import read_new
from gradatim.fitting.sequences.steps import Sequences, fill_cells
from gradatim.fitting.series.times import KINDS, Axis
from gradatim.fitting.stored import LONGEST, Facts, StoredModel, whole
from gradatim.fitting.tables.preprocessing import (
    Preprocessing,
    describe_unread,
    from_json,
    made_up_rows,
    read_columns,
)

REHEARSED = (2, 1)  # steps of made-up series


def encode(
    table: Mapping[str, Cells],
    lengths: np.ndarray,
    preprocessing: Preprocessing,
    num_static: int,
    block: int,
) -> Sequences:
    """Steps as the numbers that models read.

    Args:
        table: Typed cells of all steps, without gaps.
        lengths: Steps of each series.
        preprocessing: From cells to features.
        num_static: Columns that never change within a series, the last ones.
        block: Neighbouring steps that are averaged into one.
    """
    values = preprocessing.transform(table).astype(np.float32)
    return Sequences(values, lengths, static_width(preprocessing, num_static)).averaged(block)


def static_width(preprocessing: Preprocessing, num_static: int) -> int:
    """Features of the last columns, which never change within a series.

    Args:
        preprocessing: From cells to features.
        num_static: How many columns.
    """
    fixed = preprocessing.encoders[len(preprocessing.encoders) - num_static :]
    return sum(len(encoder.names()) for encoder in fixed)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SequenceModel(StoredModel):
    """Models of series with one label or number each, with everything that turns a file into predictions.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        target: Name of what is predicted.
        labels: Class labels; empty for regression.
        layout: Which columns of a table name series and times.
        axis: The grid of times, where there is one.
        num_static: Columns that never change within a series, the last ones.
        block: Neighbouring steps that are averaged into one.
        preprocessing: From typed columns to features of a step.
    """

    folder_kind = "sequence"
    reads_memory: ClassVar[bool] = True  # lists and arrays as they are
    members = MEMBERS
    own = ("target", "labels", "num_static", "block")

    target: str
    labels: list[str | int]
    layout: Layout
    axis: Axis | None
    num_static: int
    block: int
    preprocessing: Preprocessing

    @property
    def channels(self) -> list[str]:
        """Names of the columns that a step must have."""
        return [column.name for column in self._columns]

    @property
    def _columns(self) -> list[Column]:
        """Columns that are read; the time since the step before is made."""
        columns = [encoder.column for encoder in self.preprocessing.encoders]
        return [c for c in columns if c.name != self._since]

    @property
    def _since(self) -> str | None:
        is_made = self.layout.time is not None and self.axis is None
        return f"{self.layout.time} {SINCE}" if is_made else None

    def read(self, data: Any, notes: list[str]) -> tuple[RawSeries, Sequences]:
        """Read series as ``fit`` did.

        Args:
            data: A table, a file or folder of series, or series in memory.
            notes: Collects what was done.
        """
        raw = read_new(data, self.layout, self.channels, notes)
        frame = raw.steps.set_axis([str(name) for name in raw.steps.columns], axis=1)
        table, unread = read_columns(frame, self._columns)
        notes += describe_unread(unread, self._columns)
        self._tell_unseen(table, notes)
        lengths = raw.lengths
        if self.layout.time is not None:
            if raw.stamps is None:
                raise InvalidValue(f"predict: series must have times in {self.layout.time!r}, as those of training had, and have not.")  # fmt: skip
            timed = to_grid(table, lengths, raw.stamps, self.axis, self.layout.time, owner="predict")  # fmt: skip
            table, lengths = timed.table, timed.lengths
        table = fill_cells(table, lengths)
        return raw, encode(table, lengths, self.preprocessing, self.num_static, self.block)

    def _tell_unseen(self, table: Mapping[str, Cells], notes: list[str]) -> None:
        counts = Counter[str]()
        for encoder in self.preprocessing.encoders:
            if encoder.column.name in table:
                counts[encoder.column.name] = encoder.count_unseen(table[encoder.column.name])
        for name, count in (+counts).items():
            steps = "1 step has a category" if count == 1 else f"{count:,} steps have categories"
            notes.append(f"Column {name!r}: {steps} that training never saw; no level is set there.")  # fmt: skip

    def predict(self, data: Any, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return a label or a value for every series.

        Args:
            data: A list of arrays or data frames, an array ``(N, T, C)``, a table with one row per step, or a file or folder
                of any kind that ``fit`` reads.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self._outputs_told(data, model), self.labels, self.decision(model))

    def predict_proba(self, data: Any, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return class probabilities, shape ``(N, classes)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        return self._outputs_told(data, model)

    def _outputs_told(self, data: Any, model: str) -> np.ndarray:
        notes: list[str] = []
        outputs = self.fitted(model).outputs(self.read(data, notes)[1])
        for sentence in notes:
            warnings.warn(sentence, stacklevel=3)
        return outputs

    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:
        """Predict all series, one row each, under their names."""
        fitted = self.fitted(model)
        raw, sequences = self.read(data, notes)
        outputs, places = fitted.outputs(sequences), (raw.column, raw.names)
        yield prediction_frame(outputs, self.labels, places, self.decision(model))

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of two short series that hold little."""
        columns = [encoder.column for encoder in self.preprocessing.encoders]
        table, _ = read_columns(made_up_rows(columns), columns)
        made_up = encode(
            table, np.array(REHEARSED), self.preprocessing, self.num_static, self.block
        )
        return check_outputs(self.fitted(model).rehearse(made_up), self.labels)

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: features of padded steps, and lengths, to probabilities or values."""
        fitted = self.fitted(which)
        if not isinstance(fitted, SequenceNetwork):
            refuse_to_export(self, which)
        length, names = fitted.settings["length"], self.preprocessing.names
        shape = f"shape (N, {length}, {len(names)})"
        steps = Input("steps", torch.zeros(2, length, len(names)), f"features of the steps, zero behind the end of a series, {shape}")  # fmt: skip
        lengths = Input("lengths", torch.full((2,), length), "steps of each series, whole numbers, shape (N,)")  # fmt: skip
        before = (
            "Columns become 'features' by 'preprocessing'; gaps lie on a line between neighbours"
        )
        size = self.block * fitted.settings["size"]
        before += f"; every {size} neighbouring steps are averaged." if size > 1 else "."
        facts = {"features": names, "labels": self.labels, "preprocessing": self.preprocessing.to_json(), "before": before}  # fmt: skip
        output = "probabilities" if self.labels else "prediction"
        return Program(Answer(fitted, fitted.finish), [steps, lengths], output, facts)

    def network(self) -> torch.nn.Module:
        """The network as a PyTorch module, on padded steps of features ``(N, T, D)`` and lengths ``(N,)``."""
        return self.fitted("network").module.eval()

    def facts(self) -> Facts:
        """Names, grid and preprocessing."""
        return {
            **super().facts(),
            "layout": asdict(self.layout),
            "axis": None if self.axis is None else self.axis.to_json(),
            "preprocessing": self.preprocessing.to_json(),
        }

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; sizes that no folder of ours has are refused."""
        preprocessing = from_json(description["preprocessing"])
        whole(description, "num_static", len(preprocessing.encoders))
        whole(description, "block", LONGEST)
        require(description["block"] >= 1, "load_model: block must be at least 1", 0)
        layout = Layout(**description["layout"])
        for name in (layout.series, layout.time):
            require(name is None or isinstance(name, str), "load_model: names of columns must be texts", repr(name))  # fmt: skip
        axis = None if description["axis"] is None else Axis(**description["axis"])
        if axis is not None:
            choose("load_model", "kind", axis.kind, KINDS)
            is_size = isinstance(axis.step, int | float) and 0 < axis.step < float("inf")
            require(is_size, "load_model: step must be a positive number", repr(axis.step))
        return {**super().arguments(description, tensors), "layout": layout, "axis": axis, "preprocessing": preprocessing}  # fmt: skip

    def __repr__(self) -> str:
        return f"SequenceModel({self.recommended!r} for {self.target!r} from {len(self.channels)} channels)"  # fmt: skip
