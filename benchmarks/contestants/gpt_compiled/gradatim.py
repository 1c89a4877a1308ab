"""Gradatim's model, compiled in place, and its trainer as it comes."""

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.gpt import gradatim
from benchmarks.contestants.gpt.task import Task

TITLE, REQUIRES, VARIANTS = gradatim.TITLE, gradatim.REQUIRES, gradatim.VARIANTS


def build(task: Task, variant: str) -> Contestant:
    return gradatim.build(task, variant, is_compiled=True)
