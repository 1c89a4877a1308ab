"""Which medium data are of, and how its model is loaded."""

from pathlib import Path
from typing import Any

from gradatim.errors import InvalidType, choose
from gradatim.fitting.generative.kind import GenerativeOptions
from gradatim.fitting.generative.medium import Medium
from gradatim.fitting.generative.rows.medium import read_rows
from gradatim.fitting.generative.rows.model import RowGenerator


def read_medium(data: Any, job: GenerativeOptions) -> Medium:
    """Read data, whatever they are.

    Args:
        data: A table: a file, a built-in name or a data frame.
        job: What is asked for.
    """
    import pandas as pd

    if not isinstance(data, str | Path | pd.DataFrame):
        raise InvalidType(f"fit: data must be a table for a generative model, got a {type(data).__name__}.")  # fmt: skip
    return read_rows(data, job)


def load_generator(description: dict[str, Any], tensors: dict[str, Any]) -> Any:
    """Rebuild a stored model.

    Args:
        description: What its folder says.
        tensors: Its numbers.
    """
    loaders = {"rows": RowGenerator.from_folder}
    load = loaders[choose("load_model", "medium", description.get("medium"), loaders)]
    return load(description, tensors)
