"""PyTorch Geometric in expert hands: sparse features, and edges as pairs or as a sparse matrix."""

import torch
from torch import Tensor

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.nodes.pyg_network import contestant
from benchmarks.contestants.nodes.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "PyTorch Geometric, sparse features"
REQUIRES = ("torch_geometric",)
VARIANTS = tuple(f"{edges}, {threads}" for edges in ("pairs", "matrix") for threads in THREADS)


def pairs(task: Task) -> tuple[Tensor, Tensor]:
    """Edges as pairs."""
    return task.x, task.edge_index


def matrix(task: Task) -> tuple[Tensor, Tensor]:
    """Edges as a matrix in compressed sparse rows."""
    from torch_geometric.data import Data
    from torch_geometric.transforms import ToSparseTensor

    data = Data(edge_index=task.edge_index, num_nodes=len(task.y))
    return task.x, ToSparseTensor(layout=torch.sparse_csr)(data).adj_t


def build(task: Task, variant: str) -> Contestant:
    edges, threads = variant.split(", ")
    return contestant(task, {"pairs": pairs, "matrix": matrix}[edges], threads)
