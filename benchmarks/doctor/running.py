"""Run a program under the doctor in a fork of this process, so that libraries are loaded once for hundreds of runs."""

import contextlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from gradatim.doctor.child import Session
from gradatim.doctor.findings import Diagnosis
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.supervising import Pipes, read_facts, try_all

LONGEST = 240.0


def examine_program(
    path: Path, *, trials: float = 12.0, every: int = 20
) -> tuple[Diagnosis, Any, float]:
    """Run one program; return the diagnosis, the facts and the seconds it took.

    Args:
        path: The program.
        trials: Seconds for repairs.
        every: As on the command line.
    """
    with tempfile.TemporaryDirectory() as folder, Pipes() as pipes:
        order = {
            "script": str(path), "arguments": [], "every": every, "max_steps": None, "max_seconds": None,
            "trials": trials, "stop_early": False, "facts": str(Path(folder) / "facts.json"), "pipes": pipes.theirs,
        }  # fmt: skip
        sys.stdout.flush()
        started = time.perf_counter()
        process = os.fork()
        if process == 0:
            _silent(Path(folder))
            for descriptor in (pipes.orders, pipes.answers):
                os.close(descriptor)
            code = Session(order).run()
            os._exit(code)
        pipes.close_theirs()
        code = _wait(process, started)
        facts = read_facts(order, code)
        found = try_all(facts, pipes, trials)
    return diagnose(facts, found), facts, time.perf_counter() - started


def _silent(folder: Path) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.chdir(folder)
    sys.modules["__main__"].__dict__.pop("__file__", None)


def _wait(process: int, started: float) -> int:
    while True:
        pid, status = os.waitpid(process, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.perf_counter() - started > LONGEST:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)
