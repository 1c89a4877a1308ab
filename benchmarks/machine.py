"""The machine: its name, its threads, and how fast it can multiply matrices."""

import os
import platform
import time
from pathlib import Path

import torch

SIZES = (512, 1024, 2048)
SECONDS = 0.3


def cpu_name() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def matmul_peak(seconds: float = SECONDS) -> float:
    """Return the most float32 operations per second in a square matrix product with all threads.

    Args:
        seconds: Time to spend on each size; the fastest product counts.
    """
    return max(_matmul_rate(size, seconds) for size in SIZES)


def _matmul_rate(size: int, seconds: float) -> float:
    a, b = torch.rand(2, size, size).unbind()
    out = a @ b
    best, end = float("inf"), time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        torch.mm(a, b, out=out)
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def other_load() -> float:
    """Return how many processes wanted a processor during the last minute; 0 where nobody counts them."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def describe_machine(peak: float, load: float) -> dict[str, str | int | float]:
    """Return what a reader must know to judge the times.

    Args:
        peak: Best rate of a matrix product.
        load: Processes that wanted a processor before the run began.
    """
    return {
        "cpu": cpu_name(),
        "threads": torch.get_num_threads(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "matmul_peak_gflops": round(peak / 1e9, 1),
        "load_before": round(load, 1),
    }
