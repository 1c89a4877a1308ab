"""What each column is: number, truth value, category or date; identifiers and constants are left out."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from gradatim.data.tables.text_files import MISSING

TRUTHS = ({"true": 1.0, "false": 0.0}, {"yes": 1.0, "no": 0.0}, {"y": 1.0, "n": 0.0}, {"t": 1.0, "f": 0.0})  # fmt: skip
DATE_FORMATS = (
    *("ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m/%d/%y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
    *("%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S"),
    *("%Y/%m/%d %H:%M", "%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M"),
)
_MOSTLY = 0.95  # share of cells that must fit a type
_ALIKE = 3  # columns of the same reason that share a sentence
_LISTED = 5  # of their names
_TEXTS = "their texts identify rows"
_LOOKED_AT = 1000  # cells that tell whether a column holds texts
_DIFFERENT = 0.5  # share of different cells past which they are texts, if they are long
_WORDS = 4.0  # of a text, on average
_PROBE = 2000  # cells looked at to find a date format
_IDENTIFIER = re.compile(
    r"(^|[_\s.-])(id|uuid|guid|index|key|rownum|row)$|^column 1$|[a-z]I[dD]$", re.I
)


@dataclass(frozen=True)
class Column:
    """A column and how its cells are read.

    Args:
        name: Its name in the table.
        kind: ``"numeric"``, ``"boolean"``, ``"categorical"``, ``"date"`` or ``"text"``.
        comma: What a comma in a number means: ``"decimal"`` as in 1,5, ``"thousands"`` as in 1,500, or nothing.
        date_format: Format of a date that comes as text.
    """

    name: str
    kind: str
    comma: str = ""
    date_format: str = "ISO8601"


class Levels(NamedTuple):
    """Categories as numbers: ``names[codes[i]]`` is row ``i``, a code of -1 is missing."""

    codes: np.ndarray
    names: list[str]


Cells = np.ndarray | Levels


def clean(series: pd.Series) -> pd.Series:
    """Strip text and make the usual words for a missing cell missing; other types pass.

    Example:
        >>> clean(pd.Series([" a", "NA", "?"])).isna().tolist()
        [False, True, True]
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    if series.dtype.kind == "c":  # numbers that no model takes
        series = series.astype(object)
    if series.dtype == object:
        kinds = {type(value) for value in series.dropna()}
        if kinds and all(issubclass(kind, bool | np.bool_) for kind in kinds):
            return series
        if kinds and all(issubclass(kind, int | float | np.number) for kind in kinds):
            return series.astype(float)
        series = series.map(_text, na_action="ignore").astype("str")
    if not isinstance(series.dtype, pd.StringDtype):
        return series
    series = series.str.strip()
    return series.mask(series.isin(MISSING))


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def read_cells(series: pd.Series, column: Column) -> tuple[Cells, int]:
    """Read the cells of a column by its kind.

    Returns:
        Numbers with NaN for missing cells (truth values as 0 and 1, dates as days since 1970), or
        :class:`Levels`; and how many cells were not missing but could not be read.

    Example:
        >>> read_cells(pd.Series(["1", "x", None]), Column("a", "numeric"))
        (array([ 1., nan, nan]), 1)
    """
    if column.kind == "numeric" and series.dtype == np.float64:
        numbers = series.to_numpy()
        finite = np.isfinite(numbers)
        return np.where(finite, numbers, np.nan), int((~finite & ~np.isnan(numbers)).sum())
    cells = clean(series)
    if column.kind in ("categorical", "text"):
        return words(cells), 0
    reader = {"numeric": _numbers, "boolean": _truths, "date": _days}[column.kind]
    values = reader(cells, column)
    values = np.where(np.isfinite(values), values, np.nan)
    return values, int((np.isnan(values) & cells.notna().to_numpy()).sum())


def words(cells: pd.Series) -> Levels:
    """Categories of cleaned cells, in alphabetical order; whole numbers are written without a point.

    Example:
        >>> words(pd.Series([2.0, 1.0, None])).names
        ['1', '2']
    """
    if pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells):
        cells = cells.astype(object).map(_text, na_action="ignore")
    elif not isinstance(cells.dtype, pd.StringDtype):
        cells = cells.map(str, na_action="ignore")
    codes, names = pd.factorize(cells, sort=True)
    return Levels(codes, [str(name) for name in names])


