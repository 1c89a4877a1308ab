"""What mistakes cost: a square table, rows the true class, columns the class that is said."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.wording import shorten


@dataclass(frozen=True)
class Costs:
    """Costs of mistakes.

    Args:
        names: The classes.
        rows: For every true class, the cost of saying each class.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def matrix(self, labels: list[str | int]) -> np.ndarray:
        """The costs in the order of ``labels``; other classes are refused.

        Example:
            >>> Costs(("yes", "no"), ((0.0, 5.0), (1.0, 0.0))).matrix(["no", "yes"]).tolist()
            [[0.0, 1.0], [5.0, 0.0]]
        """
        known = [str(label) for label in labels]
        require(known, "fit: costs must be given for classes", "values to predict", "Leave --costs out.")  # fmt: skip
        for name in self.names:
            rule = f"fit: costs must name classes of the target ({', '.join(map(repr, known[:6]))})"
            require(name in known, rule, repr(name))
        missing = [name for name in known if name not in self.names]
        rule = "fit: costs must have a row and a column for every class"
        require(not missing, rule, f"none for {missing[0]!r}" if missing else "")
        order = [self.names.index(name) for name in known]
        return np.array(self.rows)[np.ix_(order, order)]


def read_costs(value: "str | Path | pd.DataFrame | Mapping[Any, Mapping[Any, float]]") -> Costs:
    """Read a square table of costs: a file, a data frame with class names as index and columns, or a mapping of mappings.

    Args:
        value: A CSV file whose first column names the true class, the others the class that is said.

    Example:
        >>> read_costs({"ill": {"ill": 0, "well": 20}, "well": {"ill": 1, "well": 0}})
        Costs(names=('ill', 'well'), rows=((0.0, 20.0), (1.0, 0.0)))
    """
    if isinstance(value, Costs):
        return value
    if isinstance(value, Mapping):
        value = pd.DataFrame({str(k): dict(row) for k, row in value.items()}).T
    if isinstance(value, str | Path):
        frame = _read_file(Path(value))
    elif isinstance(value, pd.DataFrame):
        frame = value
    else:
        raise InvalidType(f"fit: costs must be a file or a square table, got a {type(value).__name__}.")  # fmt: skip
    true, said = ([str(name).strip() for name in names] for names in (frame.index, frame.columns))
    is_square = len(true) > 1 and sorted(true) == sorted(said) and len(set(true)) == len(true)
    rule = "fit: costs must be a square table, the same classes as rows and as columns"
    got = f"rows {', '.join(true[:4]) or 'none'} and columns {', '.join(said[:4]) or 'none'}"
    require(is_square, rule, shorten(got, 120))
    frame = frame.set_axis(true, axis=0).set_axis(said, axis=1)[true]
    rows = []
    for name in true:
        cells = [_number(name, other, frame.loc[name, other]) for other in true]
        rows.append(tuple(cells))
    is_free = all(cost == 0 for row in rows for cost in row)
    require(not is_free, "fit: costs must be more than 0 for some mistake", "zeros only")
    return Costs(tuple(true), tuple(rows))


def _read_file(path: Path) -> pd.DataFrame:
    require(path.is_file(), "fit: costs must be a CSV file", repr(str(path)), "It is not there." if not path.exists() else "")  # fmt: skip
    try:
        return pd.read_csv(path, index_col=0, dtype=str, keep_default_na=False)
    except (ValueError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"fit: costs must be a CSV file, got {path.name!r}: {reason}.") from None


def _number(true: str, said: str, cell: Any) -> float:
    where = f"for {said!r} said of {true!r}"
    try:
        cost = float(cell)
    except (TypeError, ValueError):
        cost = float("nan")
    rule = "fit: costs must be a number for every pair of classes"
    require(np.isfinite(cost), rule, f"{shorten(repr(cell), 40)} {where}")
    require(cost >= 0, "fit: costs must not be negative", f"{cost:g} {where}")
    return cost
