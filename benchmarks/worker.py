"""One contestant in a process of its own, which waits for requests and answers them, a JSON line each.

Keras backends and thread settings cannot disturb the others this way, and yet repeats are interleaved: a
process that waits computes nothing. What libraries print goes to stderr, so that stdout carries answers only.
"""

import gc
import json
import os
import sys
import time
from itertools import pairwise
from typing import Any, TextIO

from benchmarks.contestants.contestant import Contestant, find_contestant
from benchmarks.jobs import all_jobs


def time_epochs(contestant: Contestant, epochs: int) -> list[float]:
    """Train one epoch more than asked for and return the seconds of all but the first."""
    moments: list[float] = []
    gc.collect()
    contestant.train(epochs + 1, lambda: moments.append(time.perf_counter()))
    return [after - before for before, after in pairwise(moments)]


def serve(job_name: str, name: str, quick: bool, requests: TextIO, answers: TextIO) -> None:
    """Answer ``{"variant", "epochs"}`` with the seconds of each epoch, and ``{"check"}`` with the figure."""
    job = all_jobs()[job_name]
    task, module = job.load(quick), find_contestant(job.family, name)
    built = {variant: module.build(task, variant) for variant in module.VARIANTS}

    def answer(message: dict[str, Any]) -> None:
        print(json.dumps(message), file=answers, flush=True)

    answer({"source": task.source, "flops": task.flops})
    for line in requests:
        request = json.loads(line)
        if "check" in request:
            answer({"check": built[request["check"]].check()})
        else:
            contestant = built[request["variant"]]
            answer({"seconds": time_epochs(contestant, request["epochs"])})


def main() -> None:
    """Serve the contestant and the job named on the command line until stdin ends."""
    job_name, name, size = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(job_name, name, size == "quick", sys.stdin, answers)


if __name__ == "__main__":
    main()
