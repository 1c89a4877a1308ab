"""What an expert writes in eager PyTorch: tensors in memory, one permutation per epoch, fused Adam."""

import torch
import torch.nn.functional as F

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.mlp.task import Task
from benchmarks.contestants.mlp.torch_network import dense_network, training_accuracy
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch, hand-tuned loop"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)
    model = dense_network(task)
    optimizer = torch.optim.Adam(model.parameters(), lr=task.lr, fused=True)

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            for rows in torch.randperm(len(X)).split(task.batch_size):
                optimizer.zero_grad(set_to_none=True)
                output = model(X.index_select(0, rows))  # much faster than X[rows]
                F.cross_entropy(output, y.index_select(0, rows)).backward()
                optimizer.step()
            tick()

    return Contestant(train, lambda: training_accuracy(task, model))
