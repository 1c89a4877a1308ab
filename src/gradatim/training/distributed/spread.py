"""What a trainer is told of processes and parts."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

import torch.distributed as dist

from gradatim.errors import choose, require, require_whole
from gradatim.training.distributed.failures import outspoken

PARALLEL = ("auto", "none", "ddp", "fsdp")


@dataclass(frozen=True)
class Spread:
    """How a run is spread over processes and parts.

    Args:
        parallel: ``"ddp"`` keeps the whole model in every process, ``"fsdp"`` a shard of it, ``"none"`` lets every process
            train for itself; ``"auto"`` is ``"ddp"`` where there are several.
        accumulate: Parts of a batch, one after the other.
        sync_batch_norm: Whether batch normalization sees the rows of all processes.
        timeout: Seconds to wait for another process.
    """

    parallel: str = "auto"
    accumulate: int = 1
    sync_batch_norm: bool = False
    timeout: float = 600.0

    def __post_init__(self) -> None:
        choose("Trainer", "parallel", self.parallel, PARALLEL)
        require_whole("Trainer", accumulate=self.accumulate)
        require(self.timeout > 0, "Trainer: timeout must be more than 0 seconds", self.timeout)

    @property
    def is_sharded(self) -> bool:
        """Whether every process keeps a shard of the model."""
        return self.parallel == "fsdp" and place_of_process().world_size > 1

    def named(self) -> str:
        """What it is, in the words of the arguments."""
        world_size = self.place().world_size
        kind = "ddp" if self.parallel == "auto" else self.parallel
        processes = [f"parallel={kind!r} in {world_size} processes"] if world_size > 1 else []
        return ", ".join([*processes, *([f"accumulate={self.accumulate}"] * (self.accumulate > 1))])

    def place(self) -> "Place":
        """Which process this is, among those that train together."""
        return Place() if self.parallel == "none" else place_of_process()


class Place(NamedTuple):
    """Which process of a run this one is.

    Args:
        rank: Its number, from 0.
        world_size: How many there are.
        local_rank: Its number on this machine.
        attempt: How often the run was started again.
    """

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    attempt: int = 0


_is_spread = ContextVar("is_spread", default=True)


@contextmanager
def spreading(is_spread: bool) -> Iterator[None]:
    """While inside, training is spread over the processes that were started together, or each trains for itself.

    Args:
        is_spread: Whether it is spread.

    Example:
        >>> with spreading(False):
        ...     place_of_process().world_size
        1
    """
    token = _is_spread.set(is_spread)
    try:
        yield
    finally:
        _is_spread.reset(token)


def place_of_process() -> Place:
    """The place that PyTorch's group, or else the environment that ``torchrun`` makes, gives to this process.

    >>> place_of_process()
    Place(rank=0, world_size=1, local_rank=0, attempt=0)
    """
    if not _is_spread.get():
        return Place()
    local = _number("LOCAL_RANK", 0)
    if dist.is_available() and dist.is_initialized():
        return Place(dist.get_rank(), dist.get_world_size(), local)
    world_size, rank = _number("WORLD_SIZE", 1), _number("RANK", 0)
    rule = "Trainer: RANK must be from 0 to WORLD_SIZE - 1 in the environment"
    with outspoken():
        require(0 <= rank < world_size, rule, f"RANK={rank}, WORLD_SIZE={world_size}", _START)
    return Place(rank, world_size, local, _number("TORCHELASTIC_RESTART_COUNT", 0))


_START = "Start with: torchrun --nproc-per-node 2 train.py."


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, str(default))
    with outspoken():
        rule = f"Trainer: {name} must be a whole number in the environment"
        require(text.strip().isdigit(), rule, repr(text), _START)
    return int(text)
