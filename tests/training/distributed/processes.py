"""Processes that a test forks from itself: half the cost of starting them."""

import os
import pickle
import sys
import tempfile
import time
import traceback
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist

LIMIT = 60.0  # seconds after which a test that hangs is killed


def in_group(function, world_size, *, timeout=30.0, check=True):
    """Call ``function(rank)`` in so many processes that form a group; return the results, or the errors, by rank."""
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.flush()
        children = [fork(lambda r=rank: joined(function, r, world_size, folder, timeout), Path(folder, str(rank))) for rank in range(world_size)]  # fmt: skip
        end = time.monotonic() + LIMIT
        waiting = set(children)
        while waiting and time.monotonic() < end:
            waiting = {pid for pid in waiting if os.waitpid(pid, os.WNOHANG)[0] == 0}
            time.sleep(0.002)
        for pid in waiting:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        assert not waiting, "processes hang"
        found = [read(Path(folder, str(rank))) for rank in range(world_size)]
    if check:
        for rank, (_, error, trace) in enumerate(found):
            assert error is None, f"rank {rank}: {trace}"
    return [result if error is None else error for result, error, _ in found]


def read(path):
    return pickle.loads(path.read_bytes()) if path.exists() else (None, "killed", "")


def fork(function, answer):
    pid = os.fork()
    if pid:
        return pid
    result, error, trace = None, None, ""
    try:
        result = function()
    except BaseException as raised:
        error, trace = raised, traceback.format_exc()
    if error is not None:  # whose class may be made there
        kinds = [kind.__name__ for kind in type(error).__mro__]
        error = Said(str(error), kinds, getattr(error, "code", None))
    answer.write_bytes(pickle.dumps((result, error, trace)))
    sys.stderr.flush()
    os._exit(0)


class Said(Exception):
    """An error of another process.

    Args:
        message: What it says.
        kinds: Names of its class and of those above.
        code: With which the process would end.
    """

    def __init__(self, message, kinds, code):
        super().__init__(message, kinds, code)
        self.message, self.kinds, self.code = message, kinds, code

    def __str__(self):
        return self.message


def joined(function, rank, world_size, folder, timeout):
    store = dist.FileStore(f"{folder}/store", world_size)
    dist.init_process_group(
        "gloo",
        store=store,
        rank=rank,
        world_size=world_size,
        timeout=timedelta(seconds=timeout),
    )
    try:
        return function(rank)
    finally:
        dist.destroy_process_group()
