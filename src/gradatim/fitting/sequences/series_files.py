"""Files of labelled series that users bring: ``.ts`` and UCR's ``.tsv``."""

from pathlib import Path

import pandas as pd

from gradatim.data.series_files import decode_series, read_ts, read_ucr
from gradatim.files import or_unavailable
from gradatim.fitting.sequences.arrays import from_arrays
from gradatim.fitting.sequences.raw import RawSeries


def read_series_file(path: Path, *, owner: str = "fit") -> RawSeries:
    """Read a ``.ts`` or a UCR ``.tsv`` file.

    Args:
        path: The file.
        owner: Who asks, for messages.
    """
    with or_unavailable(f"{path}: cannot be read"):
        content = path.read_bytes()
    read = read_ts if path.suffix.lower() == ".ts" else read_ucr
    series, labels = read(decode_series(content, str(path), owner), str(path), owner)
    raw = from_arrays(series, owner=owner)
    raw.name = path.name.split(".")[0] or "series"
    if labels is not None:
        raw.target = pd.Series(labels, name=raw.target_name, dtype=object)
    return raw
