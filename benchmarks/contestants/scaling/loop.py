"""What an expert writes by hand, for a process that takes half of every batch."""

import os
from collections.abc import Callable

import torch
from torch import nn

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.scaling.task import Task


def hand_written(task: Task, wrap: Callable[[nn.Module], nn.Module]) -> Contestant:
    """Tensors in memory, one permutation per epoch, half of every batch, fused AdamW.

    Args:
        task: What to train.
        wrap: Connects the network to that of the other process, or leaves it alone.
    """
    rank = int(os.environ["RANK"])
    model = task.model()
    if task.network == "resnet20":
        model = model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    forward = wrap(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=task.lr, fused=True)
    last, epoch = [torch.tensor(torch.nan)], [0]

    def train(epochs: int, tick: Tick) -> None:
        torch.set_num_threads(1)
        model.train()
        for _ in range(epochs):
            order = torch.randperm(len(task.X), generator=torch.Generator().manual_seed(epoch[0]))
            for rows in order.split(task.batch_size):
                own = rows.chunk(2)[rank]
                X, y = task.X.index_select(0, own), task.y.index_select(0, own)
                if X.ndim == 4:
                    X = X.contiguous(memory_format=torch.channels_last)
                loss = task.loss(forward(X), y)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                last[0] = loss.detach()
            epoch[0] += 1
            tick()

    return Contestant(train, lambda: float(last[0]))
