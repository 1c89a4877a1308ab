"""Gradatim's trainer in one process of one thread, on the whole batches of the pair."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.scaling.gradatim import work
from benchmarks.contestants.scaling.task import Task

TITLE = "Gradatim, 1 process"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("1 thread",)


def build(task: Task, variant: str) -> Contestant:
    return work(task)
