"""Where batches come from: tensors in memory, permuted and sliced, or any stream of batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.losses import Loss, bce, cross_entropy
from gradatim.losses.named import is_named

Batch = Any  # anything with rows and a device move: `rows_of` and `move` say how
NOT_PLAIN = "Trainer: batches that weigh their rows must come with a loss alone"
CHUNK_BYTES = 4 << 20  # one gather serves many batches, and what it brings still fits the cache


class WeightedBatch(tuple[Tensor, ...]):
    """Inputs and target of a batch, whose rows weigh; a stream may bring such batches.

    Attributes:
        weight: Of every row, shape ``(B,)``; 1 on average over all batches.
    """

    weight: Tensor

    @classmethod
    def of(cls, parts: Iterable[Tensor], weight: Tensor) -> "WeightedBatch":
        """Make one of its parts.

        >>> WeightedBatch.of([torch.zeros(2), torch.ones(2)], torch.tensor([0.5, 1.5])).weight
        tensor([0.5000, 1.5000])
        """
        batch = cls(parts)
        batch.weight = weight
        return batch


def weight_of(batch: Batch) -> Tensor | None:
    """The weights of a batch's rows, if they weigh.

    >>> weight_of((torch.zeros(2), torch.zeros(2)))
    """
    return batch.weight if isinstance(batch, WeightedBatch) else None


class Batches(Protocol):
    """A source of batches that knows how to start epoch ``epoch`` at batch ``skip``."""

    steps: int | None

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[Batch]: ...

    def whole(self) -> Iterator[Batch]:
        """Yield everything once, in order, in pieces as large as is good for evaluation."""

    def count(self, batch: Batch) -> int:
        """Return the rows of a batch, by which its figures are weighted in the means of an epoch."""


def as_tensor(values: object, dtype: torch.dtype, name: str) -> Tensor:
    """View ``values`` as a tensor, floating point numbers in ``dtype``; copies only when it must."""
    if isinstance(values, Tensor):
        tensor = values.detach()
    else:
        array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise InvalidType(
                f"Trainer: {name} must be numeric, got dtype {array.dtype}. Encode text and objects as numbers first."
            )
        tensor = torch.from_numpy(array if array.flags.writeable else array.copy())
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def float_type(model: nn.Module) -> torch.dtype:
    """Type in which a model reads numbers: that of its first floating point parameter.

    >>> float_type(nn.Linear(1, 1).double())
    torch.float64
    """
    floats = (p.dtype for p in model.parameters() if p.is_floating_point())
    return next(floats, torch.get_default_dtype())


def prepare_target(target: Tensor, loss: Loss | None, dtype: torch.dtype) -> Tensor:
    """Give a target the type its loss needs: class indices for cross-entropy, ``dtype`` for the others."""
    if loss is None:  # what the target means, only the objective knows
        return target if target.is_floating_point() else target.long()
    if loss is bce and target.numel():
        low, high = (float(value) for value in target.aminmax())
        rule = "Trainer: target of bce must be from 0 to 1"
        require(0 <= low <= high <= 1, rule, f"{low:g} to {high:g}", "Map the labels to 0 and 1.")
    if loss is not cross_entropy:
        return target.to(dtype) if is_named(loss) else target
    if target.is_floating_point() and target.ndim > 1:
        check_probabilities(target)
        return target
    classes = target.long()
    if target.is_floating_point() and not torch.equal(classes.to(target.dtype), target):
        raise InvalidValue(
            "Trainer: target of cross_entropy must be class indices 0, 1, …, got fractions. "
            "Try loss='mse' for regression."
        )
    return classes


def check_probabilities(target: Tensor) -> None:
    """Raise unless every row of a target is a distribution over at least two classes.

    >>> check_probabilities(torch.tensor([[0.5], [2.0]]))
    Traceback (most recent call last):
    ...
    gradatim.errors.InvalidValue: Trainer: target of cross_entropy must be class indices (N,) or class probabilities \
