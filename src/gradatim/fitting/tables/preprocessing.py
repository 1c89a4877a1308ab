r"""From typed columns to the numbers a model sees, as plain data that JSON can hold.

Everything is learned from the rows given, so a fold's preprocessing knows nothing of the rows it is
judged on. A number becomes :math:`(x - \mu)/\sigma`, limited to :math:`\pm 10`, with the median for missing cells
and a column that marks them; a category one column per frequent level, one for the rare and unseen, one for missing, and
the mean target of its level (:mod:`~gradatim.fitting.tables.level_means`); where levels are many, also its place in the order
of their names, by which trees tell each from its neighbours; a date :math:`t` in days becomes scaled time and sine and cosine
of the year, the week and the day.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Cells, Column, Levels, read_cells
from gradatim.errors import InvalidValue, nearest_first, require
from gradatim.fitting.tables.level_means import learn_level_means
from gradatim.fitting.tables.themes import Themes, learn_themes, read_themes

LIMIT = 10.0  # standard deviations past which a number is not followed
MAX_LEVELS = 50
PERIODS = {"year": 365.2425, "week": 7.0, "day": 1.0}

Table = Mapping[str, Cells]


@dataclass(frozen=True)
class Encoder:
    """How one column becomes features.

    Args:
        column: The column.
        center: :math:`\\mu`; scale: :math:`\\sigma`; fill: value for a missing cell.
        marks_missing: Whether a feature marks missing cells.
        levels: Categories with a feature of their own.
        marks_other: Whether a feature marks every other category.
        periods: Cycles of a date.
        known: Categories whose mean target was learned; ``None`` is a missing cell.
        means: Their mean targets, one list for each, with the place at its end, where that is a feature.
        has_place: Whether the place of a category in the order of names is a feature.
        words: Words of texts that are known.
        rarity: Their weights.
        basis: Their shares in the themes, one list for each.
    """

    column: Column
    center: float = 0.0
    scale: float = 1.0
    fill: float = 0.0
    marks_missing: bool = False
    levels: list[str] = field(default_factory=list)
    marks_other: bool = False
    periods: list[str] = field(default_factory=list)
    known: list[str | None] = field(default_factory=list)
    means: list[list[float]] = field(default_factory=list)
    has_place: bool = False
    words: list[str] = field(default_factory=list)
    rarity: list[float] = field(default_factory=list)
    basis: list[list[float]] = field(default_factory=list)

    @property
    def num_means(self) -> int:
        """Features that hold a mean target, or the place."""
        return len(self.means[0]) if self.means else 0

    def names(self) -> list[str]:
        """Names of the features."""
        name = self.column.name
        if self.column.kind == "text":
            own = [f"{name}: theme {k + 1}" for k in range(len(self.basis[0]) if self.basis else 0)]
        elif self.column.kind == "categorical":
            own = [f"{name} = {level}" for level in self.levels]
            own += [f"{name} = other"] * self.marks_other
        else:
            own = [name]
            own += [f"{name}: {f} of {p}" for p in self.periods for f in ("sine", "cosine")]
        own += [f"{name} is missing"] * self.marks_missing
        own += [f"{name}: mean target {k + 1}" for k in range(self.num_means - self.has_place)]
        return own + [f"{name}: place"] * self.has_place

    def encode(self, cells: Cells) -> np.ndarray:
        """Return the features, shape ``(N, len(names()))``."""
        if isinstance(cells, Levels):
            return (
                self._encode_texts(cells)
                if self.column.kind == "text"
                else self._encode_levels(cells)
            )
        missing = np.isnan(cells)
        filled = np.where(missing, self.fill, cells)
        with np.errstate(over="ignore"):  # of huge numbers, infinity is at the limit too
            parts = [np.clip((filled - self.center) / self.scale, -LIMIT, LIMIT)]
        for period in self.periods:
            angle = filled * (2 * np.pi / PERIODS[period])
            parts += [np.sin(angle), np.cos(angle)]
        if self.marks_missing:
            parts.append(missing.astype(np.float64))
        return np.stack(parts, axis=1)

    def _encode_texts(self, cells: Levels) -> np.ndarray:
        """Themes of the texts, 0 where one is missing, and whether it is."""
        found = np.zeros((len(cells.names) + 1, len(self.basis[0]) if self.basis else 0))
        if self.basis and cells.names:
            themes = Themes(self.words, np.array(self.rarity), np.array(self.basis))
            found[:-1] = np.clip(read_themes(cells.names, themes), -LIMIT, LIMIT)
        parts = [found[cells.codes]]
        if self.marks_missing:
            parts.append((cells.codes < 0).astype(np.float64)[:, None])
        return np.concatenate(parts, axis=1)

    def _encode_levels(self, cells: Levels) -> np.ndarray:
        width = len(self.levels) + self.marks_other + self.marks_missing
        place = {level: k for k, level in enumerate(self.levels)}
        other = len(self.levels) if self.marks_other else width
        missing = width - 1 if self.marks_missing else width
        places = np.array([*(place.get(name, other) for name in cells.names), missing])
        features = np.zeros(
            (len(cells.codes), width + 1)
        )  # the last column takes what has no place
        features[np.arange(len(cells.codes)), places[cells.codes]] = 1.0
        return np.concatenate([features[:, :width], self._means_of(cells)], axis=1)

    def _means_of(self, cells: Levels) -> np.ndarray:
        """The mean target of every cell's level, 0 where training never saw it."""
        if not self.means:
            return np.empty((len(cells.codes), 0))
        table = np.array([*self.means, [0.0] * self.num_means])
        place = {level: k for k, level in enumerate(self.known)}
        rows = [place.get(level, len(self.known)) for level in (*cells.names, None)]
        return table[np.array(rows)[cells.codes]]

    def count_unseen(self, cells: Cells) -> int:
        """Rows with a category that training never saw as a frequent one and that has no feature."""
        if not isinstance(cells, Levels) or self.marks_other or self.column.kind == "text":
            return 0
        unseen = np.array([*(name not in self.levels for name in cells.names), False])
        return int(unseen[cells.codes].sum())


