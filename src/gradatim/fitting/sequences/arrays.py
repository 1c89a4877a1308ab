"""Series that Python users hold in memory: a list of arrays or data frames, an array of three axes, or a data frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.fitting.sequences.raw import RawSeries


def holds_series(data: object) -> bool:
    """Whether data are a pair of a list of arrays of several lengths, or of data frames, and what to predict.

    Example:
        >>> holds_series(([np.zeros((3, 2)), np.zeros((5, 2))], ["a", "b"])), holds_series((np.zeros((3, 2)), [1, 2, 3]))
        (True, False)
    """
    if not isinstance(data, tuple) or len(data) != 2:
        return False
    series = data[0]
    if isinstance(series, np.ndarray) and series.dtype != object:
        return False
    if not isinstance(series, list | tuple | np.ndarray) or not len(series):
        return False
    if all(isinstance(one, pd.DataFrame) for one in series):
        return True
    if not all(isinstance(one, np.ndarray) or hasattr(one, "detach") for one in series):
        return False
    return len({tuple(one.shape[:1]) for one in series}) > 1 and {one.ndim for one in series} <= {1, 2}  # fmt: skip


def from_arrays(
    series: Any, target: Any = None, *, owner: str = "fit", channels: Sequence[str] = ()
) -> RawSeries:
    """Series in memory as they would be read from a file.

    Args:
        series: A list of arrays ``(T_n,)`` or ``(T_n, C)`` or of data frames, or an array ``(N, T)`` or ``(N, T, C)``.
        target: What to predict, one for each.
        owner: Who asks, for messages.
        channels: Names of the channels; ``x1``, ``x2``, … by default.
    """
    parts = [_steps(one, k, owner) for k, one in enumerate(_listed(series, owner))]
    require(len(parts), f"{owner}: data must hold series", "none")
    widths = {part.shape[1] for part in parts}
    require(len(widths) == 1, f"{owner}: series must have the same channels", f"{' and '.join(map(str, sorted(widths)))} of them")  # fmt: skip
    if not isinstance(parts[0], pd.DataFrame):
        names = list(channels) or [f"x{k + 1}" for k in range(parts[0].shape[1])]
        require(len(names) == parts[0].shape[1], f"{owner}: series must have {len(names)} channels", parts[0].shape[1])  # fmt: skip
        steps = pd.DataFrame(np.concatenate(parts), columns=names)
    else:
        steps = pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)
        steps.columns = steps.columns.map(str)
    raw = RawSeries("series", steps, np.array([len(part) for part in parts]), [str(k + 1) for k in range(len(parts))])  # fmt: skip
    if isinstance(series, np.ndarray) and series.ndim == 3 and series.shape[2] > series.shape[1]:
        _, steps_each, width = series.shape
        raw.notes.append(f"The array was read as series of {steps_each} steps with {width} channels; if it is the other way round, swap its last two axes.")  # fmt: skip
    if target is not None:
        raw.target = _targets(target, len(parts), owner)
    return raw


def _listed(series: Any, owner: str) -> list[Any]:
    if hasattr(series, "detach"):
        series = series.detach().cpu().numpy()
    if isinstance(series, np.ndarray) and series.dtype != object:
        require(series.ndim in (2, 3), f"{owner}: series must be an array of shape (N, T) or (N, T, C)", f"shape {series.shape}")  # fmt: skip
        return list(series)
    if isinstance(series, list | tuple | np.ndarray):
        return list(series)
    raise InvalidType(f"{owner}: series must be a list of arrays or an array, got a {type(series).__name__}.")  # fmt: skip


def _steps(one: Any, number: int, owner: str) -> "np.ndarray | pd.DataFrame":
    """One series as steps by channels."""
    if isinstance(one, pd.DataFrame):
        require(len(one), f"{owner}: series must have steps", f"none in number {number}")
        return one
    try:
        values = np.asarray(one.detach().cpu() if hasattr(one, "detach") else one, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"{owner}: series must be arrays of numbers, got others in number {number}.") from None  # fmt: skip
    if values.ndim not in (1, 2) or 0 in values.shape:
        raise InvalidValue(
            f"{owner}: series must have shape (T,) or (T, C) with a step or more, got {values.shape} in number {number}."
        )
    return values.reshape(len(values), -1)


def _targets(target: Any, count: int, owner: str) -> pd.Series:
    values = target.detach().cpu().numpy() if hasattr(target, "detach") else target
    name = str(getattr(target, "name", None) or "label")
    cells = pd.Series(np.asarray(values).tolist() if not isinstance(values, pd.Series) else values.to_numpy(), name=name)  # fmt: skip
    require(len(cells) == count, f"{owner}: series must have a target each", f"{count} series and {len(cells)} targets")  # fmt: skip
    return cells
