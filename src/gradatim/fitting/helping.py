"""Several processes at one fit: the first decides and writes, the others take folds off its hands.

All run the same command. Whoever begins to judge a model on a fold locks the place where its result will stand, in the work
folder of the first; who comes later waits for the result. A lock dies with its process, so nobody waits for the dead. What a
model does on a fold depends on neither time nor process: the result is that of one process.
"""

import io
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradatim.files import lock, write_atomically
from gradatim.fitting.work import Work, read_job

if TYPE_CHECKING:
    from gradatim.fitting.player import Candidate, Player

POLL = 0.05
COMING = 600.0  # seconds to wait until the first has read the data


class Helped(SystemExit):
    """The end of a process that helped another: nothing is left for it to do."""

    def __init__(self) -> None:
        super().__init__(0)


def is_helper() -> bool:
    """Whether this process helps another one: it is not the first of those that were started together.

    >>> is_helper()
    False
    """
    return os.environ.get("RANK", "0") not in ("", "0") and num_processes() > 1


def num_processes() -> int:
    """How many processes were started together.

    >>> num_processes()
    1
    """
    text = os.environ.get("WORLD_SIZE", "1")
    return int(text) if text.isdigit() else 1


@contextmanager
def claimed(work: Work, key: str) -> Iterator[bool]:
    """Hold the place of a result; ``False`` where another process does.

    Args:
        work: The work folder.
        key: Of the result.
    """
    if num_processes() == 1:
        yield True
        return
    handle = os.open(work.folder / f".{key}.claim", os.O_CREAT | os.O_RDWR)
    try:
        yield lock(handle) is not False
    finally:
        os.close(handle)


def in_turn(work: Work, key: str, compute: Callable[[], Any]) -> Any:
    """What ``compute`` does, unless another process does it: then wait until that is done, or gone.

    Args:
        work: The work folder.
        key: Of the result, which ``compute`` looks for first.
        compute: Returns the result.
    """
    while True:
        with claimed(work, key) as is_ours:
            if is_ours or work.has(key):
                return compute()
        work.cancel.check()
        time.sleep(POLL)


def keep_outputs(work: Work, key: str, player: "Player", candidate: "Candidate", k: int) -> None:
    """Leave what a model said of a fold where the first process finds it.

    Args:
        work: The work folder.
        key: Of the result.
        player: Who knows what was said.
        candidate: The model.
        k: The fold.
    """
    if num_processes() > 1 and player.has_said(candidate, k):
        file = io.BytesIO()
        np.save(file, player.said(candidate, k), allow_pickle=False)
        write_atomically(work.folder / f".{key}.npy", file.getvalue())


def take_outputs(work: Work, key: str, player: "Player", candidate: "Candidate", k: int) -> None:
    """Know what a model said to another process.

    Args:
        work: The work folder.
        key: Of the result.
        player: Who shall know it.
        candidate: The model.
        k: The fold.
    """
    path = work.folder / f".{key}.npy"
    if num_processes() > 1 and not player.has_said(candidate, k) and path.is_file():
        player.keep_said(candidate, k, np.load(path, allow_pickle=False))


def wait_for(folder: Path, identity: dict[str, Any]) -> bool:
    """Wait until the first process has opened the work folder of the same job; whether it did.

    Args:
        folder: The work folder.
        identity: Of the job.
    """
    asked, end = json.loads(json.dumps(identity)), time.monotonic() + COMING
    while time.monotonic() < end and not is_left_alone():
        with suppress(OSError):
            if read_job(folder) == asked:
                return True
        time.sleep(POLL)
    return False


_parent = os.getppid()


def is_left_alone() -> bool:
    """Whether who started this process has ended."""
    return os.getppid() != _parent
