"""Rows of a Parquet file, which are read group by group."""

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

        first, last = np.searchsorted(self._ends, [start, stop - 1], side="right")
        before = int(self._ends[first - 1]) if first else 0
        groups = list(range(int(first), int(last) + 1))
        kept, place = [], before
        try:
            with self._open(self._metadata) as file:
                for batch in file.iter_batches(batch_size=1 << 16, row_groups=groups, use_threads=False):  # fmt: skip
                    low, high = max(start - place, 0), min(stop - place, len(batch))
                    if low < high:
                        kept.append(batch.slice(low, high - low))
                    place += len(batch)
                    if place >= stop:
                        break
                table = pyarrow.Table.from_batches(kept)
                return table.to_pandas(use_threads=False)
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise InvalidValue(f"{self.path}: is damaged ({reason}).") from error
