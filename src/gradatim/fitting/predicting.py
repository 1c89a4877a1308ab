"""``predict_table``: stream a table through a saved model into a CSV file."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from gradatim.errors import InvalidType, Unavailable
from gradatim.fitting.model import RECOMMENDED, Fallbacks, TableModel
from gradatim.fitting.reading import iterate
from gradatim.model_folder import load_model


@dataclass
class PredictResult:
    """Where the predictions are, how many, and what could not be used as it was."""

    path: Path
    rows: int
    notes: list[str]


def predict_table(
    model: str | Path,
    data: "str | Path | pd.DataFrame",
    output: str | Path,
    *,
    which: str = RECOMMENDED,
) -> PredictResult:
    """Predict every row of ``data`` and write the predictions as CSV, whole or not at all.

    Args:
        model: A model folder.
        data: CSV, TSV or Parquet file, a built-in name, or a data frame; columns are found by name.
        output: File to write.
        which: ``"recommended"``, or a model of the folder such as ``"network"``.
    """
    fitted = load_model(model)
    if not isinstance(fitted, TableModel):
        raise InvalidType(
            f"predict: model must be a folder written by 'gradatim fit', got a {type(fitted).__name__}."
        )
    fitted.fitted(which)
    notes: list[str] = []
    fallbacks, rows, path = Fallbacks(), 0, Path(output)
    beside = _beside(path)
    try:
        with open(beside, "w", encoding="utf-8", newline="") as file:
            for table in fitted.predict_chunks(iterate(data, notes), which, fallbacks):
                table.to_csv(file, index=False, header=rows == 0)
                rows += len(table)
        os.replace(beside, path)
    except OSError as error:
        if isinstance(error, Unavailable):
            raise
        raise _unwritable(path, error) from error
    finally:
        beside.unlink(missing_ok=True)
    return PredictResult(path, rows, notes + fitted.describe(fallbacks))


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
