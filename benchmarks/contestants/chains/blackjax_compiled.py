"""BlackJAX from the second call on: the program is compiled already."""

from benchmarks.contestants.chains.blackjax import repeat
from benchmarks.contestants.chains.task import Task
from benchmarks.contestants.contestant import Contestant

TITLE = "BlackJAX, compiled before"
REQUIRES = ("blackjax", "jax")
VARIANTS = ("all threads",)


def build(task: Task, variant: str) -> Contestant:
    return repeat(task)
