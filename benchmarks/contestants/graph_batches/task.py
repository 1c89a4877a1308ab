"""The task that the contestants of this folder do: cut shuffled batches out of a set of graphs.

What the clock calls an epoch is one pass: every graph is in one batch. Nothing is learned.
"""

from dataclasses import dataclass

import torch

from gradatim.data import Graph, GraphSet, load, random_graph
from gradatim.errors import Unavailable

CONTESTANTS = ("gradatim", "pyg_loader")
BATCH, GRAPHS = 32, 188


@dataclass(frozen=True)
class Task:
    """Graphs.

    Args:
        graphs: With features of nodes and edges, and a class each.
        source: What they are.
        flops: Nothing is multiplied.
    """

    graphs: list[Graph]
    source: str
    flops: float = 0.0


def build_task(quick: bool) -> Task:
    """Take MUTAG from the cache, or random molecules of its size, which cost the same."""
    try:
        graphs, source = load("mutag").graphs, f"MUTAG, {GRAPHS} graphs"
        assert isinstance(graphs, GraphSet)
        return Task(graphs.graphs, source)
    except Unavailable:
        source = f"random graphs of the size of MUTAG, {GRAPHS} (gradatim data get mutag)"
        return Task([_molecule(seed) for seed in range(GRAPHS)], source)


def _molecule(seed: int) -> Graph:
    edges = random_graph(18, 20, seed=seed)
    x, edge_attr = torch.eye(7)[torch.arange(18) % 7], torch.eye(4)[torch.arange(40) % 4]
    return Graph(x, edges, edge_attr=edge_attr, y=torch.tensor(seed % 2))
