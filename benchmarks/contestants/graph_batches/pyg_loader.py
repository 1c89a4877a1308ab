"""The loader of PyTorch Geometric, on graphs that are in memory."""

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.graph_batches.task import BATCH, Task
from benchmarks.contestants.threads import ONE_THREAD, set_torch_threads

TITLE = "PyTorch Geometric, DataLoader"
REQUIRES = ("torch_geometric",)
VARIANTS = ("as it comes",)


def build(task: Task, variant: str) -> Contestant:
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    graphs = [
        Data(x=g.x, edge_index=g.edge_index, edge_attr=g.edge_attr, y=g.y.reshape(1))
        for g in task.graphs
    ]
    loader, seen = DataLoader(graphs, batch_size=BATCH, shuffle=True), [0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(ONE_THREAD)
        for _ in range(epochs):
            batches = list(loader)
            tick()
            seen[0] = sum(batch.edge_index.shape[1] + len(batch.x) for batch in batches)

    return Contestant(train, lambda: float(seen[0]))
