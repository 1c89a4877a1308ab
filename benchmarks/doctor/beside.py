"""A program alone and under observation, each in a fork of this process: its output, and the CPU time that it took."""

import os
import runpy
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from gradatim.doctor.child import Session


class Run(NamedTuple):
    """What a run wrote, its exit code, and its CPU seconds."""

    output: bytes
    code: int
    seconds: float


def alone(path: Path) -> Run:
    """Run a program as ``python`` would."""
    return _forked(path, lambda folder: _plain(path))


def observed(path: Path, *, every: int = 20) -> Run:
    """Run a program under observation, without trials."""

    def run(folder: Path) -> int:
        order = {
            "script": str(path), "arguments": [], "every": every, "max_steps": None, "max_seconds": None,
            "trials": 0.0, "stop_early": False, "facts": str(folder / "facts.json"), "pipes": [],
        }  # fmt: skip
        return Session(order).run()

    return _forked(path, run)


def _plain(path: Path) -> int:
    sys.argv = [str(path)]
    sys.path[0] = str(path.resolve().parent)
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as leaving:
        return int(leaving.code or 0) if isinstance(leaving.code, int | None) else 1
    except BaseException:
        return 1
    return 0


def _forked(path: Path, run: Callable[[Path], int]) -> Run:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            _quietly(folder)
            os._exit(_flushed(run(folder)))
        _, status, usage = os.wait4(process, 0)
        output = (folder / "output").read_bytes()
    return Run(output, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)


def _quietly(folder: Path) -> None:
    """Standard output goes to a file, all random numbers start alike."""
    sink = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor, target in ((0, nowhere), (1, sink), (2, nowhere)):
        os.dup2(target, descriptor)
    (folder / "work").mkdir()
    os.chdir(folder / "work")
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002 - what the programs draw from
    sys.modules["__main__"].__dict__.pop("__file__", None)


def _flushed(code: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    return code
