"""Stream data through a saved model into a CSV file."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import pandas as pd

from gradatim.errors import InvalidType, Unavailable
from gradatim.model_folder import load_model

RECOMMENDED = "recommended"


@runtime_checkable
class Predictor(Protocol):
    """A model that ``fit`` wrote, whatever kind of data it is for."""

    def prediction_tables(self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]) -> Iterator[pd.DataFrame]:  # fmt: skip
        """Yield tables of predictions, piece by piece; ``notes`` collects what could not be used as it was."""


@dataclass
class PredictResult:
    """Where the predictions are, how many, and what could not be used as it was."""

    path: Path
    rows: int
    notes: list[str]


def write_predictions(
    model: str | Path,
    data: "str | Path | pd.DataFrame",
    output: str | Path,
    *,
    which: str = RECOMMENDED,
) -> PredictResult:
    """Predict all of ``data`` and write the predictions as CSV, whole or not at all.

    Args:
        model: A model folder.
        data: What the model is for: a table (file, built-in name or data frame; columns are found by name), or images.
        output: File to write.
        which: ``"recommended"``, or a model of the folder such as ``"network"``.
    """
    fitted = load_model(model)
    if not isinstance(fitted, Predictor):
        hint = " Try 'gradatim generate'." if hasattr(fitted, "stream") else ""
        raise InvalidType(
            f"predict: model must be a folder written by 'gradatim fit', got a {type(fitted).__name__}.{hint}"
        )
    notes: list[str] = []
    rows, path = 0, Path(output)
    beside = _beside(path)
    try:
        with open(beside, "w", encoding="utf-8", newline="") as file:
            for table in fitted.prediction_tables(data, which, notes):
                table.to_csv(file, index=False, header=rows == 0)
                rows += len(table)
        os.replace(beside, path)
    except OSError as error:
        if isinstance(error, Unavailable):
            raise
        raise _unwritable(path, error) from error
    finally:
        beside.unlink(missing_ok=True)
    return PredictResult(path, rows, notes)


def _beside(path: Path) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
    except OSError as error:
        raise _unwritable(path, error) from error
    if path.is_dir():
        os.unlink(name)
        raise Unavailable(f"predict: {path} cannot be written: it is a folder.")
    return Path(name)


def _unwritable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"predict: {path} cannot be written: {error.strerror or error}.")
