"""The graph of the jobs on Cora: 2,708 papers, words that they contain, citations."""

import torch
from torch import Tensor

from benchmarks.contestants.nodes.task import Task, noise_like
from gradatim.data import load, node_split
from gradatim.data.sparse_rows import make_csr
from gradatim.errors import Unavailable

CONTESTANTS = ("gradatim", "pyg_dense", "pyg_sparse")
NODES, EDGES, WORDS, CLASSES = 2708, 5278, 1433, 7
KNOWN = 0.0127  # of the words are in a paper
QUICK_NODES, QUICK_EDGES = 300, 600


def load_cora(layer: str, *, hidden_dim: int, dropout: float, quick: bool) -> Task:
    """Take Cora from the cache, or noise of the same shape, which costs the same; quick is always noise.

    Args:
        layer: Architecture.
        hidden_dim: Width of the hidden layer.
        dropout: Probability to drop.
        quick: Whether a small graph will do.
    """
    try:
        graph = None if quick else load("cora").graph
    except Unavailable:
        graph = None
    if graph is not None:
        assert graph.y is not None
        x, edges, y, source = graph.x, graph.edge_index, graph.y, "Cora"
    else:
        nodes, links = (QUICK_NODES, QUICK_EDGES) if quick else (NODES, EDGES)
        x, edges, y = noise_like(nodes, links, WORDS, CLASSES)
        x = _sparse(x > x.flatten()[:100_000].quantile(1 - KNOWN))
        source = "random data in the shape of Cora (gradatim data get cora)"
    rows, _, _ = node_split(y, validation=0, test=0)
    return Task(x, edges, y, rows, layer, hidden_dim, dropout, f"{source}, {len(y):,} nodes")


def _sparse(is_there: Tensor) -> Tensor:
    counts, columns = is_there.sum(1), is_there.nonzero()[:, 1]
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return make_csr(starts, columns, torch.ones(len(columns)), tuple(is_there.shape))
