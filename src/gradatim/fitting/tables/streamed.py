r"""A table larger than memory: simple models learn from a sample of its rows, the network from as many as time allows.

One pass over rows in random pieces gives mean and standard deviation of every number,

.. math:: \mu = \frac1N\sum_b n_b\mu_b, \qquad \sigma^2 = \frac1N\sum_b \bigl(S_b + n_b(\mu_b-\mu)^2\bigr),

of blocks :math:`b` with :math:`n_b` numbers, their means and sums of squared deviations; a second one trains. Rows of the test
come in neither.

Reference:
    Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample Variances, 1979.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

from gradatim.data.streaming.files import AllRows
from gradatim.data.streaming.row_stream import RowStream
from gradatim.data.tables.columns import Column, clean, read_cells, words
from gradatim.fitting.goals import Goal
from gradatim.fitting.learning import read_target, train_network
from gradatim.fitting.tables.ladders import learn_ladders
from gradatim.fitting.tables.networks import (
    NetworkJob,
    NetworkSettings,
    describe_network,
    inputs_of,
    layers_of,
    loss_of,
)
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.preprocessing import Preprocessing, read_columns
from gradatim.models import MLP
from gradatim.training.batches import WeightedBatch

BLOCK = 8192  # rows that are encoded together
BATCH = 512
MOST = 20  # passes
PROBED = 8  # blocks that tell how long training takes
LOOKING, LEARNING = 0.06, 0.34  # of the budget, for statistics and for training
Moments = dict[str, tuple[float, float]]


class Pass(NamedTuple):
    """How much of the rows was used.

    Args:
        rows: Rows that came, those that came twice counted twice.
        total: Rows that there are to learn from.
    """

    rows: int
    total: int

    def told(self) -> str:
        """In words.

        >>> Pass(500, 2000).told(), Pass(4000, 2000).told()
        ('500 of 2,000 rows (25.0 %)', 'all 2,000 rows, 2.0 times')
        """
        if self.rows < self.total:
            return f"{self.rows:,} of {self.total:,} rows ({100 * self.rows / self.total:.1f} %)"
        times = f", {self.rows / self.total:.1f} times" if self.rows > self.total else ""
        return f"all {self.total:,} rows{times}"


@dataclass
class Streamed:
    """All rows of a table, beside the sample that is in memory.

    Args:
        files: The rows.
        target: Column to predict.
        labels: Classes; empty for regression.
        columns: What a model may use.
        left_out: Numbers of the rows of the test.
        seed: Fixes the order.
        budget: Seconds of the whole run; ``None`` where time plays no part.
    """

    files: AllRows
    target: str
    labels: Sequence[str | int]
    columns: Sequence[Column]
    left_out: np.ndarray
    seed: int
    budget: float | None

    def __post_init__(self) -> None:
        self.notes: list[str] = []

    def rows(self, encode: Callable[[pd.DataFrame], Any]) -> RowStream:
        """A stream of all rows but those of the test, in random pieces."""
        window = 1 << 17
        return RowStream(
            self.files, encode=encode, batch_size=BLOCK, window=window, seed=self.seed, left_out=self.left_out, threads=1
        )  # fmt: skip

    def moments(self) -> Moments:
        """Mean and standard deviation of every column of numbers, over the rows that there is time for."""
        numbers = [c for c in self.columns if c.kind in ("numeric", "date")]
        until = np.inf if self.budget is None else time.monotonic() + LOOKING * self.budget
        sums = {column.name: np.zeros(3) for column in numbers}
        seen = 0
        stream = self.rows(lambda frame: frame)
        if numbers:
            for frame in stream:
                seen += len(frame)
                for column in numbers:
                    cells, _ = read_cells(frame[column.name], column)
                    merge(sums[column.name], np.asarray(cells))
                if time.monotonic() > until:
                    break
            told = Pass(seen, stream.num_rows).told()
            self.notes.append(f"Means and deviations of numbers are those of {told}; the rest of the preprocessing is from the sample.")  # fmt: skip
        return {name: (mean, (spread / count) ** 0.5) for name, (count, mean, spread) in sums.items() if count and spread > 0}  # fmt: skip

    def codes(self, cells: "pd.Series[Any]") -> np.ndarray:
        """Classes as codes, -1 for none of them, or values, NaN for none."""
        if not self.labels:
            return np.asarray(read_cells(cells, Column(self.target, "numeric"))[0])
        found = words(clean(cells))
        place = {str(label): code for code, label in enumerate(self.labels)}
        return np.array([*(place.get(name, -1) for name in found.names), -1])[found.codes]

    def train(
        self, sample: np.ndarray, y: np.ndarray, preprocessing: Preprocessing, settings: NetworkSettings, goal: Goal, seed: int
    ) -> Fitted:  # fmt: skip
        """Train a network on as many rows as there is time for.

        Args:
            sample: Features of the sample, for the ladders.
            y: Their targets, for the scale and the weights of classes.
            preprocessing: From cells to features.
            settings: What to build and how to train it; its members play no part, its steps only where time does not.
            goal: What it is trained for.
            seed: Fixes weights, order and dropout.
        """
        own = replace(settings, members=1)
        classes, job = len(self.labels), NetworkJob(sample, y, own, seed, goal)
        ladders = learn_ladders(sample, own.bins)
        width = inputs_of(sample[:2], ladders).shape[1]
        blocks = Blocks(self.rows(self._encoder(preprocessing, ladders, job)))
        sizes = (width, *own.hidden, classes or 1)
        learning: dict[str, Any] = {
            "loss": loss_of(classes, goal), "lr": own.lr, "weight_decay": own.weight_decay, "seed": seed,
        }  # fmt: skip

        def build() -> MLP:
            return MLP(sizes, activation=own.activation, dropout=own.dropout)

        steps = max(own.steps, len(blocks))
        if self.budget is not None:
            until = time.monotonic() + LEARNING * self.budget
            started = time.perf_counter()
            probe = Blocks(blocks.stream, PROBED * BLOCK // BATCH)
            train_network(build, probe, epochs=1, **learning)
            each = (time.perf_counter() - started) / len(probe)
            steps = max(int((until - time.monotonic()) / each), 1)
        passes, rest = divmod(min(steps, MOST * len(blocks)), len(blocks))
        part = Blocks(blocks.stream, rest) if passes == 0 else blocks
        network, _ = train_network(build, part, epochs=max(passes, 1), **learning)
        taken = max(passes, 1) * min(len(part) * BATCH, blocks.stream.num_rows)
        self.notes.append(f"The network learned from {Pass(taken, blocks.stream.num_rows).told()}.")
        arrays = dict(ladders) | layers_of(network, 0, job)
        return Fitted("chain", classes, arrays, describe_network(job, classes))

    def _encoder(
        self, preprocessing: Preprocessing, ladders: Mapping[str, np.ndarray], job: NetworkJob
    ) -> Callable[[pd.DataFrame], Any]:
        """Makes what the network reads of a frame; rows without a target are left out."""
        classes, target = len(self.labels), read_target(job.y, len(self.labels))
        weights = None
        if job.settings.is_balanced and job.weight is not None:
            means = [job.weight[job.y == code].mean() for code in range(classes)]
            weights = np.array(means, np.float32)

        def encode(frame: pd.DataFrame) -> Any:
            found = self.codes(frame[self.target])
            kept = found >= 0 if classes else np.isfinite(found)
            table, _ = read_columns(frame, self.columns, "fit")
            X = inputs_of(preprocessing.transform(table), ladders)[kept]
            y = found[kept]
            pair = torch.from_numpy(X), torch.from_numpy(np.ascontiguousarray(target.encode(y)))
            return pair if weights is None else WeightedBatch.of(pair, torch.from_numpy(weights[y]))

        return encode


def merge(sums: np.ndarray, cells: np.ndarray) -> None:
    r"""Take a block of numbers into count, mean and sum of squared deviations.

    Args:
        sums: :math:`N, \mu, S`, changed in place.
        cells: Numbers, NaN where one is missing.

    Example:
        >>> sums = np.zeros(3)
        >>> for block in ([1.0, 3.0], [5.0, np.nan]):
        ...     merge(sums, np.array(block))
        >>> sums.tolist()
        [3.0, 3.0, 8.0]
    """
    found = cells[np.isfinite(cells)]
    if not len(found):
        return
    count, mean, spread = sums
    own = float(found.mean())
    total, apart = count + len(found), own - mean
    sums[:] = total, mean + apart * len(found) / total, spread + float(((found - own) ** 2).sum()) + apart**2 * count * len(found) / total  # fmt: skip


class Blocks:
    """Batches cut from blocks that were encoded together.

    Args:
        stream: Gives the blocks.
        most: Batches of a pass; all by default.
    """

    def __init__(self, stream: RowStream, most: int | None = None) -> None:
        whole = -(-stream.num_rows // BATCH)
        self.stream, self.most = stream, whole if most is None else min(most, whole)

    def __len__(self) -> int:
        return self.most

    def __iter__(self) -> Iterator[Any]:
        return islice(self._all(), self.most)

    def _all(self) -> Iterator[Any]:
        for block in self.stream:
            X, y = block
            weight = getattr(block, "weight", None)
            for start in range(0, len(X), BATCH):
                own = slice(start, start + BATCH)
                pair = X[own], y[own]
                yield pair if weight is None else WeightedBatch.of(pair, weight[own])

    def set_epoch(self, epoch: int) -> None:
        """Every pass has an order of its own."""
        self.stream.set_epoch(epoch)
