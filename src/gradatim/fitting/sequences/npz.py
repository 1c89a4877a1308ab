"""Series in a NumPy archive; nothing in it is ever unpickled."""

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue, require
from gradatim.fitting.sequences.arrays import from_arrays
from gradatim.fitting.sequences.raw import RawSeries

MOST_BYTES = 2**32  # that an archive may hold, unpacked
STEPS, TARGET, LENGTHS, NAMES, CHANNELS = "X", "y", "lengths", "names", "channels"


def read_npz(
    path: Path, target: str | None = None, group: str | None = None, *, owner: str = "fit"
) -> RawSeries:
    """Read series from the arrays ``X`` (and ``lengths``), ``y``, ``names`` and ``channels``.

    Args:
        path: The file.
        target: Array of targets; ``y`` by default, which may be absent where nothing is learned.
        group: Array of groups, one for each series.
        owner: Who asks, for messages.
    """
    arrays = _arrays(path, owner)
    if STEPS not in arrays:
        raise InvalidValue(f"{owner}: {path} must hold an array 'X' of series, got {', '.join(arrays) or 'nothing'}.")  # fmt: skip
    X = arrays[STEPS]
    require(X.dtype.kind in "biuf", f"{owner}: 'X' in {path} must hold numbers", X.dtype)
    series: object = X
    if LENGTHS in arrays:
        series = _cut(X, arrays[LENGTHS], path, owner)
    channels = [str(name) for name in np.ravel(arrays.get(CHANNELS, []))]
    raw = from_arrays(series, owner=owner, channels=channels)
    raw.name = path.name.split(".")[0] or "series"
    if NAMES in arrays:
        raw.names = [str(name) for name in _each(arrays, NAMES, len(raw), path, owner)]
    name = target or TARGET
    if name in arrays:
        raw.target = pd.Series(_each(arrays, name, len(raw), path, owner), name=name)
        raw.target_name = name
    elif target is not None:
        raise InvalidValue(f"{owner}: target must be an array of {path} ({', '.join(arrays)}), got {target!r}.")  # fmt: skip
    if group is not None:
        require(group in arrays, f"{owner}: group must be an array of {path} ({', '.join(arrays)})", repr(group))  # fmt: skip
        raw.groups = pd.Series(_each(arrays, group, len(raw), path, owner), name=group)
    return raw


def _arrays(path: Path, owner: str) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        require(size <= MOST_BYTES, f"{owner}: {path} must hold at most {MOST_BYTES:,} bytes", f"{size:,}")  # fmt: skip
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except InvalidValue:
        raise
    except ValueError as error:
        if "pickle" in str(error):
            raise InvalidValue(f"{owner}: {path} must hold plain arrays, got Python objects, which are not read. Save X end to end with the array 'lengths'.") from None  # fmt: skip
        raise InvalidValue(f"{owner}: {path} is damaged ({error}).") from error
    except (zipfile.BadZipFile, EOFError, OSError, MemoryError, KeyError) as error:
        raise InvalidValue(f"{owner}: {path} must be an archive of NumPy arrays, and cannot be read ({error}).") from error  # fmt: skip


def _cut(X: np.ndarray, lengths: np.ndarray, path: Path, owner: str) -> list[np.ndarray]:
    """Series of steps that lie end to end."""
    is_whole = lengths.ndim == 1 and lengths.dtype.kind in "iu" and len(lengths) and lengths.min() >= 1  # fmt: skip
    require(is_whole, f"{owner}: 'lengths' in {path} must be whole numbers from 1", f"{lengths.dtype} of shape {lengths.shape}")  # fmt: skip
    require(X.ndim in (1, 2), f"{owner}: 'X' in {path} must have shape (steps, channels) beside 'lengths'", f"shape {X.shape}")  # fmt: skip
    total = int(lengths.sum())
    require(total == len(X), f"{owner}: 'lengths' in {path} must add up to the {len(X):,} steps of 'X'", f"{total:,}")  # fmt: skip
    return np.split(X, np.cumsum(lengths)[:-1])


def _each(arrays: dict[str, np.ndarray], name: str, count: int, path: Path, owner: str) -> list[object]:  # fmt: skip
    values = arrays[name]
    require(values.shape in ((count,), (count, 1)), f"{owner}: {name!r} in {path} must have an entry for each of {count:,} series", f"shape {values.shape}")  # fmt: skip
    return list(values.ravel().tolist())
