"""The target: numbers or classes, which of the two, and which rows have one."""

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Column, clean, find_column, read_cells, words
from gradatim.errors import InvalidValue, require

MAX_CODES = 10  # whole numbers of so few kinds are taken for classes
MAX_CLASSES = 100
MIN_OF_CLASS = 3
LARGEST = 1e150  # beyond, and below its inverse, squares are no numbers


def read_target(
    series: pd.Series, task: str, notes: list[str]
) -> tuple[list[str | int], np.ndarray, np.ndarray]:
    """Read the target.

    Args:
        series: The column.
        task: ``"auto"``, ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"classification"``.
        notes: Collects what was done.

    Returns:
        Class labels (empty for regression), codes or values, and the rows that have them.

    Example:
        >>> read_target(pd.Series(["b", "a", None] * 3), "auto", [])[:2]
        (['a', 'b'], array([1, 0, 1, 0, 1, 0]))
    """
    name = str(series.name)
    cells = clean(series)
    column = find_column(series, name)
    if task == "regression" or (task == "auto" and _is_number(cells, column, notes)):
        return [], *_read_values(series, column, notes)
    labels, codes, kept = _read_classes(cells, name, notes)
    if task == "binary" and len(labels) != 2:
        raise InvalidValue(
            f"fit: task must be multiclass for {len(labels)} classes of {name!r}, got 'binary'. Try --task multiclass."
        )
    return labels, codes, kept


def _is_number(cells: pd.Series, column: Column, notes: list[str]) -> bool:
    if column.kind == "date":
        raise InvalidValue(
            f"fit: target must hold numbers or classes, got dates in {column.name!r}."
        )
    if column.kind != "numeric":
        return False
    values, _ = read_cells(cells, column)
    distinct = np.unique(np.asarray(values)[~np.isnan(np.asarray(values))])
    whole = bool(np.all(distinct == np.round(distinct)))
    if len(distinct) and whole and len(distinct) <= MAX_CODES:
        if len(distinct) > 2:
            notes.append(
                f"The target has {len(distinct)} different whole numbers and is taken for classes "
                "(--task regression takes it for a number)."
            )
        return False
    return True


def _read_values(
    series: pd.Series, column: Column, notes: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    if column.kind not in ("numeric", "boolean"):
        example = clean(series).dropna().iloc[0]
        raise InvalidValue(
            f"fit: target must hold numbers for a regression, got {str(example)[:40]!r} in {column.name!r}. "
            "Try --task classification."
        )
    values, _ = read_cells(series, column)
    assert isinstance(values, np.ndarray)
    kept = np.flatnonzero(~np.isnan(values))
    _tell_missing(len(values) - len(kept), notes)
    if len(kept) and np.ptp(values[kept]) == 0:
        raise _one_value(column.name, float(values[kept][0]))
    if len(kept):
        check_range(values[kept], column.name)
    return values[kept], kept


def check_range(values: np.ndarray, name: str, *, owner: str = "fit") -> None:
    """Refuse numbers whose squares are not numbers any more.

    Args:
        values: The numbers.
        name: Their column.
        owner: Who asks, for messages.

    Example:
        >>> check_range(np.array([1e-200, 2e-200]), "y")
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: fit: target must vary by 1e-150 or more, got 1e-200. Rescale 'y'.
    """
    largest, remedy = float(np.abs(values).max()), f"Rescale {name!r}."
    require(largest <= LARGEST, f"{owner}: target must stay below 1e150", f"{largest:.3g}", remedy)
    spread = float(np.ptp(values))
    require(spread >= 1 / LARGEST, f"{owner}: target must vary by 1e-150 or more", f"{spread:.3g}", remedy)  # fmt: skip


def _tell_missing(count: int, notes: list[str]) -> None:
    if count:
        rows = "1 row has" if count == 1 else f"{count:,} rows have"
        notes.append(f"{rows} no (finite) target and {'is' if count == 1 else 'are'} left out.")


def _one_value(name: str, value: object) -> InvalidValue:
    return InvalidValue(
        f"fit: target must have at least two different values, got only {value!r} in {name!r}. "
        "There is nothing to learn."
    )


def _read_classes(
    cells: pd.Series, name: str, notes: list[str]
) -> tuple[list[str | int], np.ndarray, np.ndarray]:
    levels = words(cells)
    counts = np.bincount(levels.codes[levels.codes >= 0], minlength=len(levels.names))
    _tell_missing(int((levels.codes < 0).sum()), notes)
    if len(levels.names) == 1:
        raise _one_value(name, levels.names[0])
    enough = np.flatnonzero(counts >= MIN_OF_CLASS)
    if len(enough) < 2:
        raise InvalidValue(
            f"fit: target must have two classes of at least {MIN_OF_CLASS} rows, got {len(levels.names)} different "
            f"values in {int(counts.sum())} rows of {name!r}. Choose another column."
        )
    if len(enough) > MAX_CLASSES:
        raise InvalidValue(
            f"fit: target must have at most {MAX_CLASSES} classes, got {len(enough)} in {name!r}. "
            "Group them, or try --task regression."
        )
    if len(enough) < len(levels.names):
        rare = len(levels.names) - len(enough)
        lost = int(counts.sum() - counts[enough].sum())
        notes.append(
            f"{rare} class{'es' if rare > 1 else ''} with fewer than {MIN_OF_CLASS} rows cannot be learned and judged: "
            f"{lost} row{'s are' if lost > 1 else ' is'} left out."
        )
    place = np.full(len(levels.names) + 1, -1)
    names = _labels([levels.names[k] for k in enough])
    order = sorted(range(len(names)), key=lambda k: (isinstance(names[k], str), names[k]))
    for new, k in enumerate(order):
        place[enough[k]] = new
    codes = place[levels.codes]
    kept = np.flatnonzero(codes >= 0)
    return [names[k] for k in order], codes[kept], kept


def _labels(names: list[str]) -> list[str | int]:
    """Whole numbers as numbers, if all are."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return list(names)
    return list(numbers) if [str(n) for n in numbers] == names else list(names)
