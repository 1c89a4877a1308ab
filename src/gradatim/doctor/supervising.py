"""The parent process of ``gradatim doctor SCRIPT``: starts the script, waits, tries repairs, gives the record."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from gradatim.doctor.facts import Facts, Failure, from_json
from gradatim.doctor.findings import Diagnosis, Trial
from gradatim.doctor.pipes import receive, send
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.record import make_record
from gradatim.doctor.trials import probe_model, trace_nan, try_repairs
from gradatim.errors import InvalidValue, Unavailable, require
from gradatim.versions import versions

PATIENCE = 10.0  # seconds that a script has after Ctrl-C, or when its time is up
INTERRUPTED, TERMINATED = 130, 143


@dataclass
class Examined:
    """A script that was run: what was seen, the verdict, the record.

    Attributes:
        facts: What was seen.
        diagnosis: The verdict.
        record: As it is written to ``--json``.
        exit_code: The script's own.
    """

    facts: Facts
    diagnosis: Diagnosis
    record: dict[str, Any]
    exit_code: int


def run_script(
    script: str | Path,
    arguments: list[str] | None = None,
    *,
    every: int = 20,
    max_steps: int | None = None,
    max_seconds: float | None = None,
    trials: float = 20.0,
    stop_early: bool = False,
    tell: Callable[[dict[str, Any]], None] | None = None,
) -> Examined:
    """Run a script under observation and say why it does not learn.

    Args:
        script: A Python file, run as if by ``python``.
        arguments: Its own.
        every: After the first 16 steps every so many-th is looked at.
        max_steps: Ends it after so many steps.
        max_seconds: Ends it after so long.
        trials: Seconds for repairs; 0 for none.
        stop_early: Ends it once a broken contract is certain.
        tell: Is given the record so far, every few seconds and at the end.
    """
    check_script(script)
    require(every >= 1, "doctor: every must be at least 1", every, "Try 20.")
    require(max_steps is None or max_steps >= 1, "doctor: max_steps must be at least 1", max_steps)
    require(max_seconds is None or max_seconds > 0, "doctor: max_seconds must be above 0", max_seconds)  # fmt: skip
    require(trials >= 0, "doctor: trials must be at least 0", trials, "Try 20, or 0 for none.")
    with tempfile.TemporaryDirectory(prefix="gradatim-doctor-") as folder, Pipes() as pipes:
        order = {
            "script": str(script), "arguments": list(arguments or []), "every": every, "max_steps": max_steps,
            "max_seconds": max_seconds, "trials": trials, "stop_early": stop_early, "facts": str(Path(folder) / "facts.json"), "pipes": pipes.theirs,
        }  # fmt: skip
        place = Path(folder) / "order.json"
        place.write_text(json.dumps(order), encoding="utf-8")
        words = [sys.executable, "-m", "gradatim.doctor.child", str(place)]
        process = subprocess.Popen(words, pass_fds=pipes.theirs)
        pipes.close_theirs()
        ending = Ending(process, max_seconds)
        code = ending.wait(lambda: _so_far(order, tell))
        facts = read_facts(order, code, ending.why)
        tried = try_all(facts, pipes, trials)
    diagnosis = diagnose(facts, tried)
    record = make_record(facts, diagnosis)
    if tell is not None:
        tell(record)
    return Examined(facts, diagnosis, record, facts.code or 0)


def check_script(script: str | Path) -> None:
    """Say in one sentence why a file cannot be run, if so."""
    path = Path(script)
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise InvalidValue(f"doctor: script must be a Python file, got '{path}', which is {what}.")
    if path.suffix == ".ipynb":
        raise InvalidValue(f"doctor: script must be a Python file, got '{path}', which is a notebook. Put the loop into: with gradatim.doctor.watch() as seen.")  # fmt: skip
    try:
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise InvalidValue(f"doctor: script must be Python, got '{path}': line {error.lineno or 1}: {error.msg}.") from None  # fmt: skip
    except ValueError as error:
        raise InvalidValue(f"doctor: script must be Python, got '{path}': {error}.") from None
    except OSError as error:
        raise Unavailable(f"doctor: '{path}' cannot be read: {error.strerror}.") from None


class Pipes:
    """Two pipes: orders to the spare process, answers from it."""

    def __enter__(self) -> "Pipes":
        there, self.orders = os.pipe()
        self.answers, back = os.pipe()
        self.theirs = [there, back]
        self.spare: int | None = None
        return self

    def close_theirs(self) -> None:
        for descriptor in self.theirs:
            os.close(descriptor)

    def __exit__(self, *reason: object) -> None:
        os.close(self.orders)  # the spare reads the end and leaves
        os.close(self.answers)

    def ask(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """Send an order and wait for what comes of it."""
        seconds = float(order["seconds"]) + 5.0
        if self.spare is None:
            ready = receive(self.answers, 2.0)
            if ready is None:
                return None
            self.spare = int(ready["ready"])
        try:
            send(self.orders, order)
        except OSError:
            return None
        answer: dict[str, Any] = {"losses": [], "ended": "died"}
        while (message := receive(self.answers, seconds)) is not None:
            if "over" in message:
                return answer
            answer = message
        return None


class Ending:
    """Waits for the script, and sees to it that it ends when it must.

    Args:
        process: That runs it.
        max_seconds: How long it may take.

    Attributes:
        why: Why it was ended from outside, in the record's words.
    """

    def __init__(self, process: subprocess.Popen[bytes], max_seconds: float | None) -> None:
        self.process, self.max_seconds = process, max_seconds
        self.why: str | None = None
        self._asked = 0.0
        self._started = time.perf_counter()

    def wait(self, tell: Callable[[], None]) -> int:
        """Return its exit code; Ctrl-C reaches it too, and it has a few seconds to end."""
        with self._heeding_termination():
            while True:
                try:
                    return self.process.wait(2.0)
                except subprocess.TimeoutExpired:
                    self._look(tell)
                except KeyboardInterrupt:
                    if self._asked:
                        self.process.kill()
                    self._asked = self._asked or time.perf_counter()

    def _look(self, tell: Callable[[], None]) -> None:
        now = time.perf_counter()
        if self._asked and now - self._asked > PATIENCE:
            self.why = self.why or "by Ctrl-C"
            self.process.kill()
        elif self._asked:
            self.process.send_signal(signal.SIGINT)
        elif self.max_seconds is not None and now - self._started > self.max_seconds + PATIENCE:
            self.why = f"after {self.max_seconds:g} s (--max-seconds), by force"
            self.process.kill()
        else:
            tell()

    @contextmanager
    def _heeding_termination(self) -> Iterator[None]:
        """SIGTERM, such as a batch system's, asks the script to end; the record is written all the same."""

        def ask(number: int, frame: FrameType | None) -> None:
            self.why, self._asked = "by SIGTERM", time.perf_counter()
            self.process.send_signal(signal.SIGINT)

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGTERM, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)


