"""The task that the contestants of this folder do: filter signals on a graph by a polynomial of its Laplacian.

The contestants are orders of one filter: order :math:`K` must cost :math:`K` products.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.threads import set_torch_threads
from gradatim.nn import chebyshev_filter, laplacian

CONTESTANTS = ("gradatim", "order_10")
HIGH, LOW = 20, 10


@dataclass(frozen=True)
class Task:
    """Signals and a graph.

    Args:
        x: Signals, shape ``(N, F)``.
        edge_index: Every edge both ways.
        source: What the data are.
    """

    x: Tensor
    edge_index: Tensor
    source: str

    @property
    def flops(self) -> int:
        """Multiplications and additions of the higher order."""
        return 2 * HIGH * (len(self.x) + self.edge_index.shape[1]) * self.x.shape[1]


def filtering(task: Task, order: int, threads: str) -> Contestant:
    """Filter again and again; the figure is the length of the result."""
    L = laplacian(task.edge_index, len(task.x), kind="symmetric")
    coefficients = 0.5 ** torch.arange(order + 1)
    lengths = [0.0]

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(threads)
        for _ in range(epochs):
            y = chebyshev_filter(task.x, L, coefficients, largest=2.0)
            tick()
            lengths[0] = float(y.square().mean().sqrt())

    return Contestant(train, lambda: lengths[0])
