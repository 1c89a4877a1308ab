"""Gradatim's model, compiled in place or not, whichever is faster, and its trainer as it comes."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.gpt import gradatim
from benchmarks.contestants.gpt.task import Task

TITLE, REQUIRES = gradatim.TITLE, gradatim.REQUIRES
VARIANTS = ("compiled", *gradatim.VARIANTS)


def build(task: Task, variant: str) -> Contestant:
    return gradatim.build(task, variant, is_compiled=variant == "compiled")
