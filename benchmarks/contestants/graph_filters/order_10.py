"""The lower order."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.graph_filters.task import LOW, Task, filtering
from benchmarks.contestants.threads import THREADS

TITLE = f"Gradatim, order {LOW}"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    return filtering(task, LOW, variant)
