"""The most memory that this process has used."""

import sys


def peak_memory_bytes() -> int | None:
    """The most memory that this process has held since it began; ``None`` where the system does not tell.

    Example:
        >>> found = peak_memory_bytes()
        >>> found is None or found > 1_000_000
        True
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
