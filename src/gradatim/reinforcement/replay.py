"""A memory of steps, from which batches are drawn."""

from typing import NamedTuple

import torch
from torch import Tensor


class Step(NamedTuple):
    """Steps, a row for each.

    Args:
        seen: What was seen before, shape ``(N, D)``.
        action: What was done, shape ``(N,)``.
        reward: What it paid, shape ``(N,)``.
        terminated: Whether the task was over, shape ``(N,)``.
        final: What was seen after, shape ``(N, D)``.
    """

    seen: Tensor
    action: Tensor
    reward: Tensor
    terminated: Tensor
    final: Tensor


class Replay:
    """The last ``capacity`` steps, drawn from evenly, so that batches are not steps in a row.

    Args:
        capacity: Steps that are kept.

    Example:
        >>> memory, one = Replay(3), torch.ones(2)
        >>> for k in range(2):
        ...     memory.add(Step(one[:, None] * k, one, one, one, one[:, None]))
        >>> len(memory)
        3

    Reference:
        Lin, Self-Improving Reactive Agents Based on Reinforcement Learning, Planning and Teaching, 1992.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.place, self.count = capacity, 0, 0
        self.columns: Step | None = None

    def __len__(self) -> int:
        return min(self.count, self.capacity)

    def add(self, step: Step) -> None:
        """Keep steps, in the place of the oldest."""
        if self.columns is None:
            self.columns = Step(*(part.new_zeros(self.capacity, *part.shape[1:]) for part in step))
        rows = (self.place + torch.arange(len(step.reward))) % self.capacity
        for column, part in zip(self.columns, step, strict=True):
            column[rows] = part
        self.place = (self.place + len(rows)) % self.capacity
        self.count += len(rows)

    def draw(self, count: int, generator: torch.Generator) -> Step:
        """Draw steps, with replacement."""
        assert self.columns is not None
        rows = torch.randint(len(self), (count,), generator=generator)
        return Step(*(column[rows] for column in self.columns))
