"""The task that the contestants of this folder do: classify nodes, trained on the whole graph at once.

What the clock calls an epoch is one step: forward, loss of the labelled nodes, backward, Adam. Everybody trains the same two
layers with ReLU and dropout, in float32, from new weights in every round, so that nobody's memory holds two networks.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.data import random_graph

GCN, GAT = "gcn", "gat"
HEADS = 8


@dataclass(frozen=True)
class Task:
    """A graph and an architecture.

    Args:
        x: Features, dense or in compressed sparse rows.
        edge_index: Every edge both ways.
        y: Class of every node.
        rows: Labelled nodes.
        layer: :data:`GCN` or :data:`GAT`.
        hidden_dim: Width of the hidden layer.
        dropout: Probability to drop a feature before each layer, and an attention weight.
        source: What the data are.
        lr: Learning rate of Adam.
    """

    x: Tensor
    edge_index: Tensor
    y: Tensor
    rows: Tensor
    layer: str
    hidden_dim: int
    dropout: float
    source: str
    lr: float = 0.01

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def flops(self) -> int:
        """Multiplications and additions with sparse features and a sparse matrix; nobody needs the gradient of features."""
        nodes, links, out = len(self.y), len(self.y) + self.edge_index.shape[1], self.num_classes
        entries = len(self.x.values()) if self.x.layout == torch.sparse_csr else self.x.numel()
        first = entries * self.hidden_dim
        others = links * (self.hidden_dim + out) + nodes * self.hidden_dim * out
        return 2 * (2 * first + 3 * others)


def training_loss(model: nn.Module, task: Task, *inputs: Tensor) -> float:
    """Loss of the labelled nodes without dropout."""
    with torch.no_grad():
        out = model.eval()(*inputs)[task.rows]
    return float(functional.cross_entropy(out, task.y[task.rows]))


def noise_like(num_nodes: int, num_edges: int, input_dim: int, num_classes: int) -> tuple[Tensor, ...]:  # fmt: skip
    """Features, edges and classes without meaning, which cost what others cost."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(num_nodes, input_dim, generator=generator)
    y = torch.randint(num_classes, (num_nodes,), generator=generator)
    y[:num_classes] = torch.arange(num_classes)  # each is there
    return x, random_graph(num_nodes, num_edges), y