(N, K), got numbers of shape (2, 1) that are neither. Try loss='mse' for regression, or y[:, 0] for class indices.
    """
    is_valid = target.shape[1] > 1
    if is_valid and target.numel():
        sums = target.sum(1)
        is_valid = bool(target.min() >= 0) and bool(((sums - 1).abs() <= 1e-2).all())
    rule = (
        "Trainer: target of cross_entropy must be class indices (N,) or class probabilities (N, K)"
    )
    got = f"numbers of shape {tuple(target.shape)} that are neither"
    require(is_valid, rule, got, "Try loss='mse' for regression, or y[:, 0] for class indices.")


def epoch_order(rows: int, seed: int, epoch: int, chances: Tensor | None = None) -> Tensor:
    """Return the permutation of ``rows`` rows that ``seed`` gives to an epoch, or rows drawn in proportion to ``chances``."""
    generator = torch.Generator().manual_seed((seed * 1_000_003 + epoch) % 2**63)
    if chances is None:
        return torch.randperm(rows, generator=generator)
    places = torch.rand(rows, generator=generator, dtype=torch.float64)
    ends = chances.double().cpu().cumsum(0)
    return torch.searchsorted(ends, places * ends[-1], right=True).clamp_(max=rows - 1)


class InMemory:
    """Tensors of equal length; every epoch is a fresh permutation that depends on ``seed`` and the epoch only.

    Args:
        tensors: Inputs first, target last.
        batch_size: Rows per batch; the last batch of an epoch may be smaller.
        seed: Fixes the permutations; ``None`` keeps the given order.
        device: Where batches are delivered.
        drop_single: Leave out a last batch of one row, which batch normalization cannot use.
        weight: Of every row; scaled to 1 on average.
        is_sampled: Draw the rows of an epoch in proportion to their weights, with replacement, where they would weigh.
    """

    def __init__(
        self,
        tensors: tuple[Tensor, ...],
        batch_size: int,
        *,
        seed: int | None,
        device: torch.device,
        drop_single: bool = False,
        weight: Tensor | None = None,
        is_sampled: bool = False,
    ) -> None:
        self.tensors, self.batch_size, self.seed, self.device = tensors, batch_size, seed, device
        self.chances = weight if is_sampled else None
        self.weight = None if weight is None or is_sampled else weight / weight.mean()
        self.parts = tensors if self.weight is None else (*tensors, self.weight)
        rows = len(tensors[0])
        self.rows = rows - 1 if drop_single and rows > 1 and rows % batch_size == 1 else rows
        self.steps: int | None = -(-self.rows // batch_size)
        row_bytes = sum(t[0].numel() * t.element_size() for t in tensors)
        self.chunk = max(CHUNK_BYTES // max(row_bytes, 1) // batch_size, 1) * batch_size

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[tuple[Tensor, ...]]:
        order = None
        if self.seed is not None:
            order = epoch_order(len(self.tensors[0]), self.seed, epoch, self.chances)
        for start in range(skip * self.batch_size, self.rows, self.chunk):
            stop = min(start + self.chunk, self.rows)
            if order is None:
                chunk = (t[start:stop].to(self.device) for t in self.parts)
                yield from self._batches(t.split(self.batch_size) for t in chunk)
            else:
                yield from self.deliver(order[start:stop], self.batch_size)

    def deliver(self, rows: Tensor, sizes: int | list[int]) -> Iterator[tuple[Tensor, ...]]:
        """Yield batches of these rows, gathered at once.

        Args:
            rows: Numbers of rows.
            sizes: Rows of every batch.
        """
        # two to four times as fast as t[rows]
        chunk = [t.index_select(0, rows.to(t.device)).to(self.device) for t in self.parts]
        return self._batches(t.split(sizes) for t in chunk)

    def whole(self) -> Iterator[tuple[Tensor, ...]]:
        for piece in self._batches(t.split(self.chunk) for t in self.parts):
            parts = tuple(part.to(self.device) for part in piece)
            weight = weight_of(piece)
            yield parts if weight is None else WeightedBatch.of(parts, weight.to(self.device))

    def _batches(self, pieces: Iterable[tuple[Tensor, ...]]) -> Iterator[tuple[Tensor, ...]]:
        batches = zip(*pieces, strict=True)
        if self.weight is None:
            return batches
        return (WeightedBatch.of(batch[:-1], batch[-1]) for batch in batches)

    def count(self, batch: Batch) -> int:
        return len(batch[0])  # all tensors were found to have equally many


class Stream:
    """Any iterable of batches, re-iterated every epoch; it may be larger than memory.

    A source with ``state_dict`` and ``load_state_dict`` keeps its place itself, as PyTorch's stateful loaders do:
    iterated after ``load_state_dict``, it goes on with the batch after those that were seen. ``set_epoch``, where
    there is one, is called before every iteration, and after ``load_state_dict``.
    """

    def __init__(self, source: Iterable[Batch], convert: Callable[[Batch], Batch]) -> None:
        self.source, self.convert = source, convert
        self.is_restored = False
        try:
            self.steps: int | None = len(source)  # type: ignore[arg-type]
        except TypeError:
            self.steps = None

    def epoch(self, epoch: int, skip: int = 0) -> Iterator[Batch]:
        if hasattr(self.source, "set_epoch"):
            self.source.set_epoch(epoch)
        batches = iter(self.source)
        for _ in range(0 if self.is_restored else skip):
            next(batches, None)
        self.is_restored = False
        return map(self.convert, batches)

    def whole(self) -> Iterator[Batch]:
        return map(self.convert, self.source)

    def count(self, batch: Batch) -> int:
        return rows_of(batch)

    @property
    def has_state(self) -> bool:
        return hasattr(self.source, "state_dict") and hasattr(self.source, "load_state_dict")

    def state_dict(self) -> dict[str, Any] | None:
        return self.source.state_dict() if self.has_state else None  # type: ignore[attr-defined]

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.source.load_state_dict(state)  # type: ignore[attr-defined]
        self.is_restored = True


def move(batch: Batch, device: torch.device, dtype: torch.dtype) -> Batch:
    """Bring a batch to ``device``: arrays, floating point in ``dtype``, what holds them, and objects with ``to``.

    >>> move({"x": torch.zeros(2), "name": "a"}, torch.device("cpu"), torch.float64)
    {'x': tensor([0., 0.], dtype=torch.float64), 'name': 'a'}
    """
    if isinstance(batch, Tensor | np.ndarray):
        return as_tensor(batch, dtype, "batch").to(device, non_blocking=True)
    if isinstance(batch, Mapping):
        return {key: move(value, device, dtype) for key, value in batch.items()}
    if isinstance(batch, tuple | list):
        moved = _like(batch, [move(value, device, dtype) for value in batch])
        if isinstance(moved, WeightedBatch):
            moved.weight = move(moved.weight, device, dtype)
        return moved
    return batch.to(device) if hasattr(batch, "to") else batch


def _like(batch: Any, parts: list[Any]) -> tuple[Any, ...]:
    """Parts in the place of those of a batch: named as they are, with the weights that its rows have."""
    if isinstance(batch, WeightedBatch):
        return WeightedBatch.of(parts, batch.weight)
    named: tuple[Any, ...] = type(batch)(*parts) if hasattr(batch, "_fields") else tuple(parts)
    return named


def rows_of(batch: Batch) -> int:
    """Count the rows of a batch from a stream.

    An object says so itself, by ``rows`` or its length. The parts of a tuple or mapping must agree; numbers and texts
    among them have no say, and a batch of nothing else counts as one row.

    >>> rows_of((torch.zeros(5, 3), {"y": torch.zeros(5)}, "a name"))
    5
    """
    rows = _rows(batch)
    return 1 if rows is None else rows


def _rows(batch: Batch) -> int | None:
    if isinstance(batch, Tensor):
        return len(batch) if batch.ndim else None
    if batch is None or isinstance(batch, str | bytes | bool | int | float):
        return None
    if hasattr(batch, "rows"):
        return int(batch.rows)
    if isinstance(batch, tuple | list | Mapping):
        parts = batch.values() if isinstance(batch, Mapping) else batch
        counts = {rows for part in parts if (rows := _rows(part)) is not None}
        if len(counts) > 1:
            raise InvalidValue(
                "Trainer: all parts of a batch must have the same number of rows, got "
                f"{', '.join(map(str, sorted(counts)))}. Stream objects that have rows and to(device)."
            )
        return counts.pop() if counts else None
    if hasattr(batch, "__len__"):
        return len(batch)
    raise InvalidType(
        "Trainer: a batch must be tensors, a tuple, a mapping or an object with rows and to(device), "
        f"got {type(batch).__name__}."
    )


def make_batches(
    data: object,
    *,
    batch_size: int,
    seed: int | None,
    device: torch.device,
    dtype: torch.dtype,
    target: Callable[[Tensor], Tensor] = lambda y: y,
    drop_single: bool = False,
    weight: Callable[[Tensor], Tensor | None] = lambda y: None,
    is_sampled: bool = False,
    may_weigh: bool = True,
) -> Batches:
    """Turn what the user has into :class:`Batches`.

    Args:
        data: A tuple of tensors or arrays (inputs, then target), a :class:`torch.utils.data.Dataset`,
            or any iterable of batches.
        batch_size: Rows per batch, where batches are cut here.
        seed: Seed of the shuffling; ``None`` for none.
        device: Where batches go.
        dtype: Floating point type of the model.
        target: Applied to the target once (or per streamed batch), to give it the type the loss needs.
        drop_single: As in :class:`InMemory`.
        weight: Gives the weights of rows from their targets; none by default. Batches of a stream bring theirs.
        is_sampled: As in :class:`InMemory`.
        may_weigh: Whether rows of streamed batches may weigh.
    """
    if isinstance(data, tuple | list) and len(data) >= 2 and all(_is_array(d) for d in data):
        names = [*(f"input {i}" for i in range(1, len(data))), "target"]
        tensors = [as_tensor(d, dtype, n) for d, n in zip(data, names, strict=True)]
        lengths = [len(t) if t.ndim else 0 for t in tensors]
        rule = "Trainer: inputs and target must have the same number of rows, at least one"
        require(len(set(lengths)) <= 1 and lengths[0] != 0, rule, lengths)
        tensors[-1] = target(tensors[-1])
        own = weight(tensors[-1])
        return InMemory(
            tuple(tensors), batch_size, seed=seed, device=device, drop_single=drop_single,
            weight=None if own is None else own.to(dtype), is_sampled=is_sampled,
        )  # fmt: skip

    def convert(batch: Batch) -> Batch:
        moved = move(batch, device, dtype)
        require(may_weigh or weight_of(moved) is None, NOT_PLAIN, "a stream of them", "Weigh rows in the objective.")  # fmt: skip
        if not (isinstance(moved, tuple) and moved and isinstance(moved[-1], Tensor)):
            return moved
        return _like(moved, [*moved[:-1], target(moved[-1])])

    if isinstance(data, Dataset):
        shuffle = seed is not None and not isinstance(data, IterableDataset)
        return Stream(DataLoader(data, batch_size, shuffle=shuffle, drop_last=drop_single), convert)
    if isinstance(data, Iterable) and not isinstance(data, str | bytes | Tensor | np.ndarray):
        return Stream(data, convert)
    raise InvalidType(
        "Trainer: data must be a pair (X, y) of arrays, a torch Dataset or an iterable of batches, "
        f"got {type(data).__name__}. Try trainer.fit((X, y))."
    )


def _is_array(value: object) -> bool:
    return isinstance(value, Tensor | np.ndarray) or hasattr(value, "to_numpy")
