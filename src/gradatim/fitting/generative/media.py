"""Which medium data are of, and how its model is loaded."""

from pathlib import Path
from typing import Any

from gradatim.errors import InvalidType, InvalidValue, choose
from gradatim.fitting.generative.images.medium import read_images
from gradatim.fitting.generative.images.model import PictureGenerator
from gradatim.fitting.generative.kind import SETS, GenerativeOptions
from gradatim.fitting.generative.medium import Medium
from gradatim.fitting.generative.rows.medium import read_rows
from gradatim.fitting.generative.rows.model import RowGenerator


def read_medium(data: Any, job: GenerativeOptions) -> Medium:
    """Read data, whatever they are.

    Args:
        data: A table or images: a file, a folder, a built-in name, a data frame, or pictures with their classes.
        job: What is asked for.
    """
    import pandas as pd

    if isinstance(data, tuple) or (isinstance(data, str | Path) and (Path(data).is_dir() or str(data) in SETS)):  # fmt: skip
        return read_images(data, job)
    if not isinstance(data, str | Path | pd.DataFrame):
        raise InvalidType(f"fit: data must be a table or images for a generative model, got a {type(data).__name__}.")  # fmt: skip
    if job.model == "gan":
        raise InvalidValue("fit: model must be vae or diffusion for a table, got 'gan'. Leave it out and both compete.")  # fmt: skip
    return read_rows(data, job)


def load_generator(description: dict[str, Any], tensors: dict[str, Any]) -> Any:
    """Rebuild a stored model.

    Args:
        description: What its folder says.
        tensors: Its numbers.
    """
    loaders = {"rows": RowGenerator.from_folder, "images": PictureGenerator.from_folder}
    load = loaders[choose("load_model", "medium", description.get("medium"), loaders)]
    return load(description, tensors)
