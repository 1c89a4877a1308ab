"""What an expert writes in eager PyTorch, for images in one order or the other."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.images.task import Task
from benchmarks.contestants.threads import set_torch_threads


def hand_written(
    task: Task, variant: str, memory_format: torch.memory_format, forward: nn.Module | None = None
) -> Contestant:
    """Tensors in memory, one permutation per epoch, fused Adam, images and weights in ``memory_format``.

    Args:
        task: What to train.
        variant: Which threads to use.
        memory_format: The order of channels.
        forward: The network in a faster form, with the same weights; itself by default.
    """
    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)
    model = task.model() if forward is None else forward
    model = model.to(memory_format=memory_format)  # type: ignore[call-overload]
    optimizer = torch.optim.Adam(model.parameters(), lr=task.lr, fused=True)

    def batch(rows: Tensor) -> Tensor:
        return X.index_select(0, rows).contiguous(memory_format=memory_format)

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        model.train()
        for _ in range(epochs):
            for rows in torch.randperm(len(X)).split(task.batch_size):
                optimizer.zero_grad(set_to_none=True)
                F.cross_entropy(model(batch(rows)), y.index_select(0, rows)).backward()
                optimizer.step()
            tick()

    return Contestant(train, lambda: task.accuracy(model))
