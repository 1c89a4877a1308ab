"""When the command began: what was spent before its first line counts too."""

import os
import time
from contextvars import ContextVar
from pathlib import Path

STARTED: ContextVar[float] = ContextVar("started")  # on the clock of time.perf_counter


def process_seconds() -> float:
    """Seconds since the process began; 0 where the system does not tell.

    Example:
        >>> process_seconds() >= 0.0
        True
    """
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        born = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # its field 22, since the machine started
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - born, 0.0)
    except (OSError, AttributeError, ValueError, IndexError):
        return 0.0
