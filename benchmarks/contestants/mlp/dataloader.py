"""The loop of PyTorch's tutorials: a DataLoader, the default Adam, the sum of the losses."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.mlp.torch_network import dense_network, training_accuracy
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch, DataLoader loop"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    data = TensorDataset(torch.from_numpy(task.X), torch.from_numpy(task.y))
    loader = DataLoader(data, batch_size=task.batch_size, shuffle=True)
    model = dense_network(task)
    loss_function = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=task.lr)

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            total = 0.0
            for X, y in loader:
                optimizer.zero_grad()
                loss = loss_function(model(X), y)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(X)
            tick()

    return Contestant(train, lambda: training_accuracy(task, model))
