"""Networks on sets and graphs by the law of permutation that they keep, and some that keep none."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn

from gradatim.models import (
    APPNP,
    GAT,
    GCN,
    GIN,
    MLP,
    SGC,
    ChebNet,
    DeepSets,
    EquivariantDeepSets,
    GATv2,
    GraphClassifier,
    GraphSAGE,
    PairNet,
    PointNet,
    PointNetSegmenter,
    SequenceClassifier,
)

WIDTH = 3  # of an element, and of a node's features
POOLINGS = ("sum", "mean", "max", "min", "attention")
WHOLE, EACH = "f(PX) = f(X)", "f(PX) = P f(X)"
NODES, GRAPHS = "f(PX, PAPᵀ) = P f(X, A)", "f(PX, PAPᵀ) = f(X, A)"

Build = Callable[[], nn.Module]
Builds = Mapping[str, Build]


def as_matrix(x: Tensor, edge_index: Tensor) -> Tensor:
    """A graph as ``[X A]``, with a one at row i and column j for an edge from j to i."""
    A = x.new_zeros(len(x), len(x))
    A[edge_index[1], edge_index[0]] = 1.0
    return torch.cat([x, A], 1)


class OnMatrix(nn.Module):
    """A graph as one long row, for a dense network."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        return self.model(as_matrix(x, edge_index).flatten()[None])


def lawful(dim: int) -> dict[str, Builds]:
    """Every network on sets and graphs, by the law that it should keep."""
    shape, dims = (WIDTH, dim, dim), (dim, 2 * dim)

    def classifier(pooling: str) -> Build:
        return lambda: GraphClassifier(GIN(*shape), dim, 2, pooling=pooling)

    return {
        WHOLE: {
            **{f"DeepSets, {p}": partial(DeepSets, *shape, pooling=p) for p in POOLINGS},
            "PointNet": partial(PointNet, 4, dims=dims),
        },
        EACH: {
            **{f"EquivariantDeepSets, {p}": partial(EquivariantDeepSets, *shape, pooling=p) for p in POOLINGS},
            "PointNetSegmenter": partial(PointNetSegmenter, 4, dims=dims),
        },
        NODES: {
            "GCN": partial(GCN, *shape),
            "GAT": partial(GAT, *shape, num_heads=4),
            "GATv2": partial(GATv2, *shape, num_heads=4),
            "GraphSAGE, mean": partial(GraphSAGE, *shape),
            "GraphSAGE, max": partial(GraphSAGE, *shape, aggregate="max"),
            "GIN": partial(GIN, *shape),
            "ChebNet": partial(ChebNet, *shape),
            "SGC": partial(SGC, WIDTH, dim),
            "APPNP": partial(APPNP, *shape),
        },
        GRAPHS: {
            **{f"GraphClassifier, {p}": classifier(p) for p in ("sum", "mean", "max")},
            "PairNet": partial(PairNet, WIDTH, dim, 2),
        },
    }  # fmt: skip


def lawless(dim: int, elements: int, nodes: int) -> dict[str, Builds]:
    """Networks that take elements or nodes in the order in which they come."""
    return {
        WHOLE: {
            "MLP on the concatenated set": lambda: nn.Sequential(
                nn.Flatten(), MLP((elements * WIDTH, dim, 2))
            ),
            "GRU": partial(SequenceClassifier, WIDTH, 2, hidden_dim=dim),
        },
        GRAPHS: {
            "MLP on features and adjacency": lambda: OnMatrix(
                MLP((nodes * (WIDTH + nodes), dim, 2))
            )
        },
    }
