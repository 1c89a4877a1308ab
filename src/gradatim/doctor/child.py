"""The child process of ``gradatim doctor SCRIPT``: runs the script under observation and writes down what was seen."""

import json
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from gradatim.doctor.facts import Facts, to_json
from gradatim.doctor.failing import describe_failure
from gradatim.doctor.observing import Enough, Observer
from gradatim.doctor.ranking import diagnose
from gradatim.doctor.spares import Spare
from gradatim.doctor.watching import finish

SAVED_EVERY = 3.0  # seconds between two copies of the facts, at least
MOST_SAVING = 0.02  # of the time of a run, for these copies
INTERRUPTED, FAILED = 130, 1
MOST_IGNORED = 3  # steps that a script may still make after it was told to end
CERTAIN = 0.85  # strength of a broken contract that explains a symptom
CERTAIN_AT = (24, 50, 100, 200, 400, 800, 1600)  # steps after which that is asked


class Session:
    """One run of a script.

    Args:
        order: What the parent asks for: script, arguments, limits, where to write.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self.order = order
        self.observer = Observer(every=order["every"], max_steps=order["max_steps"], max_seconds=order["max_seconds"])  # fmt: skip
        self._saved, self._pause = time.perf_counter(), SAVED_EVERY
        self._ignored = 0
        self.code: int = 0
        self.error: BaseException | None = None
        if order["trials"]:
            self.observer.on_first_backward = Spare(self.observer, order["pipes"]).fork
        self.observer.on_round = self._sometimes

    def run(self) -> int:
        """Run the script and return its exit code."""
        script = self.order["script"]
        sys.argv = [script, *self.order["arguments"]]
        sys.path[0] = str(Path(script).resolve().parent)
        if self.order["max_seconds"]:
            signal.signal(signal.SIGALRM, self._time_is_up)
            signal.setitimer(signal.ITIMER_REAL, self.order["max_seconds"])
        try:
            with self.observer:
                runpy.run_path(script, run_name="__main__")
        except SystemExit as leaving:
            self.code = _exit_code(leaving)
        except Enough:
            self.code = 0
        except KeyboardInterrupt as error:
            self.code, self.observer.stopped = INTERRUPTED, "by Ctrl-C"
            traceback.print_exception(_without_us(error))
        except BaseException as error:
            self.code, self.error = FAILED, error
            traceback.print_exception(_without_us(error))
        finally:
            if self.observer.follower is not None:  # this is a trial
                self.observer.follower.trial.end("finished")
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.save(at_end=True)
        return self.code

    def _time_is_up(self, number: int, frame: FrameType | None) -> None:
        self.observer.stopped = f"after {self.order['max_seconds']:g} s (--max-seconds)"
        raise Enough(self.observer.stopped)

    def _sometimes(self) -> None:
        if self.observer.stopped is not None:
            self._leave_by_force()
        if self.order["stop_early"] and self.observer.round in CERTAIN_AT:
            self._stop_if_certain()
        started = time.perf_counter()
        if started - self._saved > self._pause:
            self.save(at_end=False)
            self._saved = time.perf_counter()
            self._pause = max(SAVED_EVERY, (self._saved - started) / MOST_SAVING)

    def _leave_by_force(self) -> None:
        """A script that catches everything also catches what should end it; it has a few more steps."""
        self._ignored += 1
        if self._ignored >= MOST_IGNORED:
            sys.stdout.flush()
            sys.stderr.flush()
            self.save(at_end=True)
            os._exit(0)

    def _stop_if_certain(self) -> None:
        found = diagnose(self.observer.facts()).findings
        if found and found[0].severity == "error" and found[0].strength >= CERTAIN:
            self.observer.max_steps = self.observer.round
            self.observer.why_stopped = "once the verdict was certain (--stop-early)"

    def save(self, *, at_end: bool) -> None:
        """Write the facts where the parent reads them, whole or not at all."""
        facts = self.observer.facts()
        facts.code = self.code if at_end else None
        if at_end and self.error is not None:
            facts.failure = describe_failure(self.error, self.observer)
        if at_end:
            finish(self.observer, facts)
        write(facts, Path(self.order["facts"]))


def write(facts: Facts, path: Path) -> None:
    """Write beside and rename."""
    beside = path.with_suffix(".new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:  # fmt: skip
        file.write(to_json(facts))
    os.replace(beside, path)


def _exit_code(leaving: SystemExit) -> int:
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code
    print(leaving.code, file=sys.stderr)
    return FAILED


def _without_us(error: BaseException) -> BaseException:
    """The user's own traceback: frames of the doctor and of runpy are left out."""
    trace = error.__traceback__
    own = str(Path(__file__).parent)
    while trace is not None and (trace.tb_frame.f_code.co_filename.startswith((own, "<frozen runpy"))):  # fmt: skip
        trace = trace.tb_next
    return error.with_traceback(trace) if trace is not None else error


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as orders:
        session = Session(json.load(orders))
    ended = session.run()
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(ended)
