"""How many threads a computation uses: small tensors are fastest on one, and a busy machine has no second to give.

Threads of a parallel loop wait for the slowest of them. Beside other work that one may wait for its turn on a processor,
milliseconds where the loop takes microseconds, so that two threads can be thirty times slower than one.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import torch
from threadpoolctl import LibController, ThreadpoolController

SMALL = 2**20  # numbers that are faster in one thread, or no slower
FRESH = 5.0  # seconds for which a measurement counts
_PROBE = 200_000  # numbers: some tenths of a millisecond
_REPEATS = 8
_LONG = 0.02  # seconds of a loop that waits
_measured: dict[int, tuple[float, int]] = {}


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Compute with at most ``threads`` threads, then with as many as before.

    Holds for PyTorch and for every OpenMP and BLAS library that is loaded, those of NumPy, SciPy and scikit-learn among
    them. These settings belong to the process: a thread beside this one sees them too. Costs some 15 microseconds.

    Args:
        threads: At most so many; a library that uses fewer keeps its own number.

    Example:
        >>> with limit_threads(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    pools = [(pool, pool.get_num_threads()) for pool in _pools(len(sys.modules))]
    limited = [(pool, own) for pool, own in pools if own is not None and own > threads]
    if before > threads:
        torch.set_num_threads(threads)
    for pool, _ in limited:
        pool.set_num_threads(threads)
    try:
        yield
    finally:
        for pool, own in limited:
            pool.set_num_threads(own)
        if before > threads:
            torch.set_num_threads(before)


@contextmanager
def in_one_thread(numbers: int) -> Iterator[None]:
    """Run a loop of small steps in one thread: a step of some microseconds must not wait for a second one.

    Args:
        numbers: Numbers that the largest of its arrays holds; a loop over many computes with all threads.

    Example:
        >>> with in_one_thread(1000):
        ...     torch.get_num_threads()
        1
    """
    if numbers > SMALL:
        yield
        return
    with limit_threads(1):
        yield


@lru_cache(maxsize=1)
def _pools(modules: int) -> list[LibController]:
    """Thread pools of the libraries that are loaded while so many modules are."""
    return ThreadpoolController().lib_controllers


def safe_threads() -> int:
    """How many threads a parallel loop may use now without waiting for other work on the machine.

    No more than PyTorch uses (``OMP_NUM_THREADS``), than the process may have (affinity, quota of its control group), and
    than gain anything at this moment: a short loop is timed with all of them, then with half as many, down to one. A
    measurement takes milliseconds and counts for some seconds.

    Example:
        >>> 1 <= safe_threads() <= torch.get_num_threads()
        True
    """
    from joblib import cpu_count

    most = min(torch.get_num_threads(), cpu_count())
    then, found = _measured.get(most, (-FRESH, 1))
    if most > 1 and time.monotonic() - then > FRESH:
        found = gainful_threads(most, _time_loop)
        _measured[most] = time.monotonic(), found
    return found


def gainful_threads(most: int, seconds: Callable[[int], list[float]]) -> int:
    """The largest of ``most``, half of it, a quarter of it, … threads that is worth it; one at least.

    Threads are worth it if their mean time, waits included, is below the best time of one thread by a third of what they
    could gain.

    Args:
        most: Threads to begin with.
        seconds: Times a loop, several times over, with so many threads.

    Example:
        >>> gainful_threads(4, lambda threads: {1: [1.0, 1.1], 2: [0.6, 0.6], 4: [0.3, 3.0]}[threads])
        2
    """
    alone = min(seconds(1))
    while most > 1:
        times = seconds(most)
        if sum(times) / len(times) <= alone / (1.0 + (most - 1) / 3.0):
            return most
        most //= 2
    return 1


def _time_loop(threads: int) -> list[float]:
    """Seconds of a parallel loop over and over; a loop that waits is not repeated for long."""
    x, found = torch.ones(_PROBE), []
    with limit_threads(threads):
        torch.tanh(x)  # wakes the threads
        for _ in range(_REPEATS):
            started = time.perf_counter()
            torch.tanh(x)
            found.append(time.perf_counter() - started)
            if sum(found) > _LONG:
                break
    return found
