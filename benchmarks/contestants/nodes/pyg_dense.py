"""PyTorch Geometric as its tutorials use it: dense features, edges as pairs."""

from torch import Tensor

from benchmarks.contestants.contestant import Contestant
from benchmarks.contestants.nodes.pyg_network import contestant
from benchmarks.contestants.nodes.task import Task
from benchmarks.contestants.threads import THREADS

TITLE = "PyTorch Geometric, dense features"
REQUIRES = ("torch_geometric",)
VARIANTS = THREADS


def usual_form(task: Task) -> tuple[Tensor, Tensor]:
    """Features as data sets of PyTorch Geometric hold them."""
    return task.x.to_dense(), task.edge_index


def build(task: Task, variant: str) -> Contestant:
    return contestant(task, usual_form, variant)
