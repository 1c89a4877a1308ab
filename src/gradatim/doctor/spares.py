"""A spare process: forked at the first backward pass, it sleeps until it is asked to go on with a repair."""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from gradatim.doctor.pipes import receive, send

if TYPE_CHECKING:
    from gradatim.doctor.observing import Observer

LEAST_FREE = 1.5  # times the memory of the process that must be free
LONGEST = 120.0  # seconds after which a trial ends itself


class Spare:
    """Forks at the first backward pass and, in the copy, forks again for each order.

    Args:
        observer: Of the run.
        pipes: Where orders come in and answers go out.
    """

    def __init__(self, observer: "Observer", pipes: list[int]) -> None:
        self.observer, (self.orders, self.answers) = observer, pipes
        self.reason = ""

    def fork(self) -> None:
        """Fork, unless that is unsafe here; the copy returns only inside a trial."""
        self.observer.on_first_backward = None
        self.reason = why_not()
        if self.reason:
            self.observer.safely.notes.append(f"no repair was tried: {self.reason}")
            return
        sys.stdout.flush()
        sys.stderr.flush()
        from gradatim.doctor import (
            trying,  # what a trial needs is in memory before the copy is made
        )

        if os.fork() == 0:
            self._serve(trying.begin)

    def _serve(self, begin: Callable[..., None]) -> None:
        """Wait for orders; a copy of this copy carries each out."""
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
        torch.set_num_threads(1)
        send(self.answers, {"ready": os.getpid()})
        while (order := receive(self.orders)) is not None:
            child = os.fork()
            if child == 0:
                try:
                    begin(self.observer, order, self.answers)
                except Exception:
                    os._exit(1)  # it must not go on as if it were the user's run
                return
            status = wait(child, float(order.get("seconds", LONGEST)) + 2.0)
            if status is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            send(self.answers, {"over": True})
        os._exit(0)


def wait(child: int, seconds: float) -> int | None:
    """Wait for a process to end, but not for longer."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.005)
    return None


def why_not() -> str:
    """Why no copy of this process can go on by itself; empty if it can."""
    if not hasattr(os, "fork"):
        return "this system cannot fork"
    if torch.cuda.is_initialized():
        return "an accelerator is in use"
    if multiprocessing.active_children():
        return "worker processes are alive"
    free, own = _memory()
    if free and free < LEAST_FREE * own:
        return "memory is short"
    return ""


def _memory() -> tuple[int, int]:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            free = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
        with open("/proc/self/statm", encoding="ascii") as file:
            own = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    except (OSError, StopIteration, ValueError):
        return 0, 0
    return free, own