@dataclass(frozen=True)
class Preprocessing:
    """The encoders of all columns, in order."""

    encoders: list[Encoder]

    @property
    def names(self) -> list[str]:
        """Names of all features."""
        return [name for encoder in self.encoders for name in encoder.names()]

    def blurred(self) -> np.ndarray:
        """Numbers of the features that differ between training rows of one category though its place is known: mean targets."""
        ends = np.cumsum([len(e.names()) for e in self.encoders]).tolist()
        pairs = zip(self.encoders, ends, strict=True)
        return np.concatenate([np.arange(0), *(np.arange(end - e.num_means, end - 1) for e, end in pairs if e.has_place)])  # fmt: skip

    def transform(self, table: Table) -> np.ndarray:
        """Return the features of typed cells, shape ``(N, features)``."""
        return np.concatenate([e.encode(table[e.column.name]) for e in self.encoders], axis=1)

    def to_json(self) -> list[dict[str, Any]]:
        """Plain data for a JSON file; :func:`from_json` takes it back."""
        return [asdict(encoder) for encoder in self.encoders]


def from_json(data: Sequence[Mapping[str, Any]]) -> Preprocessing:
    """Undo :meth:`Preprocessing.to_json`; what it cannot have written is refused."""
    encoders = [Encoder(**{**e, "column": Column(**e["column"])}) for e in data]
    for encoder in encoders:
        is_named = isinstance(encoder.column.name, str)
        require(is_named, "load_model: names of columns must be texts", repr(encoder.column.name))
        means = np.array(encoder.means, dtype=float)
        is_whole = len(means) == len(encoder.known) and bool(np.isfinite(means).all())
        require(is_whole, f"load_model: known categories of {encoder.column.name!r} must have finite means each", f"{len(means)} for {len(encoder.known)}")  # fmt: skip
        basis = np.array(encoder.basis, dtype=float)
        is_sound = len(basis) == len(encoder.words) == len(encoder.rarity) and bool(np.isfinite(basis).all() and np.isfinite(encoder.rarity).all())  # fmt: skip
        require(is_sound and all(isinstance(word, str) for word in encoder.words), f"load_model: words of {encoder.column.name!r} must be texts with a finite weight and shares each", "others")  # fmt: skip
    return Preprocessing(encoders)


