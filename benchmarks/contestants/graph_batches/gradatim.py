"""Gradatim's set of graphs."""

import torch

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.graph_batches.task import BATCH, Task
from benchmarks.contestants.threads import ONE_THREAD, set_torch_threads
from gradatim.data import GraphSet

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    graphs, seen = GraphSet(task.graphs), [0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ONE_THREAD)  # nothing here is large enough for two
        for _ in range(epochs):
            batches = [graphs[rows] for rows in torch.randperm(len(graphs)).split(BATCH)]
            tick()
            seen[0] = sum(batch.edge_index.shape[1] + len(batch.x) for batch in batches)

    return Contestant(train, lambda: float(seen[0]))
