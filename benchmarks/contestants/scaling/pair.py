"""A pair of processes: the one that is timed, and its partner, which does the same beside it."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.scaling.task import Task
from benchmarks.contestants.threads import ONE_THREAD, set_torch_threads

Work = Callable[[Task], Contestant]
HOME = "127.0.0.1"


def in_pair(name: str, task: Task, work: Work) -> Contestant:
    """Let a partner do the same work beside this process.

    Args:
        name: The contestant's file, in which the partner finds ``work``.
        task: What to train.
        work: Makes the contestant of one process; the environment tells which of the pair it is.
    """
    with socket.socket() as free:
        free.bind((HOME, 0))
        port = free.getsockname()[1]
    place = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0", "MASTER_ADDR": HOME, "MASTER_PORT": str(port), "TORCHELASTIC_RUN_ID": "pair"}  # fmt: skip
    steps = len(task.X) // task.batch_size
    command = [sys.executable, "-m", __name__, name, task.network, str(steps)]
    partner = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env={**os.environ, **place, "RANK": "1", "LOCAL_RANK": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    os.environ.update(place, RANK="0", LOCAL_RANK="0")
    set_torch_threads(ONE_THREAD)
    own = work(task)

    def train(epochs: int, tick: Tick) -> None:
        assert partner.stdin is not None
        print(epochs, file=partner.stdin, flush=True)
        own.train(epochs, tick)

    return Contestant(train, own.check)


def main() -> None:
    """Be the partner: train as many epochs as every line of stdin says."""
    from benchmarks.contestants.scaling.task import make_task

    name, network, steps = sys.argv[1:]
    set_torch_threads(ONE_THREAD)
    module = import_module(f"benchmarks.contestants.scaling.{name}")
    own = module.work(make_task(network, int(steps)))
    for line in sys.stdin:
        own.train(int(line), lambda: None)


if __name__ == "__main__":
    main()
