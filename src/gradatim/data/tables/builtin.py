"""Built-in data sets as tables with a named target."""

from functools import lru_cache

import numpy as np
import pandas as pd

from gradatim import data
from gradatim.errors import InvalidValue

# What the target of a set is called, where its source gives no name.
TARGETS = {
    "iris": "species",
    "wine": "grower",
    "breast-cancer": "diagnosis",
    "diabetes": "progression",
    "digits": "digit",
    "mnist": "digit",
    "zip-code": "digit",
    "spam": "kind",
    "imdb": "sentiment",
}


def builtin_names() -> list[str]:
    """Names that ``fit`` accepts in place of a file."""
    return [entry.name for entry in data.catalogue()]


@lru_cache(maxsize=1)
def read_builtin(name: str) -> tuple[pd.DataFrame, str | None]:
    """Return the table of a built-in set, features first, and the name of its target.

    Example:
        >>> frame, target = read_builtin("wine")
        >>> target, frame[target].unique().tolist()
        ('grower', ['class_0', 'class_1', 'class_2'])
    """
    record = data.load(name)
    if record.task == "language":
        raise InvalidValue(
            f"fit: {name} must be a table, but it is one long text. Add --language-model."
        )
    if isinstance(record.X, pd.DataFrame):
        frame = record.X.copy()
    elif record.task == "text":
        frame = pd.DataFrame({"text": record.X})
    else:
        flat = record.X.reshape(len(record.X), -1)
        names = record.feature_names or [f"x{k + 1}" for k in range(flat.shape[1])]
        frame = pd.DataFrame(flat, columns=[str(n) for n in names])
    if record.y is None:
        return frame, None
    known = next(entry.target for entry in data.catalogue() if entry.name == name)
    target = known or TARGETS.get(name, "target")
    classes = None if record.target_names is None else np.array(record.target_names, dtype=object)
    frame[target] = record.y if classes is None else classes[record.y.astype(int)]
    return frame, target
