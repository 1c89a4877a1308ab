"""The graph of the jobs on a million nodes: ten million directed edges between random ones."""

import torch

from benchmarks.contestants.nodes.task import GCN, Task, noise_like

NODES, EDGES, QUICK = 1_000_000, 5_000_000, 1000
FEATURES, CLASSES = 32, 8


def load_million(quick: bool) -> Task:
    """Draw a graph, noise on its nodes, and classes; all nodes are labelled."""
    nodes, edges = (NODES // QUICK, EDGES // QUICK) if quick else (NODES, EDGES)
    x, edge_index, y = noise_like(nodes, edges, FEATURES, CLASSES)
    source = f"random graph of {nodes:,} nodes and {2 * edges:,} directed edges"
    return Task(x, edge_index, y, torch.arange(nodes), GCN, 16, 0.0, source)