def made_up_rows(columns: Sequence[Column]) -> pd.DataFrame:
    """A missing cell, a number and a date in every column, to try a model with.

    Example:
        >>> made_up_rows([Column("a", "numeric")])["a"].tolist()
        [None, '0', '2000-01-01']
    """
    return pd.DataFrame({c.name: [None, "0", "2000-01-01"] for c in columns}, dtype=object)


def read_columns(
    frame: pd.DataFrame, columns: Sequence[Column], owner: str = "predict"
) -> tuple[dict[str, Cells], Counter[str]]:
    """Read the cells of ``columns`` by name.

    Args:
        frame: A table with at least these columns; others are ignored.
        columns: What to read.
        owner: Who asks, for the message.

    Returns:
        The cells of every column, and how many of a column were there but could not be read.
    """
    missing = [column.name for column in columns if column.name not in frame.columns]
    if missing:
        near = nearest_first(missing[0], map(str, frame.columns))[:1]
        hint = f" The nearest column is {near[0]!r}." if near else ""
        names = ", ".join(repr(name) for name in missing[:5]) + (", …" if len(missing) > 5 else "")
        plural = "s" if len(missing) > 1 else ""
        raise InvalidValue(
            f"{owner}: the table must have the column{plural} {names}, and has not.{hint}"
        )
    table, unread = {}, Counter[str]()
    for column in columns:
        table[column.name], count = read_cells(frame[column.name], column)
        unread[column.name] = count
    return table, +unread


def describe_unread(unread: Mapping[str, int], columns: Sequence[Column]) -> list[str]:
    """Say how many cells could not be read, one sentence per column.

    Example:
        >>> describe_unread({"x": 2}, [Column("x", "numeric")])
        ["Column 'x': 2 cells are not finite numbers and count as missing."]
    """
    kinds = {column.name: column.kind for column in columns}
    return [
        f"Column {name!r}: 1 cell is not {_WHAT[kinds[name]][0]} and counts as missing."
        if count == 1
        else f"Column {name!r}: {count:,} cells are not {_WHAT[kinds[name]][1]} and count as missing."
        for name, count in unread.items()
    ]


_WHAT = {
    "numeric": ("a finite number", "finite numbers"),
    "boolean": ("yes or no", "yes or no"),
    "date": ("a date", "dates"),
}


def take_rows(table: Table, rows: np.ndarray) -> dict[str, Cells]:
    """The cells of some rows."""
    return {
        name: Levels(cells.codes[rows], cells.names) if isinstance(cells, Levels) else cells[rows]
        for name, cells in table.items()
    }


def fit_preprocessing(table: Table, columns: Sequence[Column], rows: np.ndarray) -> Preprocessing:
    """Learn the preprocessing of ``columns`` from the given ``rows`` alone.

    Example:
        >>> p = fit_preprocessing({"x": np.array([0.0, 2.0, 9.0])}, [Column("x", "numeric")], np.array([0, 1]))
        >>> p.transform({"x": np.array([1.0, 3.0])}).ravel().tolist()
        [0.0, 2.0]
    """
    return Preprocessing([_fit_encoder(table[column.name], column, rows) for column in columns])


