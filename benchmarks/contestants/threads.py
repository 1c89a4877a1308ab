"""Small nets are often faster with one thread: whoever can choose runs with all threads and with one."""

import os

ALL_THREADS, ONE_THREAD = "all threads", "1 thread"
THREADS = (ALL_THREADS, ONE_THREAD)


def available_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def set_torch_threads(variant: str) -> None:
    """Let PyTorch compute with the threads of ``variant``."""
    import torch

    torch.set_num_threads(1 if variant == ONE_THREAD else available_threads())
