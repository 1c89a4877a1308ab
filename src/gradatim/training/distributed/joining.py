"""Join the processes of a run, and leave them at its end, also after an error."""

import os
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from gradatim.errors import GradatimError, InvalidValue, Unavailable
from gradatim.training.distributed.failures import GRACE, RankFailed, guarding, outspoken, spoken
from gradatim.training.distributed.group import ALONE, Group
from gradatim.training.distributed.signals import Signals
from gradatim.training.distributed.silence import silenced
from gradatim.training.distributed.spread import Place, Spread

_joined = (
    0  # how often this process joined: its notes in a store that outlives a group are those of one
)


@contextmanager
def joined(spread: Spread) -> Iterator[Group]:
    """While inside, belong to the group of processes that the environment names; alone, to none.

    A group that the caller made is used, and left to him.

    Args:
        spread: How the run is spread.
    """
    place = spread.place()
    if place.world_size == 1:
        yield ALONE
        return
    signals = Signals()
    with ExitStack() as stack:
        stack.enter_context(
            signals.heard()
        )  # until the last word: a launcher ends all when one fails
        with outspoken():
            store = _meet(place, spread.timeout)
        group = Group(place.rank, place.world_size, store, spread.timeout, signals)
        group.is_sharded = spread.is_sharded
        stack.enter_context(guarding(group))
        _come(group)
        if not dist.is_initialized():
            _initialize(group)
            stack.callback(_leave)
            stack.enter_context(guarding(group))  # who failed says so before the others miss him
        stack.enter_context(silenced(not group.is_first))
        yield group


@contextmanager
def said_once(spread: Spread) -> Iterator[None]:
    """While inside, where processes have not met yet, a mistake that all make is said by the first that makes it.

    Args:
        spread: How the run is spread.
    """
    try:
        yield
    except GradatimError as error:
        place = spread.place()
        if place.world_size == 1:
            raise
        is_said = False
        with suppress(Exception):  # nobody may hold a store yet
            store, note = (
                _store(place, GRACE, "before"),
                f"said/{zlib.crc32(str(error).encode()):08x}",
            )
            is_said, end = store.add(note, 1) > 1, time.monotonic() + GRACE
            while store.add(note, 0) < place.world_size and time.monotonic() < end:
                time.sleep(0.05)  # who holds the store must not go before the others came
        raise RankFailed(str(error), -1, is_silent=True) if is_said else spoken(error) from None


def _meet(place: Place, timeout: float) -> Any:
    """The store where the processes of this run leave notes: those of another would mislead them."""
    global _joined
    _joined += 1
    return _store(place, timeout, f"run_{_joined}")


def _store(place: Place, timeout: float, name: str) -> Any:
    """The store of this attempt: those that were killed in the one before left their addresses in it."""
    if dist.is_initialized():
        store = dist.distributed_c10d._get_default_store()
        return dist.PrefixStore(f"gradatim/{name}", store)
    host, port = os.environ.get("MASTER_ADDR"), os.environ.get("MASTER_PORT", "")
    if not host or not port.isdigit():
        raise InvalidValue(
            "Trainer: MASTER_ADDR and MASTER_PORT must be in the environment of several processes, got "
            f"{host!r} and {port!r}. Start with: torchrun --nproc-per-node 2 train.py."
        )
    has_agent = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    try:
        store = dist.TCPStore(
            host,
            int(port),
            place.world_size,
            is_master=place.rank == 0 and not has_agent,
            timeout=timedelta(seconds=timeout),
            wait_for_workers=False,
        )
    except (RuntimeError, dist.DistError, OSError, ValueError) as error:
        raise Unavailable(
            f"Trainer: process 0 must be reachable at {host}:{port}, but process {place.rank} does not reach it within "
            f"{timeout:g} seconds. Check MASTER_ADDR, MASTER_PORT and the network."
        ) from error
    return dist.PrefixStore(f"gradatim/attempt_{place.attempt}/{name}", store)


def _come(group: Group) -> None:
    """Wait until all are there; name those who are not."""
    group.store.set(f"here/{group.rank}", "yes")
    keys = [f"here/{rank}" for rank in range(group.world_size)]
    try:
        group.store.wait(keys, timedelta(seconds=group.timeout))
    except (RuntimeError, dist.DistError) as error:
        missing = [str(rank) for rank, key in enumerate(keys) if not group.store.check([key])]
        raise _NeverCame(
            f"Trainer: all {group.world_size} processes must come within {group.timeout:g} seconds (timeout), but rank "
            f"{', '.join(missing)} did not. Look at what it says, or give a longer timeout."
        ) from error


class _NeverCame(GradatimError):
    exit_code = 1


def _initialize(group: Group) -> None:
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(
        backend,
        store=dist.PrefixStore("torch", group.store),
        rank=group.rank,
        world_size=group.world_size,
        timeout=timedelta(seconds=group.timeout),
    )


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()
