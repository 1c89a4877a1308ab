"""PyTorch by hand with images and weights channels last."""

import torch

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.images.loop import hand_written
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "PyTorch by hand, channels last"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    return hand_written(task, variant, torch.channels_last)
