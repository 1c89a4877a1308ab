"""PyTorch by hand, compiled, channels last."""

import torch

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.images.loop import hand_written
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import ALL_THREADS

TITLE = "PyTorch by hand, compiled"
REQUIRES = ("torch",)
VARIANTS = (ALL_THREADS,)


def build(task: Task, variant: str) -> Contestant:
    return hand_written(task, variant, torch.channels_last, torch.compile(task.model()))
