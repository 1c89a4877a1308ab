"""Stream data through a saved model into a CSV file."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, InvalidValue
from gradatim.events import Tell, Warned, tell_nobody
from gradatim.files import check_output, check_path, first_line, open_atomically
from gradatim.fitting.arrays import as_rows
from gradatim.fitting.classes import PROBABILITY
from gradatim.fitting.loading import load_model
from gradatim.fitting.painting import is_painted, write_painted
from gradatim.model_folder import parts_of
from gradatim.wording import shorten

RECOMMENDED = "recommended"


@runtime_checkable
class Predictor(Protocol):
    """A model that ``fit`` wrote, whatever kind of data it is for."""

    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Yield tables of predictions, piece by piece; ``notes`` collects what could not be used as it was."""


@runtime_checkable
class IntervalPredictor(Protocol):
    """A model that may know how far it is wrong."""

    def interval_tables(self, data: Any, model: str, notes: list[str], coverage: float) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Yield tables of predictions with intervals or sets that hold a share ``coverage`` of new cases."""


FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with which a formula begins in a spreadsheet


@dataclass(frozen=True)
class PredictResult:
    """Where the predictions are, how many, what could not be used as it was, and what they are."""

    path: Path
    rows: int
    notes: list[str]
    things: str = "rows"


def predict(
    model: Any,
    data: Any,
    *,
    which: str = RECOMMENDED,
    coverage: float | None = None,
    output: str | Path | None = None,
    tell: Tell = tell_nobody,
) -> pd.DataFrame:
    """Predict all of ``data`` with a model that ``fit`` made.

    Args:
        model: A model folder, or the model itself.
        data: What the model is for: a table (file, built-in name, data frame or array; columns are found by name), texts,
            images, series, or the past of a series.
        which: ``"recommended"``, or a model of the folder such as ``"network"``.
        coverage: Share of new cases whose value shall lie between ``low`` and ``high``, or whose class shall belong to
            ``set``, which are added then.
        output: CSV file to write as well, whole or not at all; for masks a folder, or a CSV file of their areas.
        tell: Called with a :class:`gradatim.events.Warned` for what could not be used as it was.

    Returns:
        One row per row, image, series or step ahead: the prediction and, for classes, their probabilities.

    Example:
        >>> predict("iris-model", "iris").columns.tolist()  # doctest: +SKIP
        ['prediction', 'probability setosa', 'probability versicolor', 'probability virginica']
    """
    notes: list[str] = []
    fitted = _open(model)
    if output is not None and coverage is None and is_painted(fitted, output):
        table = _painted(fitted, model, data, which, Path(output), notes)
    else:
        tables = _tables(fitted, data, which, notes, coverage)
        if output is not None:
            tables = _written(tables, Path(output), _inputs(model, data), notes)
        table = pd.concat(tables, ignore_index=True)
    for note in notes:
        tell(Warned(note))
    return table


def write_predictions(
    model: Any,
    data: Any,
    output: str | Path,
    *,
    which: str = RECOMMENDED,
    coverage: float | None = None,
) -> PredictResult:
    """Predict all of ``data`` and write the predictions as CSV, whole or not at all; a file of any size streams through.

    Args:
        model: A model folder, or the model itself.
        data: What the model is for, as in :func:`predict`.
        output: File to write; for masks a folder, or a file whose name ends with ``.csv`` for their areas alone.
        which: ``"recommended"``, or a model of the folder such as ``"network"``.
        coverage: As in :func:`predict`.
    """
    notes: list[str] = []
    fitted, path = _open(model), Path(output)
    if coverage is None and is_painted(fitted, path):
        table = _painted(fitted, model, data, which, path, notes)
        return PredictResult(path, len(table), notes, "masks")
    tables = _written(_tables(fitted, data, which, notes, coverage), path, _inputs(model, data), notes)  # fmt: skip
    return PredictResult(path, sum(len(table) for table in tables), notes)


def _open(model: Any) -> Predictor:
    fitted = load_model(model) if isinstance(model, str | Path) else model
    if not isinstance(fitted, Predictor):
        hint = " Try 'gradatim generate'." if hasattr(fitted, "stream") else ""
        raise InvalidType(
            f"predict: model must be a folder written by 'gradatim fit', got a {type(fitted).__name__}.{hint}"
        )
    return fitted


def _painted(fitted: Any, model: Any, data: Any, which: str, folder: Path, notes: list[str]) -> pd.DataFrame:  # fmt: skip
    inputs = [*_inputs(model, data), *([model] if isinstance(model, str | Path) else [])]
    return write_painted(fitted.prediction_files(_rows(fitted, data), which, notes), folder, inputs)


def _tables(fitted: Predictor, data: Any, which: str, notes: list[str], coverage: float | None) -> Iterator[pd.DataFrame]:  # fmt: skip
    if coverage is None:
        return _some(fitted.prediction_tables(_rows(fitted, data), which, notes))
    if not isinstance(fitted, IntervalPredictor):
        raise InvalidValue(f"predict: coverage must be left out for a {type(fitted).__name__}, whose answers are texts, got {coverage}.")  # fmt: skip
    return _some(fitted.interval_tables(_rows(fitted, data), which, notes, coverage))


def _rows(fitted: Predictor, data: Any) -> Any:
    """Data as the model takes them: a path, a table, or pictures for one that knows pictures."""
    if isinstance(data, str | Path):
        check_path(data)
    is_ready = isinstance(data, str | Path) or getattr(fitted, "reads_memory", False)
    rows = data if is_ready else as_rows(one_row(data) if isinstance(data, Mapping) else data)
    if not is_ready and isinstance(rows, np.ndarray) and getattr(fitted, "folder_kind", None) != "image":  # fmt: skip
        raise InvalidType(f"predict: data must be rows for this model, got images of shape {rows.shape}.")  # fmt: skip
    return rows


def one_row(row: Mapping[str, Any]) -> pd.DataFrame:
    """A mapping from columns to cells as a table of one row; a mapping of many cells each is refused.

    Example:
        >>> one_row({"x": 1.0, "town": "Bern"}).shape
        (1, 2)
    """
    for name, cell in row.items():
        if isinstance(cell, dict | set) or np.ndim(cell):
            raise InvalidType(
                f"predict: a mapping must hold one cell for each column, got a {type(cell).__name__} in {name!r}. "
                "Pass a data frame of many rows."
            )
    return pd.DataFrame([dict(row)])


def _some(tables: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Pass tables on; nothing at all is no success."""
    rows = 0
    for table in tables:
        rows += len(table)
        yield table
    if not rows:
        raise InvalidValue("predict: data must hold rows to predict, got none.")


