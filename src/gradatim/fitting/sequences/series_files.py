"""Files of labelled series that users bring: ``.ts`` and UCR's ``.tsv``."""

from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.series_files import decode_series, read_ts, read_ucr
from gradatim.data.tables.times import read_times
from gradatim.files import or_unavailable
from gradatim.fitting.sequences.arrays import from_arrays
from gradatim.fitting.sequences.raw import RawSeries

TIME = "time"  # what times of a file are called


def read_series_file(path: Path, *, owner: str = "fit") -> RawSeries:
    """Read a ``.ts`` or a UCR ``.tsv`` file.

    Args:
        path: The file.
        owner: Who asks, for messages.
    """
    with or_unavailable(f"{path}: cannot be read"):
        content = path.read_bytes()
    read = read_ts if path.suffix.lower() == ".ts" else read_ucr
    series, labels, times = read(decode_series(content, str(path), owner), str(path), owner)
    raw = from_arrays(series, owner=owner)
    if times is not None:
        add_times(raw, [time for own in times for time in own], owner)
    raw.name = path.name.split(".")[0] or "series"
    if labels is not None:
        raw.target = pd.Series(labels, name=raw.target_name, dtype=object)
    return raw


def add_times(raw: RawSeries, times: list[str], owner: str) -> None:
    """Put the steps of series in the order of their times.

    Args:
        raw: The series; their steps gain times.
        times: Of all steps, as a file writes them.
        owner: Who asks, for messages.
    """
    stamps, raw.is_date = read_times(pd.DataFrame({TIME: pd.Series(times, dtype="str")}), TIME, owner=owner)  # fmt: skip
    order = np.lexsort((stamps, np.repeat(np.arange(len(raw)), raw.lengths)))
    raw.steps, raw.stamps = raw.steps.iloc[order].reset_index(drop=True), stamps[order]
    raw.time = TIME
