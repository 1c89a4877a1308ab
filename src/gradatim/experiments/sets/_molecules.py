r"""Molecules as sets of atoms with distances between them, and a network that reads nothing else.

.. math:: h_i \leftarrow h_i + U\,\phi\Bigl(V \sum_{j \ne i} w(d_{ij}) \odot W h_j\Bigr), \qquad E = \sum_i u(h_i)

Distances do not change when a molecule is moved or turned, sums do not when its atoms are renamed.
"""

import math

import torch
from torch import Tensor, nn

from gradatim.data import GraphBatch, GraphSet
from gradatim.data.graph_files import ATOMS
from gradatim.data.sparse_rows import spans
from gradatim.nn import message_passing, pool_nodes

KINDS = len(ATOMS)


def join_near(molecules: GraphBatch, reach: float) -> GraphBatch:
    """Put an edge between every two atoms of a molecule that are near, with their distance; places are dropped.

    Args:
        molecules: Marks of atoms, then their places, as ``x``.
        reach: Distance below which atoms hear of each other.
    """
    owner = molecules.batch
    sizes = torch.bincount(owner, minlength=molecules.num_graphs)
    source = torch.repeat_interleave(sizes[owner])
    target = spans((sizes.cumsum(0) - sizes)[owner], sizes[owner])
    places = molecules.x[:, KINDS:]
    distance = (places[source] - places[target]).norm(dim=1)
    near = (source != target) & (distance < reach)
    return molecules._replace(
        x=molecules.x[:, :KINDS],
        edge_index=torch.stack([source, target])[:, near],
        edge_attr=distance[near],
    )


class DistanceLayer(nn.Module):
    """Atoms hear the sum of what others say, weighed by learned functions of the distance."""

    def __init__(self, hidden_dim: int, num_waves: int) -> None:
        super().__init__()
        self.weigh = nn.Sequential(nn.Linear(num_waves, hidden_dim), nn.SiLU(), nn.Linear(hidden_dim, hidden_dim))  # fmt: skip
        self.say = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.hear = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.SiLU(), nn.Linear(hidden_dim, hidden_dim))  # fmt: skip

    def forward(self, h: Tensor, edge_index: Tensor, waves: Tensor, fade: Tensor) -> Tensor:
        weights = self.weigh(waves) * fade  # (E, hidden_dim)
        heard = message_passing(
            self.say(h), edge_index, message=lambda _, said, edge: said * weights
        )
        return h + self.hear(heard)


class DistanceNetwork(nn.Module):
    """Kinds of atoms and their distances to a number for each molecule.

    Args:
        hidden_dim: Width of an atom's features.
        num_layers: Layers.
        num_waves: Bumps that tell distances apart.
        reach: Distance at which atoms cease to hear of each other.
    """

    centres: Tensor

    def __init__(self, hidden_dim: int, num_layers: int, *, num_waves: int, reach: float) -> None:
        super().__init__()
        self.reach = reach
        self.embed = nn.Linear(KINDS, hidden_dim, bias=False)
        self.layers = nn.ModuleList(DistanceLayer(hidden_dim, num_waves) for _ in range(num_layers))
        self.readout = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.SiLU(), nn.Linear(hidden_dim, 1))  # fmt: skip
        self.register_buffer("centres", torch.linspace(0.5, reach, num_waves))

    def forward(self, molecules: GraphBatch) -> Tensor:
        assert molecules.edge_attr is not None
        distance = molecules.edge_attr[:, None]
        step = self.reach / len(self.centres)
        waves = torch.exp(-0.5 * ((distance - self.centres) / step) ** 2)  # (E, num_waves)
        fade = 0.5 * (torch.cos(math.pi * distance / self.reach) + 1)
        h = self.embed(molecules.x)
        for layer in self.layers:
            h = layer(h, molecules.edge_index, waves, fade)
        return pool_nodes(self.readout(h), molecules.batch, num_graphs=molecules.num_graphs)[:, 0]


def count_atoms(molecules: GraphBatch) -> Tensor:
    """How many atoms of each kind a molecule has, shape ``(molecules, kinds)``."""
    return pool_nodes(molecules.x[:, :KINDS], molecules.batch, num_graphs=molecules.num_graphs)


def made_up_molecules(count: int, generator: torch.Generator) -> GraphSet:
    r"""Random atoms in space with a known energy in eV: a number for each, and Morse's energy of every pair.

    .. math:: E = \sum_i a_{z_i} + \sum_{i<j} D_{z_i z_j}\bigl((1 - e^{-\alpha(d_{ij} - r)})^2 - 1\bigr)

    Args:
        count: Molecules, of 4 to 8 atoms.
        generator: Source of randomness.
    """
    sizes = torch.randint(4, 9, (count,), generator=generator)
    owner = torch.repeat_interleave(sizes)
    kinds = torch.randint(KINDS, (len(owner),), generator=generator)
    places = _spread(sizes, generator)
    marks = torch.eye(KINDS)[kinds]
    none = torch.zeros(2, 0, dtype=torch.long)
    bare = GraphBatch(torch.cat([marks, places], 1), none, None, None, None, owner, count)
    pairs = join_near(bare, math.inf)
    assert pairs.edge_attr is not None
    source, target = pairs.edge_index
    depth = (1.0 + 0.5 * (kinds[source] + kinds[target])) / 2  # half, for every pair is there twice
    morse = depth * ((1 - torch.exp(-1.5 * (pairs.edge_attr - 1.3))) ** 2 - 1)
    own = torch.tensor([-13.6, -1030.0, -1485.0, -2042.0, -2713.0])[kinds]
    energy = own.double().index_add(0, target, morse.double())
    return GraphSet.from_batch(bare._replace(y=pool_nodes(energy[:, None], owner, num_graphs=count)[:, 0]))  # fmt: skip


def _spread(sizes: Tensor, generator: torch.Generator) -> Tensor:
    """Places of atoms along random walks of steps of about 1.3 Å that never come close to an earlier place."""
    places = []
    for size in sizes.tolist():
        own = torch.zeros(1, 3)
        while len(own) < size:
            start = own[int(torch.randint(len(own), (1,), generator=generator))]
            step = torch.randn(3, generator=generator)
            new = start + (1.1 + 0.5 * torch.rand(1, generator=generator)) * step / step.norm()
            if (own - new).norm(dim=1).min() > 1.0:
                own = torch.cat([own, new[None]])
        places.append(own)
    return torch.cat(places)
