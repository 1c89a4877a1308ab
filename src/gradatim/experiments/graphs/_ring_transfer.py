"""A class that a network learns to carry round a ring."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.data import make_undirected
from gradatim.experiments.graphs._shapes import complete, ring
from gradatim.nn import GCNLayer
from gradatim.randomness import seeded
from gradatim.training import Trainer

NUM_CLASSES = 5
RING, SHORTCUT, FULL = "ring", "ring and a shortcut", "ring, last layer joins all"


class Transfer(nn.Module):
    """A GCN on rings, one for each class: the far node holds a class, and node 0 is to tell it.

    Args:
        hidden_dim: Width of the layers.
        distance: Steps between the two, and layers.
        way: ``RING``, ``SHORTCUT`` or ``FULL``.
    """

    def __init__(self, hidden_dim: int, distance: int, way: str) -> None:
        super().__init__()
        self.count, self.source = 2 * distance, distance
        widths = [NUM_CLASSES + 1, *[hidden_dim] * distance]
        self.layers = nn.ModuleList(GCNLayer(a, b) for a, b in pairwise(widths))  # fmt: skip
        self.answer = nn.Linear(hidden_dim, NUM_CLASSES)
        edges = ring(self.count)
        if way == SHORTCUT:
            edges = make_undirected(torch.cat([edges, torch.tensor([[0], [distance]])], 1))
        self.edges = [self.repeated(edges)] * distance
        if way == FULL:
            self.edges[-1] = self.repeated(complete(self.count))

    def repeated(self, edges: Tensor) -> Tensor:
        """The edges of one ring for each class."""
        return torch.cat([edges + k * self.count for k in range(NUM_CLASSES)], 1)

    def forward(self, classes: Tensor) -> Tensor:
        """Logits of node 0 of each ring, whose far node holds one of ``classes``; all nodes hold a 1 beside."""
        x = torch.zeros(NUM_CLASSES, self.count, NUM_CLASSES + 1)
        x[..., -1] = 1.0
        x[torch.arange(NUM_CLASSES), self.source, classes] = 1.0
        h = x.flatten(0, 1)
        for layer, edges in zip(self.layers, self.edges, strict=True):
            h = torch.relu(layer(h, edges))
        return self.answer(h.view(NUM_CLASSES, self.count, -1)[:, 0])


def learn_transfer(way: str, distance: int, *, hidden_dim: int, epochs: int, seed: int) -> float:
    """Share of the classes that are told after training.

    Args:
        way: ``RING``, ``SHORTCUT`` or ``FULL``.
        distance: Steps between the two nodes, and layers.
        hidden_dim: Width of the layers.
        epochs: Steps of training.
        seed: Fixes the weights.
    """
    classes = torch.arange(NUM_CLASSES)
    with seeded(seed):
        model = Transfer(hidden_dim, distance, way)
    trainer = Trainer(model, lr=0.01, epochs=epochs, batch_size=NUM_CLASSES, metrics=["accuracy"], seed=seed, progress=False)  # fmt: skip
    trainer.fit((classes, classes))
    return trainer.evaluate((classes, classes))["accuracy"]
