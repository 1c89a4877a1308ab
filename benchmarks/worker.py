"""One contestant in a process of its own, which waits for requests and answers them, a JSON line each.

Keras backends and thread settings cannot disturb the others this way, and yet repeats are interleaved: a
process that waits computes nothing. What libraries print goes to stderr, so that stdout carries answers only.
"""

import gc
import json
import os
import sys
import time
from importlib import import_module
from itertools import pairwise
from typing import Any, TextIO

from benchmarks import memory
from benchmarks.contestants.contestant import Contestant, find_contestant
from benchmarks.jobs import all_jobs


def time_epochs(contestant: Contestant, epochs: int, *, counts_work: bool = False) -> list[float]:
    """Train one epoch more than asked for and return the seconds of all but the first.

    Args:
        contestant: Who trains.
        epochs: Epochs that are timed.
        counts_work: Whether to count seconds of processors at work instead of those that pass.
    """
    moments: list[float] = []
    clock = time.process_time if counts_work else time.perf_counter
    gc.collect()
    contestant.train(epochs + 1, lambda: moments.append(clock()))
    return [after - before for before, after in pairwise(moments)]


def serve(
    job_name: str, name: str, quick: bool, counts_work: bool, requests: TextIO, answers: TextIO
) -> None:
    """Answer ``{"variant", "epochs"}`` with seconds of epochs, ``{"check"}`` with the figure, ``{"memory"}`` with bytes.

    Memory is the most that was taken since the task was there, less what the libraries alone took.
    """
    job = all_jobs()[job_name]
    module = find_contestant(job.family, name)
    for package in module.REQUIRES:
        import_module(package)
    empty = memory.resident()
    task = job.load(quick)
    built = {variant: module.build(task, variant) for variant in module.VARIANTS}
    memory.forget_peak()

    def answer(message: dict[str, Any]) -> None:
        print(json.dumps(message), file=answers, flush=True)

    answer({"source": task.source, "flops": task.flops})
    for line in requests:
        request = json.loads(line)
        if "check" in request:
            answer({"check": built[request["check"]].check()})
        elif "memory" in request:
            answer({"memory": memory.peak() - empty})
        else:
            contestant, epochs = built[request["variant"]], request["epochs"]
            answer({"seconds": time_epochs(contestant, epochs, counts_work=counts_work)})


def main() -> None:
    """Serve the contestant and the job named on the command line until stdin ends."""
    job_name, name, size, clock = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(job_name, name, size == "quick", clock == "work", sys.stdin, answers)


if __name__ == "__main__":
    main()
