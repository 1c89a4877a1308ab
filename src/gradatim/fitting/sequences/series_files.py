"""Files of labelled series: the ``.ts`` files of sktime and the UEA archive, and the ``.tsv`` files of the UCR archive."""

from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue
from gradatim.files import or_unavailable
from gradatim.fitting.sequences.arrays import from_arrays
from gradatim.fitting.sequences.raw import RawSeries

MISSING = ("?", "nan", "")


def read_series_file(path: Path, *, owner: str = "fit") -> RawSeries:
    """Read a ``.ts`` or a UCR ``.tsv`` file.

    Args:
        path: The file.
        owner: Who asks, for messages.
    """
    try:
        with or_unavailable(f"{path}: cannot be read"):
            text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidValue(f"{owner}: {path} must be a text, but it holds binary data.") from None
    series, labels = (read_ts if path.suffix.lower() == ".ts" else read_ucr)(text, str(path), owner)
    raw = from_arrays(series, owner=owner)
    raw.name = path.name.split(".")[0] or "series"
    if labels is not None:
        raw.target = pd.Series(labels, name=raw.target_name, dtype=object)
    return raw


def read_ts(text: str, path: str, owner: str = "fit") -> tuple[list[np.ndarray], list[str] | None]:
    """Read lines of channels between colons, values between commas, and the label or number at the end.

    Args:
        text: The file.
        path: Its name, for messages.
        owner: Who asks, for messages.

    Returns:
        Series ``(T_n, C)``, NaN where a value is missing, and what each is labelled with; ``None`` where the head says that
        nothing is.

    Example:
        >>> series, labels = read_ts("@classLabel true a b\\n@data\\n1,2,?:4,5,6:b\\n7:8:a\\n", "x.ts")
        >>> series[0].T.tolist(), labels
        ([[1.0, 2.0, nan], [4.0, 5.0, 6.0]], ['b', 'a'])
    """
    head: dict[str, str] = {}
    series, labels, is_data = [], [], False
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith(("#", "%")):
            continue
        if line.startswith("@"):
            key, _, value = line[1:].partition(" ")
            head[key.lower()] = value.strip().lower()
            is_data = is_data or key.lower() == "data"
            continue
        where = f"{owner}: line {number} of {path}"
        if not is_data:
            raise InvalidValue(f"{where} must come behind '@data', and does not.")
        if "(" in line or head.get("timestamps", "").startswith("true"):
            raise InvalidValue(f"{where} must hold values alone, got time stamps. Save the series as a table with a column of times.")  # fmt: skip
        *channels, last = line.split(":") if _is_labelled(head) else [*line.split(":"), ""]
        series.append(_columns(channels, where))
        labels.append(last.strip())
    if not series:
        raise InvalidValue(f"{owner}: {path} must hold series behind '@data', and holds none.")
    return series, labels if _is_labelled(head) else None


def _is_labelled(head: dict[str, str]) -> bool:
    said = [head[key] for key in ("classlabel", "targetlabel") if key in head]
    return not said or any(value.startswith("true") for value in said)


def _columns(channels: list[str], where: str) -> np.ndarray:
    """One series, shape ``(T, C)``."""
    if not channels:
        raise InvalidValue(f"{where} must hold channels and a label between colons, got one part only.")  # fmt: skip
    columns = [_numbers(channel.split(","), where) for channel in channels]
    sizes = {len(column) for column in columns}
    if len(sizes) > 1:
        raise InvalidValue(f"{where} must have channels of one length, got {' and '.join(map(str, sorted(sizes)))} values. It may be cut short.")  # fmt: skip
    return np.stack(columns, axis=1)


def _numbers(cells: list[str], where: str) -> np.ndarray:
    try:
        return np.array([np.nan if c.strip().lower() in MISSING else float(c) for c in cells])
    except ValueError as error:
        word = str(error).rpartition(": ")[2]
        raise InvalidValue(f"{where} must hold numbers, got {word[:40]}.") from None


def read_ucr(text: str, path: str, owner: str = "fit") -> tuple[list[np.ndarray], list[str]]:
    """Read lines of a label and values between tabs; missing values at the end mean that a series is shorter.

    Args:
        text: The file.
        path: Its name, for messages.
        owner: Who asks, for messages.

    Example:
        >>> series, labels = read_ucr("2\\t0.5\\tNaN\\t1.5\\n1\\t3\\tNaN\\tNaN\\n", "x.tsv")
        >>> [one.ravel().tolist() for one in series], labels
        ([[0.5, nan, 1.5], [3.0]], ['2', '1'])
    """
    series, labels = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{owner}: line {number} of {path}"
        label, *cells = line.strip().split("\t" if "\t" in line else None)
        values = _numbers(cells, where)
        there = np.flatnonzero(~np.isnan(values))
        if not len(there):
            raise InvalidValue(f"{where} must hold a label and values, got no value.")
        series.append(values[: there[-1] + 1, None])
        labels.append(_label(label))
    return series, labels


def _label(text: str) -> str:
    """A label, without the fraction that some tools write behind whole numbers.

    >>> _label("2.0000000e+00"), _label("a")
    ('2', 'a')
    """
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text
