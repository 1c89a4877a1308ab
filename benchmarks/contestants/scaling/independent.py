"""Two loops beside each other that never speak: what the machine can do."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.scaling.loop import hand_written
from benchmarks.contestants.scaling.pair import in_pair
from benchmarks.contestants.scaling.task import Task

TITLE = "two loops, no messages"
REQUIRES = ("torch",)
VARIANTS = ("1 thread each",)


def work(task: Task) -> Contestant:
    """Train half of every batch, alone."""
    return hand_written(task, lambda model: model)


def build(task: Task, variant: str) -> Contestant:
    return in_pair("independent", task, work)
