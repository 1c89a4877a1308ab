"""Stream data through a saved model into a CSV file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import pandas as pd

from gradatim.errors import InvalidType
from gradatim.files import open_atomically
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
    with open_atomically(path, owner="predict") as file:
        for table in fitted.prediction_tables(data, which, notes):
            file.write(table.to_csv(index=False, header=rows == 0).encode())
            rows += len(table)
    return PredictResult(path, rows, notes)
