"""How much memory a process takes, and took at most."""

import sys
from pathlib import Path

STATUS, RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Let the most memory taken so far be what is taken now, where the system can; where it cannot, it stays."""
    if RESET.exists():
        RESET.write_text("5")


def resident() -> int:
    """Bytes taken now; 0 where nobody counts them."""
    return _read("VmRSS")


def peak() -> int:
    """Bytes taken at most; 0 where nobody counts them."""
    if STATUS.exists():
        return _read("VmHWM")
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def _read(name: str) -> int:
    if not STATUS.exists():
        return 0
    lines = STATUS.read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))
