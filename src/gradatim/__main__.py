"""``python -m gradatim`` is the command line."""

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress

INTERRUPTED = 130


def run() -> int:
    """Run the command line and return its exit code; Ctrl-C ends it with 130 from the first moment to the last."""
    try:
        from gradatim.cli import main

        code = main()
    except KeyboardInterrupt:  # while libraries are loaded
        print("Interrupted.", file=sys.stderr)
        code = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said and written
    if code == INTERRUPTED:
        _leave(code)
    gc.freeze()  # the end does not look for cycles in what libraries hold, which takes a second
    return code


def _leave(code: int) -> None:
    """End the process, as Python would, but with ``code``.

    Where Ctrl-C struck within ``exec``, which makes classes in many libraries, Python would end by the signal instead,
    although the exception was caught.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(run())
