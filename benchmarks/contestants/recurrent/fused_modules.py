"""What an expert writes by hand: PyTorch's module, whose loop over time is one call, and the fused optimizer."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.recurrent.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch's module, hand-tuned loop"
REQUIRES = ("torch",)
VARIANTS = THREADS


class Network(nn.Module):
    def __init__(self, task: Task) -> None:
        super().__init__()
        module = getattr(nn, task.module)
        self.recurrent = module(task.width, task.width, batch_first=True)
        self.readout = nn.Linear(task.width, task.classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.recurrent(x)[0][:, -1])


def build(task: Task, variant: str) -> Contestant:
    model = Network(task)
    optimizer = torch.optim.Adam(model.parameters(), lr=task.lr, fused=True)
    last = [torch.tensor(torch.nan)]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            for rows in torch.randperm(len(task.x)).split(task.batch_size):
                x, y = task.x.index_select(0, rows), task.y.index_select(0, rows)
                loss = functional.cross_entropy(model(x), y)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                last[0] = loss.detach()
            tick()

    return Contestant(train, lambda: float(last[0]))
