"""Batches from files that are larger than memory."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import torch

from gradatim.data.streaming.files import AllRows, Paths
from gradatim.data.streaming.order import Window, order_in, windows
from gradatim.errors import InvalidValue, choose, require_seed, require_whole

Encode = Callable[[pd.DataFrame], Any]


class RowStream:
    """Batches of rows of files, for :class:`~gradatim.training.Trainer`; made by :func:`stream`.

    Args:
        rows: The files.
        target: Column that is predicted; ``None`` for none.
        encode: Makes a batch of rows; numbers by default.
        batch_size: Rows of a batch.
        window: Rows that are shuffled together.
        seed: Fixes the order; ``None`` keeps that of the files.
        threads: Threads that read.
        left_out: Numbers of rows that are not to come, in order.

    Attributes:
        names: Columns of the files.
        num_rows: Rows of an epoch.
    """

    def __init__(
        self,
        rows: AllRows,
        *,
        target: str | None = None,
        encode: Encode | None = None,
        batch_size: int = 128,
        window: int = 100_000,
        seed: int | None = 0,
        threads: int = 2,
        left_out: np.ndarray | None = None,
    ) -> None:
        require_whole("stream", batch_size=batch_size, window=window, threads=threads)
        if seed is not None:
            require_seed("stream", seed)
        self.rows, self.names = rows, rows.names
        self.target = None if target is None else choose("stream", "target", target, rows.names)
        self.encode = encode
        self.batch_size, self.window, self.seed, self.threads = batch_size, window, seed, threads
        self.left_out = np.empty(0, np.int64) if left_out is None else np.asarray(left_out)
        self.num_rows = rows.rows - len(self.left_out)
        self._epoch = self._row = 0
        self._begin = 0  # where the next pass begins, in rows of the epoch

    def __len__(self) -> int:
        return -(-self.num_rows // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        self._row, self._begin = self._begin, 0
        kept: list[pd.DataFrame] = []
        size = 0
        with ThreadPoolExecutor(self.threads) as readers:
            for frame in self._windows(readers):
                kept.append(frame)
                size += len(frame)
                if size < self.batch_size:
                    continue
                whole = pd.concat(kept, ignore_index=True) if len(kept) > 1 else kept[0]
                stop = len(whole) - len(whole) % self.batch_size
                yield from self._batches(whole.iloc[:stop])
                kept, size = [whole.iloc[stop:]], len(whole) - stop
            if size:
                yield from self._batches(pd.concat(kept, ignore_index=True))
        self._epoch, self._row = self._epoch + 1, 0

    def _batches(self, rows: pd.DataFrame) -> Iterator[Any]:
        """Cut rows into batches; numbers are made of all at once."""
        parts: Any = self._numbers(rows) if self.encode is None else None
        for start in range(0, len(rows), self.batch_size):
            stop = min(start + self.batch_size, len(rows))
            if self.encode is not None:
                batch = self.encode(rows.iloc[start:stop])
            else:
                batch = parts[start:stop] if isinstance(parts, torch.Tensor) else tuple(p[start:stop] for p in parts)  # fmt: skip
            self._row += stop - start
            yield batch

    def _windows(self, readers: ThreadPoolExecutor) -> Iterator[pd.DataFrame]:
        """Shuffled windows from the place where this pass begins, of which the next is read meanwhile."""
        epoch, skip = self._epoch, self._row
        planned = [(w, self._kept_of(w)) for w in windows(self.rows.rows, self.window, self.seed, epoch)]  # fmt: skip
        due = []
        for window, kept in planned:
            if skip >= kept.sum():
                skip -= int(kept.sum())
                continue
            due.append((window, kept, skip))
            skip = 0
        reading: list[list[Future[pd.DataFrame]]] = []
        for number, (window, kept, before) in enumerate(due):
            while len(reading) <= min(number + 1, len(due) - 1):
                ahead = due[len(reading)][0]
                reading.append([readers.submit(self.rows.read, *piece) for piece in ahead.pieces])
            parts = [part.result() for part in reading[number]]
            reading[number] = []  # nobody holds a window that is done
            frame = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0].reset_index(drop=True)  # fmt: skip
            self._check(frame, window)
            order = order_in(window, self.seed, epoch)
            yield frame.take(order[kept[order]][before:])

    def _kept_of(self, window: Window) -> np.ndarray:
        """Which rows of a window come, in the order in which they are read."""
        parts = []
        for start, stop in window.pieces:
            mask = np.ones(stop - start, bool)
            low, high = np.searchsorted(self.left_out, [start, stop])
            mask[self.left_out[low:high] - start] = False
            parts.append(mask)
        return np.concatenate(parts)

    def _check(self, frame: pd.DataFrame, window: Window) -> None:
        if len(frame) != window.rows:
            raise InvalidValue(
                f"stream: files must stay as they are, but {window.rows:,} rows were there and {len(frame):,} are. Start anew."
            )

    def _numbers(self, rows: pd.DataFrame) -> Any:
        """Inputs in single precision, and the target: whole numbers as classes, others as they are."""
        inputs = rows.drop(columns=self.target) if self.target else rows
        X = torch.from_numpy(np.stack([_as_numbers(inputs[name]) for name in inputs], axis=1))
        if self.target is None:
            return X
        column = rows[self.target]
        if column.dtype.kind in "iub":
            return X, torch.tensor(column.to_numpy(np.int64))
        return X, torch.tensor(_as_numbers(column))

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass that of an epoch; a place inside of another is left."""
        if epoch != self._epoch:
            self._epoch, self._begin, self._row = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """The place: two numbers."""
        return {"epoch": self._epoch, "row": self._row}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Let the next pass go on at a place; what came before is not read."""
        self._epoch, self._begin = int(state["epoch"]), int(state["row"])
        self._row = self._begin

    def fingerprint(self) -> str:
        """What decides over rows and order, as a short hash: names and sizes of files, seed, window and batch size."""
        files = [(file.path.name, file.rows, file.path.stat().st_size) for file in self.rows.files]
        told = repr(
            (files, self.target, self.batch_size, self.window, self.seed, len(self.left_out))
        )
        return f"{zlib.crc32(told.encode()):08x}"


def _as_numbers(column: "pd.Series[Any]") -> np.ndarray:
    if column.dtype.kind not in "fiub":
        found = column.dropna()
        example = repr(found.iloc[0]) if len(found) else "nothing"
        raise InvalidValue(
            f"stream: column {column.name!r} must hold numbers, got {example}. Give encode=, a function of a frame of rows."
        )
    return column.to_numpy(np.float32)


def stream(
    source: Paths,
    target: str | None = None,
    *,
    encode: Encode | None = None,
    batch_size: int = 128,
    window: int = 100_000,
    seed: int | None = 0,
    threads: int = 2,
) -> RowStream:
    """Stream batches from Parquet, CSV, JSON lines or text larger than memory.

    The order depends on seed and epoch alone, whatever the number of processes, files or threads; every row comes once per
    epoch. Rows are shuffled in windows, which hold pieces of neighbouring rows from eight places, and read ahead. The place,
    ``state_dict()``, is two numbers; :class:`~gradatim.training.Checkpoint` keeps it, and a resumed run goes on at the very row.

    Args:
        source: A path, a pattern such as ``"big/*.parquet"``, or several; files in the order of their names, with equal columns.
        target: Column to predict: batches are ``(inputs, target)``; without, inputs alone.
        encode: Makes a batch of a data frame of rows, such as tensors of tokens of its column ``text``; by default all columns
            must hold numbers.
        batch_size: Rows of a batch.
        window: Rows that are shuffled together, of which two are in memory; larger ones mix better.
        seed: Fixes the order; ``None`` keeps that of the files.
        threads: Threads that read.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pd.DataFrame({"x": range(10), "y": range(10)}).to_csv(f"{folder}/a.csv", index=False)
        ...     batches = stream(f"{folder}/*.csv", target="y", batch_size=4)
        ...     [len(y) for X, y in batches], len(batches), batches.state_dict()
        ([4, 4, 2], 3, {'epoch': 1, 'row': 0})
    """
    return RowStream(
        AllRows(source), target=target, encode=encode, batch_size=batch_size, window=window, seed=seed, threads=threads
    )  # fmt: skip