def _numbers(cells: pd.Series, column: Column) -> np.ndarray:
    if pd.api.types.is_datetime64_any_dtype(cells):
        return np.full(len(cells), np.nan)
    if column.comma and isinstance(cells.dtype, pd.StringDtype):
        if column.comma == "decimal":
            cells = cells.str.replace(".", "", regex=False)
        cells = cells.str.replace(",", "." if column.comma == "decimal" else "", regex=False)
    return pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)


def read_plain_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Make columns of text numbers where every cell is a number or missing; all others stay as they are.

    Such a column is numeric whichever rows are looked at, and a table of thousands of columns is typed in a second.

    Example:
        >>> table = pd.DataFrame({"a": ["1", None], "b": ["1", "x"], "c": ["1,5", "2"]})
        >>> [pd.api.types.is_numeric_dtype(kind) for kind in read_plain_numbers(table).dtypes]
        [True, False, False]
    """
    return pd.DataFrame({name: _plain(frame[name]) for name in frame.columns}, index=frame.index)


def _plain(series: pd.Series) -> "pd.Series | np.ndarray":
    if not isinstance(series.dtype, pd.StringDtype):
        return series
    try:
        return pd.to_numeric(series).to_numpy(np.float64, na_value=np.nan)
    except ValueError:
        return series


def _truths(cells: pd.Series, column: Column) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells):
        values = cells.to_numpy(np.float64, na_value=np.nan)
        return np.where(np.isin(values, (0.0, 1.0)), values, np.nan)
    known = {"1": 1.0, "0": 0.0} | {word: v for pair in TRUTHS for word, v in pair.items()}
    lowered = cells.map(lambda value: known.get(str(value).lower()), na_action="ignore")
    return pd.to_numeric(lowered, errors="coerce").to_numpy(np.float64, na_value=np.nan)


def _days(cells: pd.Series, column: Column) -> np.ndarray:
    if pd.api.types.is_datetime64_any_dtype(cells):
        times = pd.to_datetime(cells, utc=True)
    elif isinstance(cells.dtype, pd.StringDtype):
        times = pd.to_datetime(cells, format=column.date_format, errors="coerce", utc=True)
    else:
        return np.full(len(cells), np.nan)
    stamps = times.dt.tz_convert(None).to_numpy()
    unit, size = np.datetime_data(stamps.dtype)
    per_day = np.timedelta64(1, "D") / np.timedelta64(size, unit)  # type: ignore[call-overload]
    # whole numbers reach as far as the cells do; differences of times end in 2262
    return np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64) / per_day)


def find_column(series: pd.Series, name: str) -> Column:
    """Find what a column is from its cells.

    Example:
        >>> find_column(pd.Series(["2024-01-31", "2024-02-29"]), "day").kind
        'date'
    """
    cells = clean(series)
    if pd.api.types.is_bool_dtype(cells):
        return Column(name, "boolean")
    if pd.api.types.is_datetime64_any_dtype(cells):
        return Column(name, "date")
    if not isinstance(cells.dtype, pd.StringDtype):
        return Column(
            name, "boolean" if cells.dtype == object and cells.notna().any() else "numeric"
        )
    present = cells.dropna()
    lowered = set(present.head(_PROBE).str.lower())
    if len(lowered) > 0 and any(lowered <= set(pair) for pair in TRUTHS):
        return Column(name, "boolean")
    column = Column(name, "numeric", comma=_comma(present))
    if len(present) == 0 or (~np.isnan(_numbers(present, column))).mean() >= _MOSTLY:
        return column
    date = _date_format(present.head(_PROBE))
    return Column(name, "date", date_format=date) if date else Column(name, "categorical")


def _comma(present: pd.Series) -> str:
    """What commas mean; 1,500 alone means thousands, as 1,500.00 does."""
    with_comma = present[present.str.contains(",", regex=False)]
    if not len(with_comma):
        return ""
    if with_comma.str.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?").mean() >= _MOSTLY:
        return "thousands"
    decimal = with_comma.str.fullmatch(r"[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?")
    return "decimal" if decimal.mean() >= _MOSTLY else ""


def _date_format(present: pd.Series) -> str | None:
    if not present.str.contains(r"\d").mean() >= _MOSTLY or present.str.len().max() > 40:
        return None
    for date_format in DATE_FORMATS:
        read = pd.to_datetime(present, format=date_format, errors="coerce", utc=True)
        if read.notna().mean() >= _MOSTLY:
            return date_format
    return None


def is_text(series: pd.Series) -> bool:
    """Whether a column holds texts: long cells, most of them different.

    Example:
        >>> is_text(pd.Series([f"film number {k} was rather good" for k in range(30)])), is_text(pd.Series(["Bern", "Genf"]))
        (True, False)
    """
    if pd.api.types.is_numeric_dtype(series):
        return False
    cells = clean(series.iloc[:_LOOKED_AT]).dropna()
    if not isinstance(cells.dtype, pd.StringDtype) or len(cells) < 2:
        return False
    is_long = cells.str.count(r"\s+").mean() + 1 >= _WORDS
    return bool(is_long and cells.nunique() > _DIFFERENT * len(cells))


def find_columns(
    frame: pd.DataFrame, *, reads_texts: bool = False
) -> tuple[list[Column], list[str]]:
    """Type every column of ``frame``; identifiers and constants are left out, with a sentence for each, or for many alike.

    Args:
        frame: The rows to look at.
        reads_texts: Whether columns of texts are kept, as such.

    Example:
        >>> table = pd.DataFrame({"id": range(30), "x": np.random.default_rng(0).random(30), "k": 1})
        >>> columns, notes = find_columns(table)
        >>> [column.name for column in columns], notes[1]
        (['x'], "Column 'k' is left out: it has one value only.")
    """
    columns, reasons = [], {}
    for name in frame.columns:
        column = find_column(frame[name], name)
        if reads_texts and column.kind == "categorical" and is_text(frame[name]):
            columns.append(Column(name, "text"))
            continue
        reason = _reason_to_drop(frame[name], column)
        if reason:
            reasons[name] = reason
        else:
            columns.append(column)
    return columns, _left_out(reasons)


def _left_out(reasons: dict[str, str]) -> list[str]:
    """A sentence for each column, and one for more than two of the same reason."""
    alike: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        common = "each " + reason.removeprefix("it ") if reason.startswith("it ") else _TEXTS
        alike.setdefault(common, []).append(name)
    notes = []
    for reason, names in alike.items():
        if len(names) < _ALIKE:
            notes += [f"Column {name!r} is left out: {reasons[name]}." for name in names]
        else:
            shown = ", ".join(map(repr, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")
            notes.append(f"{len(names):,} columns are left out ({shown}): {reason}.")
    return notes


def numbers_rows(series: pd.Series, name: str) -> bool:
    """Whether a column tells every row apart by a number in order, by its name, or by a text.

    Example:
        >>> numbers_rows(pd.Series(range(30)), "x"), numbers_rows(pd.Series([0.5, 0.7] * 15), "x")
        (True, False)
    """
    if len(series) < 20 or not series.is_unique:
        return False
    if not pd.api.types.is_numeric_dtype(series):
        return True
    values = series.to_numpy(np.float64, na_value=np.nan)
    if not np.all(values == np.round(values)):
        return False
    return bool(np.ptp(values) == len(values) - 1 or _IDENTIFIER.search(name))


def _reason_to_drop(series: pd.Series, column: Column) -> str | None:
    values, _ = read_cells(series, column)
    if isinstance(values, Levels):
        present, distinct = int((values.codes >= 0).sum()), len(values.names)
    else:
        finite = values[np.isfinite(values)]
        present, distinct = len(finite), len(np.unique(finite))
    if present == 0:
        return "it has no value at all"
    if distinct == 1 and present == len(series):
        return "it has one value only"
    if isinstance(values, Levels):
        many = distinct > max(20, 0.9 * present)
        return f"{distinct:,} different texts in {present:,} rows identify rows" if many else None
    if column.kind == "numeric" and distinct == present == len(series) and present >= 20:
        if not np.all(finite == np.round(finite)):
            return None
        counts = np.ptp(finite / 2) == (present - 1) / 2  # the width of huge numbers is none
        named = bool(_IDENTIFIER.search(column.name))
        if counts or named:
            return "it numbers the rows"
    return None
