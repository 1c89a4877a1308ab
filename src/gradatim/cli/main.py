"""The entry point: every way a command can end, as a sentence and an exit code."""

import logging
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import typer

from gradatim.cli.app import app
from gradatim.cli.clock import STARTED, process_seconds
from gradatim.cli.launching import is_heard
from gradatim.cli.usage import is_usage_error, usage_message
from gradatim.errors import GradatimError
from gradatim.wording import visible

INTERRUPTED = 130
BEHIND = 3.0  # seconds by which a process that was started beside another lets that one speak first


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 is success, 1 a failure or a claim that does not hold, 2 a mistake in what was typed, 130 an
    interruption. Messages go to standard error; tracebacks appear only with ``--debug``.

    Args:
        arguments: Words after ``gradatim``; those of the process by default.

    Example:
        >>> main(["--version"])
        gradatim ...
        0
    """
    STARTED.set(time.perf_counter() - (process_seconds() if arguments is None else 0.0))
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    _tolerate_narrow_encodings()
    with _heeding_interrupts() as interrupts, _hearing_warnings(debug=debug):
        try:
            code = _invoke([word for word in words if word != "--debug"])
            sys.stdout.flush()
        except (KeyboardInterrupt, typer.Abort):
            code = INTERRUPTED
        except BrokenPipeError:
            _drop_output()
            code = 1
        except Exception as error:
            if os.environ.get("RANK", "0") != "0":
                time.sleep(BEHIND)
            code = INTERRUPTED if interrupts else _explain(error, debug=debug)
    if interrupts or code == INTERRUPTED:
        if is_heard():
            print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    return code


def _invoke(words: list[str]) -> int:
    command = typer.main.get_command(app)
    code = command.main(words, prog_name="gradatim", standalone_mode=False)
    return code if isinstance(code, int) else 0


@contextmanager
def _hearing_warnings(*, debug: bool) -> Iterator[None]:
    """Keep what other libraries warn of from the terminal, unless all is asked for: what matters, a command says itself.

    No filter is changed: who turns warnings into errors still gets them.
    """
    heard, logged = warnings.showwarning, logging.lastResort
    if not debug:
        warnings.showwarning = lambda *told, **how: None
        logging.lastResort = logging.NullHandler()  # without any, Python says that there is none
    try:
        yield
    finally:
        warnings.showwarning, logging.lastResort = heard, logged


@contextmanager
def _heeding_interrupts() -> Iterator[list[int]]:
    """Note every Ctrl-C: where a library swallows the exception, or turns it into another, the command was interrupted."""
    noted: list[int] = []
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or not _is_main_thread():
        yield noted  # ignored, as under nohup, or somebody else's
        return

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _explain(error: Exception, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if isinstance(error, GradatimError):
        message, code = str(error), error.exit_code
    elif is_usage_error(error):
        message, code = usage_message(error), 2
    else:
        reason = " ".join(str(error).split())
        message = f"gradatim: unexpected {type(error).__name__}: {reason or 'no message'}."
        message, code = message if debug else f"{message} Add --debug for the traceback.", 1
    print(visible(message), file=sys.stderr)
    return code


def _tolerate_narrow_encodings() -> None:
    """Let a terminal that lacks a character show a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Keep the interpreter from complaining at exit that nobody reads any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
