"""Files of labelled series: the ``.ts`` files of sktime and the UEA archive, and the ``.tsv`` files of the UCR archive."""

import re
from dataclasses import dataclass, field
from math import isinf
from typing import NamedTuple

import numpy as np

from gradatim.errors import InvalidValue
from gradatim.wording import shorten

MISSING = ("?", "nan", "")
_COLON = re.compile(r":(?![^(]*\))")  # between channels, not inside a time
_PAIR = re.compile(r"\(([^()]*),([^(),]*)\)")  # of a time and a value


class LabelledSeries(NamedTuple):
    """Series as they were read.

    Args:
        series: Arrays ``(T_n, C)``, NaN where a value is missing.
        labels: What each is labelled with, a class or a number; ``None`` where nothing is.
        times: When the steps of each were, as the file writes it; ``None`` where it does not say.
    """

    series: list[np.ndarray]
    labels: list[str] | None
    times: list[list[str]] | None = None


def decode_series(content: bytes, path: str, owner: str = "fit") -> str:
    """Return the text of a file of series, or raise that it is none.

    Args:
        content: The file.
        path: Its name, for messages.
        owner: Who asks, for messages.

    Example:
        >>> decode_series(b"\\xff\\x00", "x.ts")
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: fit: x.ts must be a text in UTF-8, got binary data or another encoding.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InvalidValue(
            f"{owner}: {path} must be a text in UTF-8, got binary data or another encoding."
        )
    return text


def read_ts(text: str, path: str, owner: str = "fit") -> LabelledSeries:
    """Read a head of lines with ``@``, then a series a line: channels between colons, values between commas, its label last.

    What the head says, of channels, lengths and classes, must be true. Where values come as pairs ``(time,value)``, a step is
    a time that some channel has, in the order in which times appear; other channels miss a value there.

    Args:
        text: The file.
        path: Its name, for messages.
        owner: Who asks, for messages.

    Example:
        >>> series, labels, _ = read_ts("@classLabel true a b\\n@data\\n1,2,?:4,5,6:b\\n7:8:a\\n", "x.ts")
        >>> series[0].T.tolist(), labels
        ([[1.0, 2.0, nan], [4.0, 5.0, 6.0]], ['b', 'a'])
        >>> series, labels, times = read_ts("@classLabel true a\\n@data\\n(0,1.5),(9,2.5):(9,4):a\\n", "x.ts")
        >>> series[0].T.tolist(), times
        ([[1.5, 2.5], [nan, 4.0]], [['0', '9']])
    """
    head = _Head()
    series: list[np.ndarray] = []
    labels: list[str] = []
    times: list[list[str]] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        where = f"{owner}: line {number} of {path}"
        if not line or line.startswith(("#", "%")):
            continue
        if line.startswith("@"):
            head.read(line, where)
            continue
        if not head.is_over:
            raise InvalidValue(f"{where} must come behind a line '@data', got it before.")
        parts = _COLON.split(line)
        *channels, last = parts if head.is_labelled else [*parts, ""]
        label = last.strip()
        if line.startswith("(") or head.says("timestamps"):
            found, steps = _timed_columns(channels, where)
            times.append(steps)
        else:
            found = _columns(channels, where)
        series.append(found)
        head.check(series[-1], label, len(series[0][0]), where)
        labels.append(label)
    if not series:
        raise InvalidValue(f"{owner}: {path} must hold series behind a line '@data', got none.")
    if times and len(times) < len(series):
        raise InvalidValue(f"{owner}: {path} must have times in all series or in none, got {len(times):,} of {len(series):,} with times.")  # fmt: skip
    return LabelledSeries(series, labels if head.is_labelled else None, times or None)


@dataclass
class _Head:
    """What the lines with ``@`` say, by their first word in lower case."""

    values: dict[str, str] = field(default_factory=dict)

    def read(self, line: str, where: str) -> None:
        key, _, value = line[1:].partition(" ")
        if self.is_over:
            raise InvalidValue(
                f"{where} must be a series, got '@{shorten(key, 20)}' behind '@data'."
            )
        self.values[key.lower()] = value.strip()

    def says(self, key: str) -> bool:
        return self.values.get(key, "").lower().startswith("true")

    @property
    def is_over(self) -> bool:
        return "data" in self.values

    @property
    def is_labelled(self) -> bool:
        """Whether lines end with a label: unless the head says that none does."""
        said = [key for key in ("classlabel", "targetlabel") if key in self.values]
        return not said or any(self.says(key) for key in said)

    @property
    def classes(self) -> list[str]:
        """The classes that the head lists; none where it does not."""
        return self.values.get("classlabel", "").split()[1:] if self.says("classlabel") else []

    def _number(self, key: str) -> int | None:
        text = self.values.get(key, "")
        return int(text) if re.fullmatch(r"\d+", text) else None

    def check(self, series: np.ndarray, label: str, width: int, where: str) -> None:
        """Raise unless a series and its label are as the head, and the first series, say."""
        wanted = self._number("dimensions") or (1 if self.says("univariate") else width)
        if series.shape[1] != wanted:
            raise InvalidValue(
                f"{where} must have {wanted} {'channel' if wanted == 1 else 'channels'}, got {series.shape[1]}. "
                "It may be cut short, or lack its label."
            )
        steps = self._number("serieslength") if self.says("equallength") else None
        if steps is not None and len(series) != steps:
            raise InvalidValue(
                f"{where} must have {steps} steps, as '@seriesLength' says, got {len(series)}."
            )
        if self.classes and label not in self.classes:
            raise InvalidValue(
                f"{where} must end with a class that '@classLabel' lists, got {shorten(repr(label), 40)}."
            )
        if self.is_labelled and not label:
            raise InvalidValue(f"{where} must end with a label, got none.")
        if self.says("targetlabel"):
            _numbers([label], where)


def read_ucr(text: str, path: str, owner: str = "fit") -> LabelledSeries:
    """Read a series a line: its label, then values between tabs; missing ones at the end mean that it is shorter.

    Args:
        text: The file.
        path: Its name, for messages.
        owner: Who asks, for messages.

    Returns:
        Series ``(T_n, 1)``, NaN where a value is missing, and their labels.

    Example:
        >>> series, labels, _ = read_ucr("2\\t0.5\\tNaN\\t1.5\\n1\\t3\\tNaN\\tNaN\\n", "x.tsv")
        >>> [one.ravel().tolist() for one in series], labels
        ([[0.5, nan, 1.5], [3.0]], ['2', '1'])
    """
    series, labels = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{owner}: line {number} of {path}"
        label, *cells = line.strip().split("\t" if "\t" in line else None)
        if label.strip().lower() in MISSING:
            raise InvalidValue(f"{where} must begin with a label, got none.")
        values = _numbers(cells, where)
        there = np.flatnonzero(~np.isnan(values))
        if not len(there):
            raise InvalidValue(f"{where} must hold a label and values, got no value.")
        series.append(values[: there[-1] + 1, None])
        labels.append(_plain_label(label.strip()))
    if not series:
        raise InvalidValue(f"{owner}: {path} must hold a series in every line, got none.")
    return LabelledSeries(series, labels)


def _timed_columns(channels: list[str], where: str) -> tuple[np.ndarray, list[str]]:
    """One series of pairs ``(time,value)``, shape ``(T, C)``, and its times; of values at one time the last one counts."""
    rows: dict[str, dict[int, str]] = {}
    for place, channel in enumerate(channels):
        rest = _PAIR.sub("", channel).replace(",", "").strip()
        if rest not in MISSING:
            raise InvalidValue(
                f"{where} must hold pairs such as (2024-12-31 23:59:59,1.5) between commas, got {shorten(repr(rest), 40)}."
            )
        for time, value in _PAIR.findall(channel):
            rows.setdefault(time.strip(), {})[place] = value
    cells = [",".join(row.get(place, "?") for row in rows.values()) for place in range(len(channels))]  # fmt: skip
    return _columns(cells, where), list(rows)


def _columns(channels: list[str], where: str) -> np.ndarray:
    """One series, shape ``(T, C)``."""
    if not channels:
        raise InvalidValue(f"{where} must hold values and a label between colons, got no colon.")
    columns = [_numbers(channel.split(","), where) for channel in channels]
    sizes = sorted({len(column) for column in columns})
    if len(sizes) > 1:
        raise InvalidValue(
            f"{where} must have channels of one length, got {sizes[0]} to {sizes[-1]} values. It may be cut short."
        )
    series = np.stack(columns, axis=1)
    if np.isnan(series).all():
        raise InvalidValue(f"{where} must hold values, got none.")
    return series


def _numbers(cells: list[str], where: str) -> np.ndarray:
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        values = np.array([_number(cell, where) for cell in cells])
    if np.isinf(values).any():
        word = next(cell for cell in cells if isinf(_number(cell, where)))
        raise InvalidValue(f"{where} must hold finite numbers, got {word.strip()!r}.")
    return values


def _number(cell: str, where: str) -> float:
    if cell.strip().lower() in MISSING:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        got = shorten(repr(cell.strip()), 40)
        raise InvalidValue(
            f"{where} must hold numbers, and ? where one is missing, got {got}."
        ) from None


def _plain_label(text: str) -> str:
    """A label, without the fraction that some tools write behind whole numbers.

    >>> _plain_label("2.0000000e+00"), _plain_label("a"), _plain_label("inf")
    ('2', 'a', 'inf')
    """
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text
