"""What an expert writes in eager PyTorch, fold after fold: tensors in memory, fused Adam."""

import torch
import torch.nn.functional as F

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.cross_validation.task import Task
from benchmarks.contestants.mlp.torch_network import dense_network
from benchmarks.contestants.threads import THREADS, set_torch_threads

TITLE = "PyTorch, hand-tuned loop for each fold"
REQUIRES = ("torch",)
VARIANTS = THREADS


def build(task: Task, variant: str) -> Contestant:
    X, y = torch.from_numpy(task.X), torch.from_numpy(task.y)
    means: list[float] = []

    def fold_accuracy(train: torch.Tensor, test: torch.Tensor) -> float:
        inputs, labels = X[train], y[train]
        model = dense_network(task)
        optimizer = torch.optim.Adam(model.parameters(), lr=task.lr, fused=True)
        for _ in range(task.epochs):
            for rows in torch.randperm(len(inputs)).split(task.batch_size):
                optimizer.zero_grad(set_to_none=True)
                F.cross_entropy(model(inputs[rows]), labels[rows]).backward()
                optimizer.step()
        with torch.inference_mode():
            return (model(X[test]).argmax(1) == y[test]).float().mean().item()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            folds = [(torch.from_numpy(a), torch.from_numpy(b)) for a, b in task.splits]
            accuracies = [fold_accuracy(*fold) for fold in folds]
            means.append(sum(accuracies) / len(accuracies))
            tick()

    return Contestant(train, lambda: means[-1])
