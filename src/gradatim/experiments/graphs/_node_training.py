"""Train a network on some nodes of a graph, all of them in one step."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.data import Graph
from gradatim.fitting.learning import train_network
from gradatim.fitting.nodes.networks import OnGraph
from gradatim.training import EarlyStopping


class Trained(NamedTuple):
    """What came of a training.

    Args:
        outputs: Logits of all nodes, shape ``(N, classes)``.
        validation_loss: Least loss of the nodes that were watched; not a number where none were.
    """

    outputs: Tensor
    validation_loss: float


def fit_nodes(
    build: Callable[[], nn.Module],
    graph: Graph,
    train: Tensor,
    validation: Tensor | None = None,
    *,
    epochs: int,
    seed: int,
    lr: float = 0.01,
    weight_decay: float = 0.0,
) -> Trained:
    """Train with Adam; where nodes are watched, the weights of the epoch that told them best are kept.

    Args:
        build: Makes a network on graphs.
        graph: Features, edges and labels.
        train: Nodes to learn from.
        validation: Nodes to choose the epoch by; without them the last counts.
        epochs: Steps at most.
        seed: Fixes weights and dropout.
        lr: Step of learning.
        weight_decay: Penalty on weights.
    """
    y, stopping = labels(graph), EarlyStopping(patience=epochs)
    trained, _ = train_network(
        lambda: OnGraph(build(), (graph.x, graph.edge_index)), (train, y[train]),
        None if validation is None else (validation, y[validation]), seed=seed, optimizer="adam", schedule=None, lr=lr,
        weight_decay=weight_decay, epochs=epochs, batch_size=graph.num_nodes,
        callbacks=[] if validation is None else [stopping],
    )  # fmt: skip
    with torch.inference_mode():
        outputs = trained(torch.arange(graph.num_nodes))
    return Trained(outputs, float("nan") if validation is None else stopping.best_value)


def labels(graph: Graph) -> Tensor:
    """The classes of the nodes of a graph that has them."""
    assert graph.y is not None
    return graph.y


def accuracy(outputs: Tensor, y: Tensor, nodes: Tensor) -> float:
    """Share of some nodes whose class has the largest output."""
    return float((outputs[nodes].argmax(1) == y[nodes]).float().mean())
