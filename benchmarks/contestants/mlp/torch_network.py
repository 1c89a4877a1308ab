"""What the contestants on plain PyTorch share."""

from itertools import pairwise
from typing import Protocol

import torch
from torch import nn

from benchmarks.contestants.mlp.task import Task


class Sized(Protocol):
    """A task with the widths of its network, from input to output."""

    @property
    def sizes(self) -> tuple[int, ...]: ...


def dense_network(task: Sized) -> nn.Sequential:
    """Build the network of the task."""
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(task.sizes):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@torch.inference_mode()
def training_accuracy(task: Task, network: nn.Module) -> float:
    """Return the accuracy of ``network`` on the data it was trained with."""
    return task.accuracy(network(torch.from_numpy(task.X)).numpy())