def learn_features(
    table: Table,
    columns: Sequence[Column],
    rows: np.ndarray,
    targets: np.ndarray,
    seed: int,
    moments: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[Preprocessing, np.ndarray]:
    """Learn the preprocessing of ``columns`` from ``rows``, mean targets of categories included.

    Args:
        table: Typed cells.
        columns: What to read.
        rows: Rows to learn from.
        targets: Their standardized targets, shape ``(len(rows), outputs)``.
        seed: Fixes which rows give a row its mean targets.
        moments: Mean and standard deviation of columns of numbers that are known from more rows than these.

    Returns:
        The preprocessing, and the features of ``rows`` themselves: no row sees its own target in them.
    """
    encoders, blocks = [], []
    cells = take_rows(table, rows)
    for encoder in fit_preprocessing(table, columns, rows).encoders:
        own = cells[encoder.column.name]
        if moments and encoder.column.name in moments:
            center, scale = moments[encoder.column.name]
            encoder = replace(encoder, center=center, scale=scale)
        block = encoder.encode(own)
        found = None
        if isinstance(own, Levels) and encoder.column.kind == "categorical":
            found = learn_level_means(own.codes, targets, seed)
        if found is not None and isinstance(own, Levels):
            names = [*own.names, None]  # a code of -1 is missing
            known = [names[place] for place in found.places.tolist()]
            encoder = replace(encoder, known=known, means=found.means.tolist())
            block = np.concatenate([block, found.crossed], axis=1)
            if len(known) > MAX_LEVELS:
                encoder = _with_places(encoder)
                block = np.concatenate([block, encoder.encode(own)[:, -1:]], axis=1)
        encoders.append(encoder)
        blocks.append(block)
    return Preprocessing(encoders), np.concatenate(blocks, axis=1)


def _with_places(encoder: Encoder) -> Encoder:
    """Beside the mean targets the place of each category in the order of their names, from -1 to 1."""
    order = sorted(range(len(encoder.known)), key=lambda k: encoder.known[k] or "")
    places = np.empty(len(order))
    places[order] = np.linspace(-1.0, 1.0, len(order))
    means = [[*own, place] for own, place in zip(encoder.means, places.tolist(), strict=True)]
    return replace(encoder, means=means, has_place=True)


def _fit_encoder(cells: Cells, column: Column, rows: np.ndarray) -> Encoder:
    if isinstance(cells, Levels):
        fit = _fit_texts if column.kind == "text" else _fit_levels
        return fit(cells, column, rows)
    values = cells[rows]
    missing = np.isnan(values)
    values = values[~missing]
    if not len(values):
        return Encoder(column, marks_missing=True)
    largest = float(np.abs(values).max()) or 1.0  # squares of huge numbers would overflow
    center = float((values / largest).mean() * largest)
    scale = float((values / largest).std() * largest)
    if scale <= 10 * np.finfo(float).eps * abs(center) or not np.isfinite(scale):
        scale = 1.0
    periods = []
    if column.kind == "date":
        has_time = bool(np.any(values != np.floor(values)))
        periods = ["year", "week", "day"] if has_time else ["year", "week"]
    fill = float(_median(values / largest) * largest)
    if column.kind == "boolean":
        fill = center
    return Encoder(column, center, scale, fill, bool(missing.any()), periods=periods)


def _median(values: np.ndarray) -> float:
    """The median of finite numbers; NumPy's own takes ten times as long on a short column."""
    low, high = (len(values) - 1) // 2, len(values) // 2
    parted = np.partition(values, [low, high])
    return float((parted[low] + parted[high]) / 2)


def _fit_texts(cells: Levels, column: Column, rows: np.ndarray) -> Encoder:
    codes = cells.codes[rows]
    themes = learn_themes(cells.names, codes[codes >= 0])
    marks_missing = bool((codes < 0).any()) or themes is None  # no column is without features
    if themes is None:
        return Encoder(column, marks_missing=marks_missing)
    return Encoder(
        column, marks_missing=marks_missing, words=themes.words, rarity=themes.rarity.tolist(), basis=themes.basis.tolist()
    )  # fmt: skip


def _fit_levels(cells: Levels, column: Column, rows: np.ndarray) -> Encoder:
    codes = cells.codes[rows]
    counts = np.bincount(codes[codes >= 0], minlength=len(cells.names))
    enough = max(3, int(np.ceil(0.001 * len(rows))))
    order = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    kept = sorted(int(k) for k in order if counts[k] >= enough)
    marks_other = counts.sum() > counts[kept].sum()
    return Encoder(
        column,
        levels=[cells.names[k] for k in kept],
        marks_other=bool(marks_other),
        marks_missing=bool((codes < 0).any()),
    )
