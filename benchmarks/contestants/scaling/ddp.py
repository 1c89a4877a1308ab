"""A loop by hand around PyTorch's ``DistributedDataParallel``."""

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.scaling.loop import hand_written
from benchmarks.contestants.scaling.pair import in_pair
from benchmarks.contestants.scaling.task import Task

TITLE = "DDP by hand, 2 processes"
REQUIRES = ("torch",)
VARIANTS = ("1 thread each",)


def work(task: Task) -> Contestant:
    """Train by the processes of the environment."""
    dist.init_process_group("gloo")
    return hand_written(task, DistributedDataParallel)


def build(task: Task, variant: str) -> Contestant:
    return in_pair("ddp", task, work)
