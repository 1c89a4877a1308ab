"""Rows of a Parquet file, which are read group by group."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue, Unavailable


class ParquetRows:
    """A Parquet file.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        file = self._open()
        self._metadata = file.metadata
        groups = [
            self._metadata.row_group(k).num_rows for k in range(self._metadata.num_row_groups)
        ]
        self._ends = np.cumsum(groups, dtype=np.int64)
        self.rows = int(self._metadata.num_rows)
        self.names = [str(name) for name in file.schema_arrow.names]
        file.close()

    def _open(self, metadata: Any = None) -> Any:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise Unavailable(
                f"{self.path}: Parquet files need the package pyarrow. Try: pip install 'gradatim[parquet]'."
            ) from None
        try:
            return pyarrow.parquet.ParquetFile(self.path, metadata=metadata)
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InvalidValue(f"{self.path}: is damaged or not a Parquet file ({reason}).") from error  # fmt: skip

    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop``."""
        import pyarrow

        kept = [batch.slice(low, high - low) for batch, low, high in self._batches(start, stop)]
        return pyarrow.Table.from_batches(kept).to_pandas(use_threads=False)

    def take(self, rows: np.ndarray) -> pd.DataFrame:
        """Single rows, whose numbers are in order."""
        import pyarrow

        kept, place = [], 0
        for batch, _, _ in self._batches(0, self.rows):
            low, high = np.searchsorted(rows, [place, place + len(batch)])
            kept.append(batch.take(pyarrow.array(rows[low:high] - place)))
            place += len(batch)
        return pyarrow.Table.from_batches(kept).to_pandas(use_threads=False)

    def _batches(self, start: int, stop: int) -> Iterator[tuple[Any, int, int]]:
        """Batches in which rows ``start`` to ``stop`` stand, and from where to where."""
        import pyarrow

        first, last = np.searchsorted(self._ends, [start, stop - 1], side="right")
        before = int(self._ends[first - 1]) if first else 0
        groups = list(range(int(first), int(last) + 1))
        place = before
        try:
            with self._open(self._metadata) as file:
                for batch in file.iter_batches(batch_size=1 << 16, row_groups=groups, use_threads=False):  # fmt: skip
                    low, high = max(start - place, 0), min(stop - place, len(batch))
                    place += len(batch)
                    if low < high:
                        yield batch, low, high
                    if place >= stop:
                        return
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InvalidValue(f"{self.path}: is damaged ({reason}).") from error
