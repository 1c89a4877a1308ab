"""Columns of two tables side by side: which hold numbers, which categories, and what every cell is as a number."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, InvalidValue, require


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers or times; truth values and everything else are categories.

    Args:
        column: Of a table.

    Example:
        >>> is_number(pd.Series([1.5, None])), is_number(pd.Series([True, False])), is_number(pd.Series(["a"]))
        (True, False, False)
    """
    is_time = pd.api.types.is_datetime64_any_dtype(column)
    return is_time or (pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column))  # fmt: skip


def numbers_of(column: pd.Series) -> np.ndarray:
    """The numbers of a column, NaN where one is missing; times count in days since 1970.

    Args:
        column: For which :func:`is_number` holds.

    Example:
        >>> numbers_of(pd.Series(pd.to_datetime(["1970-01-02 12:00", None]))).tolist()
        [1.5, nan]
    """
    if not pd.api.types.is_datetime64_any_dtype(column):
        return column.to_numpy(np.float64, na_value=np.nan)
    stamps = pd.to_datetime(column, utc=True).dt.tz_convert(None).to_numpy()
    seconds = stamps.astype("datetime64[s]").astype(np.int64) / 86_400.0
    return np.where(np.isnat(stamps), np.nan, seconds)


def codes_of(columns: Sequence[pd.Series]) -> tuple[list[np.ndarray], int]:
    """Categories of several columns as whole numbers of one count, -1 where one is missing; and how many there are.

    Args:
        columns: The same column of several tables.

    Example:
        >>> codes_of([pd.Series(["a", "b"]), pd.Series(["c", None])])
        ([array([0, 1]), array([ 2, -1])], 3)
    """
    cells = [column.astype(object).where(column.notna(), None) for column in columns]
    words = [[None if cell is None else str(cell) for cell in own] for own in cells]
    codes, names = pd.factorize(np.array([cell for own in words for cell in own], dtype=object))
    return np.split(codes, np.cumsum([len(own) for own in words])[:-1]), len(names)


def check_tables(owner: str, real: pd.DataFrame, generated: pd.DataFrame) -> None:
    """Refuse tables that cannot be compared.

    Args:
        owner: Who asks, for the message.
        real: Data.
        generated: What a model made.

    Example:
        >>> check_tables("similarity", pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}))
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: similarity: generated must have the columns of real in the same order, got 'b' for 'a'.
    """
    for name, table in (("real", real), ("generated", generated)):
        if not isinstance(table, pd.DataFrame):
            raise InvalidType(f"{owner}: {name} must be a data frame, got a {type(table).__name__}.")  # fmt: skip
        require(len(table) > 1, f"{owner}: {name} must have at least two rows", len(table))
    ours, others = list(real.columns), list(generated.columns)
    require(ours, f"{owner}: real must have columns", "none")
    rule = f"{owner}: generated must have the columns of real in the same order"
    require(len(ours) == len(others), rule, f"{len(others)} for {len(ours)}")
    for own, other in zip(ours, others, strict=True):
        require(own == other, rule, f"{other!r} for {own!r}")
        if is_number(real[own]) != is_number(generated[own]):
            raise InvalidValue(f"{owner}: generated must hold numbers where real does, got others in {own!r}.")  # fmt: skip
