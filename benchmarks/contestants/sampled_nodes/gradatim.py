"""GraphSAGE on samples, each as large as a batch needs, in steps written out."""

import torch
from torch.nn import functional

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.nodes.task import Task
from benchmarks.contestants.threads import THREADS, set_torch_threads
from gradatim.data import sample_neighbours
from gradatim.models import GraphSAGE

TITLE = "Gradatim"
REQUIRES = ("gradatim", "torch")
VARIANTS = THREADS
BATCH, STEPS, FANOUTS = 1024, 20, (10, 5)


def build(task: Task, variant: str) -> Contestant:
    model = GraphSAGE(task.x.shape[1], task.hidden_dim, task.num_classes, dropout=task.dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=task.lr, fused=True)

    def step(seeds: torch.Tensor) -> None:
        sample = sample_neighbours(task.edge_index, seeds, FANOUTS, num_nodes=len(task.y))
        out = model(task.x.index_select(0, sample.nodes), sample.edge_index)[: sample.num_seeds]
        loss = functional.cross_entropy(out, task.y.index_select(0, seeds))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(variant)
        for _ in range(epochs):
            for seeds in torch.randperm(len(task.rows))[: BATCH * STEPS].split(BATCH):
                step(task.rows[seeds])
            tick()

    return Contestant(train, lambda: _loss_of_some(model, task))


def _loss_of_some(model: GraphSAGE, task: Task) -> float:
    """Loss of one batch with all neighbours, without dropout."""
    seeds = task.rows[:BATCH]
    whole = sample_neighbours(task.edge_index, seeds, (-1, -1), num_nodes=len(task.y))
    with torch.no_grad():
        out = model.eval()(task.x[whole.nodes], whole.edge_index)[: whole.num_seeds]
    model.train()
    return float(functional.cross_entropy(out, task.y[seeds]))
