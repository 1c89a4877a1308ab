"""What K trainings get, brought to one form: a pool of rows, and the rows of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.losses import Loss
from gradatim.training.batches import as_tensor, prepare_target
from gradatim.training.row_weights import check_weights

Rows = Sequence[int] | np.ndarray | Tensor
OWNER = "train_replicas"


@dataclass(frozen=True)
class ReplicaData:
    """Rows of one pool that belong to each of K replicas.

    Args:
        X: Inputs, shape ``(N, ...)``.
        y: Targets, shape ``(N, ...)``.
        rows: For every replica, indices into the pool.
        weight: Of every row of the pool; ``None`` where all weigh the same.
    """

    X: Tensor
    y: Tensor
    rows: list[Tensor]
    weight: Tensor | None = None

    def pair(self, k: int) -> tuple[Tensor, Tensor]:
        """Inputs and targets of one replica."""
        return self.X[self.rows[k]], self.y[self.rows[k]]

    def weight_of(self, k: int) -> Tensor | None:
        """Weights of the rows of one replica."""
        return None if self.weight is None else self.weight[self.rows[k]]


def is_pair(data: object) -> bool:
    """Whether ``data`` is one pair ``(X, y)`` and not a sequence of pairs."""
    return (
        isinstance(data, tuple | list) and len(data) == 2 and not isinstance(data[0], tuple | list)
    )


def gather_data(
    name: str,
    data: object,
    rows: Sequence[Rows] | None,
    replicas: int,
    *,
    loss: Loss,
    dtype: torch.dtype,
    weight: object = None,
) -> ReplicaData:
    """Turn a shared pair with index sets, or K pairs, into :class:`ReplicaData`.

    Args:
        name: Argument to name in messages.
        data: A pair ``(X, y)`` that all replicas share, or K pairs.
        rows: K index sets into a shared pair; all rows for everybody if ``None``.
        replicas: K.
        loss: Decides the type of the targets.
        dtype: Floating point type of the networks.
        weight: Of every row of a shared pair, or K times of every row of a pair.
    """
    pairs = [data] if is_pair(data) else data
    if not isinstance(pairs, Sequence) or not all(is_pair(pair) for pair in pairs):
        raise InvalidType(
            f"{OWNER}: {name} must be a pair (X, y) or a sequence of {replicas} pairs, "
            f"got {type(data).__name__}."
        )
    inputs, targets = [], []
    for X, y in pairs:
        inputs.append(as_tensor(X, dtype, "X"))
        targets.append(prepare_target(as_tensor(y, dtype, "y"), loss, dtype))
        rule = f"{OWNER}: X and y of {name} must have the same number of rows, at least one"
        got = f"{len(inputs[-1])} and {len(targets[-1])}"
        require(len(inputs[-1]) == len(targets[-1]) and len(targets[-1]), rule, got)
    index = _indices(name, rows, [len(y) for y in targets], replicas, is_shared=is_pair(data))
    pool = ReplicaData(torch.cat(inputs), torch.cat(targets), index)
    if weight is None:
        return pool
    parts: Any = [weight] if is_pair(data) else weight
    is_each = isinstance(parts, Sequence) and len(parts) == len(pairs)
    rule = f"{OWNER}: sample_weight must come once for each of {len(pairs)} pairs"
    require(is_each, rule, type(weight).__name__)
    own = [check_weights(OWNER, "sample_weight", part, len(y)) for part, y in zip(parts, targets, strict=True)]  # fmt: skip
    return replace(pool, weight=torch.from_numpy(np.concatenate(own)).to(dtype))


def _indices(
    name: str, rows: Sequence[Rows] | None, lengths: list[int], replicas: int, *, is_shared: bool
) -> list[Tensor]:
    if not is_shared:
        if rows is not None:
            raise InvalidValue(
                f"{OWNER}: rows must be index sets into one shared pair, got them with a sequence of pairs. "
                f"Pass {name}=(X, y), or leave the rows out."
            )
        return list(torch.arange(sum(lengths)).split(lengths))
    if rows is None:
        return [torch.arange(lengths[0])] * replicas
    index = [torch.as_tensor(own) for own in rows]
    for k, own in enumerate(index):
        if own.dtype == torch.bool:
            index[k] = own = own.nonzero().flatten()
        rule = f"{OWNER}: rows must name rows 0 to {lengths[0] - 1} of {name}, at least one each"
        got = f"{len(own)} rows for replica {k}"
        require(len(own) and int(own.min()) >= 0 and int(own.max()) < lengths[0], rule, got)
    return [own.long() for own in index]