def _inputs(model: Any, data: Any) -> list[str | Path]:
    """Files that are read, and must not be written."""
    parts = parts_of(model) if isinstance(model, str | Path) else []
    return [*parts, *([data] if isinstance(data, str | Path) else [])]


def _written(tables: Iterator[pd.DataFrame], path: Path, inputs: list[str | Path], notes: list[str]) -> Iterator[pd.DataFrame]:  # fmt: skip
    """Pass tables on, each after it was written; the file is there once all are. Only predictions are replaced."""
    formula = None
    check_output(path, "predict: output", inputs=inputs)
    first = next(tables)
    header = first.iloc[:0].to_csv(index=False).encode(errors="surrogateescape")

    def is_ours(there: Path) -> bool:
        line = first_line(there)
        return line == header.rstrip(b"\n") or is_header(line)

    with open_atomically(path, owner="predict", inputs=inputs, is_ours=is_ours) as file:
        file.write(header)
        for table in chain([first], tables):
            # a file name of other bytes than UTF-8's is written as these bytes
            file.write(table.to_csv(index=False, header=False).encode(errors="surrogateescape"))
            formula = formula or find_formula(table)
            yield table
    if formula is not None:
        notes.append(f"{path.name} holds texts that a spreadsheet takes for formulas, such as {shorten(repr(formula), 40)}. Import them as text.")  # fmt: skip


def find_formula(table: pd.DataFrame) -> str | None:
    """The first text of a table, or name of a column, that a spreadsheet would compute; numbers are none.

    Example:
        >>> find_formula(pd.DataFrame({"prediction": ["a", "=1+1"], "x": [-1.0, 2.0]}))
        '=1+1'
        >>> find_formula(pd.DataFrame({"prediction": [-1, 2]}))
    """
    texts = [str(name) for name in table.columns]
    for place in range(table.shape[1]):
        column = table.iloc[:, place]
        if column.dtype.kind not in "biufcmM":
            texts += [text for text in pd.unique(column) if isinstance(text, str)]
    return next((text for text in texts if text.startswith(FORMULA)), None)


def is_header(line: bytes) -> bool:
    """Whether the first line of a CSV file is one that ``predict`` writes for values or classes, with intervals or without.

    Args:
        line: Without its end.

    Example:
        >>> is_header(b"prediction,probability a,probability b"), is_header(b"id,prediction")
        (True, False)
    """
    names = next(csv.reader([line.decode(errors="replace")]), [])
    first, *others = [name for name in names if name not in ("file", "series")] or [""]
    if others[:2] == ["low", "high"]:
        others = others[2:]
    elif others[:1] == ["set"]:
        others = others[1:]
    return first == "prediction" and all(name.startswith(PROBABILITY) for name in others)
