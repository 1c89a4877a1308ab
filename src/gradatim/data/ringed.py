"""Graphs with one class each, drawn from a known law: rings with twigs, of which some nodes are red."""

import numpy as np
import torch

from gradatim.data.graph import Graph
from gradatim.errors import require_seed, require_whole

RING, TWIGS, RED = (6, 12), (3, 9), 3  # nodes of a ring, and hung on it; red nodes


def rings(num_samples: int = 300, seed: int = 0) -> list[Graph]:
    """Draw graphs whose class says whether two of their red nodes are neighbours.

    A ring has 6 to 12 nodes; 3 to 9 more are hung on, each on any node before it. Three nodes are red: three of which no two are
    joined (class 0), or three of which two are (class 1). Degrees and numbers of red nodes have the same law in both classes, so
    that counting them tells nothing; one look at neighbours tells all.

    Args:
        num_samples: Number of graphs; classes take turns.
        seed: Fixes the draws.

    Returns:
        Graphs with ``x`` of shape ``(N, 1)``, 1 for a red node, and ``y`` 0 or 1.

    Example:
        >>> rings(4)[0]
        Graph(18 nodes, 36 edges, x (18, 1), y ())
    """
    require_whole("rings", num_samples=num_samples)
    require_seed("rings", seed)
    rng = np.random.default_rng(seed)
    return [_draw(k % 2, rng) for k in range(num_samples)]


def _draw(label: int, rng: np.random.Generator) -> Graph:
    ring, twigs = int(rng.integers(RING[0], RING[1] + 1)), int(rng.integers(TWIGS[0], TWIGS[1] + 1))  # fmt: skip
    pairs = [(k, (k + 1) % ring) for k in range(ring)]
    pairs += [(int(rng.integers(k)), k) for k in range(ring, ring + twigs)]
    order = rng.permutation(ring + twigs)  # so that places of nodes tell nothing
    ends = order[np.array(pairs).T]
    joined = np.zeros((ring + twigs, ring + twigs), dtype=bool)
    joined[ends[0], ends[1]] = joined[ends[1], ends[0]] = True
    while True:
        red = rng.permutation(ring + twigs)[:RED]
        if bool(joined[np.ix_(red, red)].any()) == bool(label):
            break
    x = torch.zeros(ring + twigs, 1)
    x[torch.from_numpy(red)] = 1.0
    edges = torch.from_numpy(np.concatenate([ends, ends[::-1]], axis=1))
    return Graph(x, edges, y=torch.tensor(label))
