"""nanoGPT's model, compiled with its loss, and its loop."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.gpt import nano_gpt
from benchmarks.contestants.gpt.task import Task

TITLE, REQUIRES, VARIANTS = nano_gpt.TITLE, nano_gpt.REQUIRES, nano_gpt.VARIANTS


def build(task: Task, variant: str) -> Contestant:
    return nano_gpt.build(task, variant, is_compiled=True)
