"""Graphs whose frequencies are known in closed form."""

import math

import torch
from torch import Tensor

from gradatim.data import make_undirected


def path(n: int) -> Tensor:
    """Edges of a path of ``n`` nodes."""
    return make_undirected(torch.stack([torch.arange(n - 1), torch.arange(1, n)]))


def ring(n: int) -> Tensor:
    """Edges of a ring of ``n`` nodes."""
    nodes = torch.arange(n)
    return make_undirected(torch.stack([nodes, (nodes + 1) % n]))


def grid(rows: int, columns: int) -> Tensor:
    """Edges of a grid; node ``(r, c)`` has the number ``r * columns + c``."""
    numbers = torch.arange(rows * columns).view(rows, columns)
    right = torch.stack([numbers[:, :-1].flatten(), numbers[:, 1:].flatten()])
    down = torch.stack([numbers[:-1].flatten(), numbers[1:].flatten()])
    return make_undirected(torch.cat([right, down], 1))


def path_frequencies(n: int) -> Tensor:
    r"""Frequencies :math:`2 - 2\cos(\pi k/n)` of a path."""
    return 2 - 2 * torch.cos(math.pi * torch.arange(n, dtype=torch.float64) / n)


def ring_frequencies(n: int) -> Tensor:
    r"""Frequencies :math:`2 - 2\cos(2\pi k/n)` of a ring, in ascending order."""
    return (2 - 2 * torch.cos(2 * math.pi * torch.arange(n, dtype=torch.float64) / n)).sort().values


def grid_frequencies(rows: int, columns: int) -> Tensor:
    """Frequencies of a grid, sums of those of two paths, in ascending order."""
    sums = path_frequencies(rows)[:, None] + path_frequencies(columns)
    return sums.flatten().sort().values


def hops(edge_index: Tensor, num_nodes: int, start: int) -> Tensor:
    """Steps from a node to every other, by breadth-first search; −1 where there is no way."""
    found = torch.full((num_nodes,), -1)
    found[start] = 0
    source, target = edge_index
    for step in range(1, num_nodes):
        reached = target[found[source] == step - 1]
        new = reached[found[reached] < 0]
        if not len(new):
            break
        found[new] = step
    return found


def complete(n: int) -> Tensor:
    """Edges between all pairs of ``n`` nodes."""
    return make_undirected(torch.combinations(torch.arange(n)).T)


def dumbbell(size: int, length: int) -> Tensor:
    """Edges of two cliques joined by a path of ``length`` edges, from the last node of one to the first of the other."""
    bridge = torch.arange(size - 1, size + length)
    second = complete(size) + size + length - 1
    return make_undirected(torch.cat([complete(size), torch.stack([bridge[:-1], bridge[1:]]), second], 1))  # fmt: skip


def binary_tree(depth: int) -> Tensor:
    """Edges of a full binary tree; node ``k`` has the children ``2k + 1`` and ``2k + 2``, the root is 0."""
    children = torch.arange(1, 2 ** (depth + 1) - 1)
    return make_undirected(torch.stack([(children - 1) // 2, children]))
