"""The higher order."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.graph_filters.task import HIGH, Task, filtering
from benchmarks.contestants.threads import THREADS

TITLE = f"Gradatim, order {HIGH}"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    return filtering(task, HIGH, variant)