def _so_far(order: dict[str, Any], tell: Callable[[dict[str, Any]], None] | None) -> None:
    path = Path(order["facts"])
    if tell is not None and path.exists():
        facts = from_json(path.read_text(encoding="utf-8"))
        facts.script, facts.arguments = order["script"], order["arguments"]
        tell(make_record(facts, diagnose(facts)))


def read_facts(order: dict[str, Any], code: int, why: str | None = None) -> Facts:
    """What the child wrote down, and how it ended.

    Args:
        order: That it was given.
        code: Of its exit.
        why: It was ended from outside.
    """
    path = Path(order["facts"])
    facts = from_json(path.read_text(encoding="utf-8")) if path.exists() else Facts()
    facts.script, facts.arguments = order["script"], order["arguments"]
    facts.code, facts.versions = code, versions()
    if why is not None:
        facts.stopped = why
        facts.code = TERMINATED if why == "by SIGTERM" else INTERRUPTED if why == "by Ctrl-C" else 0
    elif code < 0:
        name = signal.Signals(-code).name
        facts.stopped = "by Ctrl-C" if name == "SIGINT" else f"by {name}"
        facts.code = INTERRUPTED if name == "SIGINT" else code
        if name == "SIGKILL":
            facts.failure = Failure("MemoryError", "the process was killed (SIGKILL), most likely because memory ran out")  # fmt: skip
        elif name not in {"SIGINT", "SIGTERM"}:
            facts.failure = Failure(name, f"the process died of {name}")
    return facts


def try_all(facts: Facts, pipes: Pipes, seconds: float) -> list[Trial]:
    """Trace a NaN and try repairs, with the spare process at the other end of the pipes."""
    if not seconds or not facts.passes or (facts.stopped or "").startswith("by "):
        return []
    try:
        probe_model(facts, pipes.ask, min(seconds, 10.0))
        trace_nan(facts, pipes.ask, min(seconds, 20.0))
        return try_repairs(facts, pipes.ask, seconds)
    except (KeyboardInterrupt, OSError):
        facts.notes.append("the trials were interrupted")
        return []
