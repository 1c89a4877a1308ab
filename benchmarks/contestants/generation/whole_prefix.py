"""The same model without a cache: every token computes the whole prefix again."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.generation import gradatim
from benchmarks.contestants.generation.task import Task
from benchmarks.contestants.threads import ALL_THREADS

TITLE = "Gradatim, the whole prefix again"
REQUIRES = gradatim.REQUIRES
VARIANTS = (ALL_THREADS,)


def build(task: Task, variant: str) -> Contestant:
    return gradatim.build(task, variant, use_cache=False)
