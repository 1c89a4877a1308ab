"""PyTorch by hand with images as they come, ``(B, C, H, W)`` in that order."""

import torch

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.images.loop import hand_written
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "PyTorch by hand, channels first"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    return hand_written(task, variant, torch.contiguous_format)
