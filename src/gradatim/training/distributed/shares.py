"""Which rows of every batch of the run a process works on, and how much they count."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue
from gradatim.losses.counting import Counts
from gradatim.training.batches import Batch, InMemory, Stream, WeightedBatch, epoch_order, rows_of
from gradatim.training.distributed.group import ALONE, Group


@dataclass(frozen=True)
class Sharing:
    """How the batches of a run are shared.

    Args:
        group: The processes.
        accumulate: Parts, one after the other, of the share of a process.
    """

    group: Group = ALONE
    accumulate: int = 1

    @property
    def parts(self) -> int:
        """Parts of a batch over all processes."""
        return self.group.world_size * self.accumulate

    @property
    def own(self) -> range:
        """Those of this process."""
        first = self.group.rank * self.accumulate
        return range(first, first + self.accumulate)


@dataclass(frozen=True)
class SharedBatch:
    r"""The share of this process in a batch of the run.

    .. math:: E = \sum_p s_p E_p

    Args:
        parts: Rows, and :math:`s_p`: how much they count among all that the batch counts. A part of nothing that counts is
            one row that counts 0: whoever forwards together must forward equally often.
        rows: Of the whole batch.
    """

    parts: list[tuple[Batch, float]] = field(repr=False)
    rows: int


def borders(rows: int, parts: int) -> list[int]:
    """Where each of so many parts of rows begins, and the last ends; they differ by one row at the most.

    >>> borders(7, 3)
    [0, 2, 4, 7]
    """
    return [rows * part // parts for part in range(parts + 1)]


def weigh(counts: Counts, start: int, stop: int, rows: int) -> float:
    """How much rows ``start`` to ``stop`` count among ``rows``.

    >>> weigh(torch.tensor([3, 1, 0]), 1, 3, 3), weigh("rows", 0, 1, 4), weigh("sum", 0, 1, 4)
    (0.25, 0.25, 1.0)
    """
    if isinstance(counts, Tensor) and (total := counts.sum().item()):
        return counts[start:stop].sum().item() / total
    if counts == "sum":
        return float(stop > start)
    return (stop - start) / max(rows, 1)


def stand_in(counts: Counts) -> int:
    """The row that stands for a part without any: the first that counts.

    >>> stand_in(torch.tensor([0, 0, 5]))
    2
    """
    return int((counts != 0).int().argmax()) if isinstance(counts, Tensor) else 0


class SharedInMemory:
    """The share of this process in every batch of tensors in memory; nothing else of them is touched.

    Args:
        whole: All batches.
        sharing: How they are shared.
        counts: Gives how much every row counts, from all targets.
    """

    def __init__(self, whole: InMemory, sharing: Sharing, counts: Counts) -> None:
        self.everything, self.sharing, self.steps = whole, sharing, whole.steps
        self.tensors, self.counts = whole.tensors, counts
        self.chunk = whole.chunk * sharing.group.world_size  # of which it takes one part

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[SharedBatch]:
        whole = self.everything
        order = torch.arange(len(whole.tensors[0]))
        if whole.seed is not None:
            order = epoch_order(len(order), whole.seed, epoch, whole.chances)
        for start in range(skip * whole.batch_size, whole.rows, self.chunk):
            stop = min(start + self.chunk, whole.rows)
            yield from self._chunk(order[start:stop])

    def _chunk(self, order: Tensor) -> Iterator[SharedBatch]:
        """Gather what this process has in several batches at once: one gather serves many."""
        places: list[Tensor] = []
        plans = []
        for rows in order.split(self.everything.batch_size):
            counts = self.counts
            if isinstance(counts, Tensor):
                counts = counts[rows.to(counts.device)]
            ends, shares = borders(len(rows), self.sharing.parts), []
            for part in self.sharing.own:
                start, stop = ends[part], ends[part + 1]
                share = weigh(counts, start, stop, len(rows))
                if not share:
                    start = stand_in(counts)
                    stop = start + 1
                places.append(rows[start:stop])
                shares.append(share)
            plans.append((shares, len(rows)))
        index = torch.cat(places)
        parts = self.everything.deliver(index, [len(place) for place in places])
        for shares, count in plans:
            yield SharedBatch([(next(parts), share) for share in shares], count)

    def whole(self) -> Iterator[Batch]:
        return self.everything.whole()

    def count(self, batch: Batch) -> int:
        return batch.rows if isinstance(batch, SharedBatch) else self.everything.count(batch)


class SharedStream(Stream):
    """The share of this process in every batch of a stream, which every process reads whole.

    Args:
        whole: The stream.
        sharing: How its batches are shared.
        counts: Gives how much every row of a batch counts.
        together: Entered around whatever draws random numbers for the batches: the same in all processes.
    """

    def __init__(
        self,
        whole: Stream,
        sharing: Sharing,
        counts: Callable[[Batch], Counts],
        together: Callable[[], Any],
    ) -> None:
        super().__init__(whole.source, whole.convert)
        self.sharing, self.counts, self.together = sharing, counts, together

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[SharedBatch]:
        return self._shares(super().epoch(epoch, skip))

    def _shares(self, batches: Iterator[Batch]) -> Iterator[SharedBatch]:
        for batch in self._drawn(batches):
            yield share_batch(batch, self.sharing, self.counts(batch))

    def whole(self) -> Iterator[Batch]:
        with self.together():
            batches = super().whole()
        return self._drawn(batches)

    def _drawn(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        for number in itertools.count():
            with self.together():
                batch = next(batches, None)
            if self._is_over(batch is None, number):
                return
            yield batch

    def _is_over(self, is_over: bool, number: int) -> bool:
        """Whether the stream ends here, as it must for all: the others would wait."""
        group = self.sharing.group
        if group.is_alone:
            return is_over
        ended = torch.zeros(group.world_size)
        ended[group.rank] = float(is_over)
        ranks = group.sum(ended).nonzero().flatten().tolist()
        if 0 < len(ranks) < group.world_size:
            raise InvalidValue(
                f"Trainer: a stream must have the same batches in all processes, but that of rank {', '.join(map(str, ranks))} "
                f"ends after {number} and others go on. Let all read the same files."
            )
        return is_over

    def count(self, batch: Batch) -> int:
        return batch.rows if isinstance(batch, SharedBatch) else rows_of(batch)


def share_batch(batch: Batch, sharing: Sharing, counts: Counts) -> SharedBatch:
    """Take the share of this process in a batch.

    Args:
        batch: Tensors, or what holds them.
        sharing: How it is shared.
        counts: How much its rows count.

    Example:
        >>> share_batch((torch.arange(5), torch.zeros(5)), Sharing(accumulate=2), "rows").parts[0]
        ((tensor([0, 1]), tensor([0., 0.])), 0.4)
    """
    rows, parts = rows_of(batch), []
    ends = borders(rows, sharing.parts)
    for part in sharing.own:
        start, stop = ends[part], ends[part + 1]
        share = weigh(counts, start, stop, rows)
        if not share:
            start = stand_in(counts)
            stop = start + 1
        parts.append((cut(batch, start, stop, rows), share))
    return SharedBatch(parts, rows)


def cut(batch: Batch, start: int, stop: int, rows: int) -> Batch:
    """Cut rows out of a batch: of tensors, what holds them, and objects with ``cut``.

    Args:
        batch: The batch.
        start: First row.
        stop: The row after the last.
        rows: How many the batch has.

    Example:
        >>> cut({"x": torch.arange(4), "name": "a"}, 1, 3, 4)
        {'x': tensor([1, 2]), 'name': 'a'}
    """
    if isinstance(batch, Tensor):
        return batch[start:stop] if batch.ndim and len(batch) == rows else batch
    if isinstance(batch, WeightedBatch):
        parts = [cut(part, start, stop, rows) for part in batch]
        return WeightedBatch.of(parts, batch.weight[start:stop])
    if isinstance(batch, Mapping):
        return {name: cut(part, start, stop, rows) for name, part in batch.items()}
    if isinstance(batch, tuple | list):
        parts = [cut(part, start, stop, rows) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)
    if batch is None or isinstance(batch, str | bytes | bool | int | float):
        return batch
    if hasattr(batch, "cut"):
        return batch.cut(start, stop)
    raise InvalidType(
        "Trainer: a batch that processes share must be tensors, tuples and mappings of them, or objects with "
        f"cut(start, stop), got {type(batch).__name__}. Train with parallel='none' and accumulate=1."
    )
