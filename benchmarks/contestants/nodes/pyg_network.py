"""The network of the task in PyTorch Geometric, its loop, and the proof that it is the same network."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.contestants.contestant import Contestant, Tick
from benchmarks.contestants.nodes.gradatim import build_model
from benchmarks.contestants.nodes.task import GAT, HEADS, Task, training_loss
from benchmarks.contestants.threads import set_torch_threads
from gradatim.data.sparse_rows import make_csr

NODES = 3000  # of the part of the graph on which outputs are compared
GAP = 1e-5


class Network(nn.Module):
    """Two layers of PyTorch Geometric, which keep the normalized edges, as its examples do."""

    def __init__(self, task: Task) -> None:
        from torch_geometric.nn import GATConv, GCNConv

        super().__init__()
        width, hidden, out, drop = task.x.shape[1], task.hidden_dim, task.num_classes, task.dropout
        if task.layer == GAT:
            self.first = GATConv(width, hidden // HEADS, heads=HEADS, dropout=drop)
            self.second = GATConv(hidden, out, heads=1, concat=False, dropout=drop)
        else:
            self.first = GCNConv(width, hidden, cached=True)
            self.second = GCNConv(hidden, out, cached=True)
        self.dropout = drop

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        h = functional.relu(self.first(self.drop(x), edges))
        return self.second(self.drop(h), edges)

    def drop(self, x: Tensor) -> Tensor:
        """Dropout; of sparse features only of entries that are there, as favourable as it gets."""
        if x.layout == torch.strided:
            return functional.dropout(x, self.dropout, self.training)
        values = functional.dropout(x.values(), self.dropout, self.training)
        return make_csr(x.crow_indices(), x.col_indices(), values, (x.shape[0], x.shape[1]))


def check_outputs(task: Task) -> None:
    """With equal weights the two libraries must give equal outputs, on the first nodes of the graph."""
    model, network = build_model(task), Network(task)
    for ours, theirs in zip(model.layers, (network.first, network.second), strict=True):
        theirs.lin.weight.data.copy_(ours.linear.weight.data)
        theirs.bias.data.copy_(nn.init.normal_(ours.bias.data))
        if task.layer == GAT:
            theirs.att_src.data.copy_(ours.to_source.data[None])
            theirs.att_dst.data.copy_(ours.to_target.data[None])
    edges = task.edge_index[:, (task.edge_index < NODES).all(0)]
    x = task.x.to_dense()[:NODES]
    with torch.inference_mode():
        gap = float((model.eval()(x, edges) - network.eval()(x, edges)).abs().max())
    if not gap <= GAP:
        raise ArithmeticError(f"outputs with equal weights differ by {gap:.1e}")


def contestant(task: Task, form: Callable[[Task], tuple[Tensor, Tensor]], threads: str) -> Contestant:  # fmt: skip
    """The usual loop, on features and edges in the form asked for."""
    check_outputs(task)
    x, edges = form(task)
    y, losses = task.y[task.rows], list[float]()

    def train(epochs: int, tick: Tick) -> None:
        set_torch_threads(threads)
        network = Network(task)
        optimizer = torch.optim.Adam(network.parameters(), lr=task.lr)
        for _ in range(epochs):
            optimizer.zero_grad()
            loss = functional.cross_entropy(network(x, edges)[task.rows], y)
            loss.backward()
            optimizer.step()
            tick()
        losses.append(training_loss(network, task, x, edges))

    return Contestant(train, lambda: losses[-1])
