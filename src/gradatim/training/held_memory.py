"""Memory that one step frees and the next one needs again.

The C library of Linux gives large freed blocks back to the system, which hands them out anew, page by page and
wiped. A training step frees what it took for activations and gradients, hundreds of megabytes with images or long
texts, and the next takes them again at once: tens of thousands of page faults, a few per cent of its time.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of the options in malloc.h
_LARGEST_MMAP_THRESHOLD = 1 << 25  # bytes; the library accepts no more
_NEVER = 2**31 - 1


@cache
def _library() -> ctypes.CDLL | None:
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    has_options = hasattr(library, "mallopt") and hasattr(library, "malloc_trim")
    return library if has_options else None


@contextmanager
def holding_memory() -> Iterator[None]:
    """Keep freed memory in this process while inside, and give it back at the end.

    Afterwards the library's thresholds are those that it reaches by itself once large blocks were freed.

    Example:
        >>> with holding_memory():
        ...     block = bytearray(1 << 24)
    """
    library = _library()
    if library is None:
        yield
        return
    library.mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD)
    library.mallopt(_TRIM_THRESHOLD, _NEVER)
    try:
        yield
    finally:
        library.mallopt(_TRIM_THRESHOLD, 2 * _LARGEST_MMAP_THRESHOLD)
        library.malloc_trim(0)
