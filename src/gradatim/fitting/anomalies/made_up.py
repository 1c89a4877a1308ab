"""Anomalies that nobody has seen: made up from held-out normal data, to compare detectors where none are labelled."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gradatim.data.tables.columns import Cells, Levels
from gradatim.fitting.tables.preprocessing import Preprocessing, take_rows

SWAPPED, STRANGE, LABELLED = "swapped cells", "a strange cell", "labelled"
SPIKE, SHIFT, REVERSED, FROZEN, EXCHANGED = "a spike", "a shifted level", "reversed time", "a frozen channel", "an exchanged channel"  # fmt: skip
FAR = (3.0, 6.0)  # deviations by which a cell or a step is strange
SHIFTED = (1.5, 3.0)
NEVER = "\x00"  # a category that no table has


class Judging(NamedTuple):
    """What detectors are judged by.

    Args:
        X: Features of normal rows, then of anomalies.
        normal: How many are normal.
        size: Rows that make up one unit, of which the strangest counts: the steps of an event, or 1.
        kinds: Kind of every unit of anomalies.
        rows: The normal rows.
    """

    X: np.ndarray
    normal: int
    size: int
    kinds: np.ndarray
    rows: np.ndarray


def odd_rows(table: Mapping[str, Cells], preprocessing: Preprocessing, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Make anomalies of rows: half of the cells from another row, or one cell far from all.

    What is swapped looks usual column by column, and is odd only together.

    Args:
        table: Typed cells.
        preprocessing: Learned from other rows; it knows means and deviations.
        rows: Rows to change.
        rng: Source of randomness.

    Returns:
        Features, shape ``(N, F)``, and the kind of each.
    """
    cells = take_rows(table, rows)
    can_swap = len(preprocessing.encoders) > 1 and len(rows) > 1
    strange = [e.column.name for e in preprocessing.encoders if e.column.kind != "boolean"]
    kinds = [SWAPPED] * can_swap + [STRANGE] * (bool(strange) or not can_swap)
    own = np.array([kinds[k % len(kinds)] for k in range(len(rows))])
    donors = (np.arange(len(rows)) + rng.integers(1, max(len(rows), 2), len(rows))) % len(rows)
    names = [e.column.name for e in preprocessing.encoders]
    takes = rng.random((len(rows), len(names))) < 0.5
    takes[np.arange(len(rows)), rng.integers(0, len(names), len(rows))] = True
    kept = rng.integers(0, len(names), len(rows))
    takes[takes.all(1), kept[takes.all(1)]] = False
    takes &= (own == SWAPPED)[:, None]
    chosen = rng.choice(strange or names, len(rows))
    moved = rng.uniform(*FAR, len(rows)) * rng.choice([-1.0, 1.0], len(rows))
    changed = {}
    for k, encoder in enumerate(preprocessing.encoders):
        name = encoder.column.name
        at = (own == STRANGE) & (chosen == name)
        with np.errstate(over="ignore"):  # of huge numbers, infinity is as strange
            far = encoder.center + moved * encoder.scale
        changed[name] = _altered(cells[name], takes[:, k], donors, at, far)
    return preprocessing.transform(changed), own


def _altered(cells: Cells, takes: np.ndarray, donors: np.ndarray, at: np.ndarray, far: np.ndarray) -> Cells:  # fmt: skip
    """A column with some cells from donors, and some far from all."""
    if isinstance(cells, Levels):
        codes = np.where(takes, cells.codes[donors], cells.codes)
        return Levels(np.where(at, len(cells.names), codes), [*cells.names, NEVER])
    return np.where(at, far, np.where(takes, cells[donors], cells))


def tile(rows: np.ndarray, size: int, most: int) -> np.ndarray:
    """Cut runs of consecutive rows into pieces of ``size``, shape ``(pieces, size)``; evenly chosen ones of many.

    Example:
        >>> tile(np.array([3, 4, 5, 6, 7, 20, 21]), 2, 10).tolist()
        [[3, 4], [5, 6], [20, 21]]
    """
    runs = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)
    pieces = [run[: len(run) // size * size].reshape(-1, size) for run in runs]
    whole = np.concatenate(pieces) if pieces else np.zeros((0, size), int)
    if len(whole) > most:
        whole = whole[np.linspace(0, len(whole) - 1, most).astype(int)]
    return whole


def odd_events(pieces: np.ndarray, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Make an event of the last steps of stretches of a series.

    Args:
        pieces: Standardized values, shape ``(N, before + size, channels)``; they are changed in place.
        size: Steps of an event.
        rng: Source of randomness.

    Returns:
        The stretches, and the kind of each event.
    """
    count, length, channels = pieces.shape
    channel = rng.integers(0, channels, size=(count,))
    start = length - size
    kinds = [SPIKE, SHIFT] + [REVERSED, FROZEN] * (size > 2) + [EXCHANGED] * (channels > 1 and count > 1)  # fmt: skip
    own = np.array([kinds[k % len(kinds)] for k in range(count)])
    sign = rng.choice([-1.0, 1.0], count)
    far, shifted = sign * rng.uniform(*FAR, count), sign * rng.uniform(*SHIFTED, count)
    step = start + rng.integers(0, size, count)
    donors = ((np.arange(count) + rng.integers(1, max(count, 2), count)) % count).tolist()
    before = pieces.copy()
    for k, kind in enumerate(own.tolist()):
        c, piece = channel[k], pieces[k]
        if kind == SPIKE:
            piece[step[k], c] += far[k]
        elif kind == SHIFT:
            piece[start:, c] += shifted[k]
        elif kind == REVERSED:
            piece[start:] = piece[start:][::-1].copy()
        elif kind == FROZEN:
            piece[start:, c] = piece[start, c]
        else:
            piece[start:, c] = before[donors[k], start:, c]
    return pieces, own
