"""Other processes of a search: each is told what is searched and where, and works on its own until all is tried."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch

from gradatim.errors import InvalidValue
from gradatim.evaluation.searching import Search, work
from gradatim.evaluation.study_file import open_study
from gradatim.threads import limit_threads


@contextmanager
def helping(search: Search, place: str, identity: dict[str, Any], count: int) -> Iterator[None]:
    """Let ``count`` more processes work on a search while this one does.

    They are new processes, not forks: threads of PyTorch do not survive a fork. What they need goes to them through
    their standard input. They end when this process leaves; one that ended early is named in a warning, and its choices
    were tried by the others.

    Args:
        search: What is searched.
        place: File or URL of the study.
        identity: What the study must be of.
        count: How many more.
    """
    if not count:
        yield
        return
    job = _packed((search, place, identity, count + 1))
    threads = max(torch.get_num_threads() // (count + 1), 1)
    command = [
        sys.executable,
        "-P",
        "-c",
        f"from {__name__} import help_out; help_out({os.getpid()})",
    ]
    folders = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
    environment = {**os.environ, "PYTHONPATH": folders, "OMP_NUM_THREADS": str(threads)}
    helpers = []
    try:
        for _ in range(count):
            helper = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)  # fmt: skip
            helpers.append(helper)
            # one that is killed must be gone at once, not a zombie that seems to work
            threading.Thread(target=helper.wait, daemon=True).start()
            assert helper.stdin is not None
            with suppress(BrokenPipeError), helper.stdin as pipe:
                pipe.write(job)
        with limit_threads(threads):
            yield
        lost = [code for helper in helpers if (code := helper.poll())]
    finally:
        for helper in helpers:
            helper.terminate()
        for helper in helpers:
            helper.wait()
    if lost:
        told = f"tune: {len(lost)} of {count + 1} processes ended early (exit code {lost[0]}); the others tried its choices."
        warnings.warn(told, stacklevel=4)


def _packed(job: Any) -> bytes:
    """The job; also what lives in a script or a notebook can be sent."""
    from joblib.externals.loky.backend.reduction import dumps

    try:
        return bytes(dumps(job))
    except Exception as error:  # whatever a user's class raises
        reason = " ".join(str(error).split())
        rule = "tune: model, data and score must be such that other processes can have them"
        raise InvalidValue(f"{rule}, got {type(error).__name__}: {reason}. Leave processes out.") from error  # fmt: skip


def help_out(asking: int) -> None:
    """Work on a search that another process describes on the standard input; end when that process does.

    Args:
        asking: The process that asks for help.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # locks are let go
    search, place, identity, processes = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with, args=(asking,), daemon=True).start()
    store = open_study(place, search.metric, identity)
    work(search, store, processes=processes, is_kept=True)


def _end_with(process: int) -> None:
    while os.getppid() == process:
        time.sleep(1)
    os._exit(1)
