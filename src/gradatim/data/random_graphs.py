"""Graphs that are drawn: all alike, or in blocks."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from gradatim.data.edges import make_undirected
from gradatim.errors import require, require_seed, require_whole


def random_graph(num_nodes: int, num_edges: int, *, seed: int = 0) -> Tensor:
    """Draw an undirected graph, each with so many nodes and edges equally likely (Erdős and Rényi).

    Args:
        num_nodes: Number of nodes.
        num_edges: Number of undirected edges between different nodes.
        seed: Fixes the draw.

    Returns:
        Every edge both ways, shape ``(2, 2 * num_edges)``.

    Example:
        >>> random_graph(4, 6).shape  # all there are
        torch.Size([2, 12])
    """
    require_seed("random_graph", seed)
    require_whole("random_graph", num_nodes=num_nodes)
    most = num_nodes * (num_nodes - 1) // 2
    require(0 <= num_edges <= most, f"random_graph: num_edges must be from 0 to {most}", num_edges)
    rng = np.random.default_rng(seed)
    return make_undirected(torch.from_numpy(np.stack(_pairs(_distinct(rng, most, num_edges)))))


def block_model(
    sizes: Sequence[int], probabilities: Sequence[Sequence[float]], *, seed: int = 0
) -> tuple[Tensor, Tensor]:
    r"""Draw an undirected graph whose edges depend on the blocks of their ends.

    .. math:: P(a_{ij} = 1) = p_{b_i b_j}, \qquad i < j

    Args:
        sizes: Nodes of each block.
        probabilities: :math:`p`, symmetric, one row and column per block.
        seed: Fixes the draw.

    Returns:
        Every edge both ways, and the block :math:`b_i` of every node.

    Example:
        >>> edges, blocks = block_model([2, 2], [[1.0, 0.0], [0.0, 1.0]])
        >>> edges, blocks
        (tensor([[0, 1, 2, 3],
                [1, 0, 3, 2]]), tensor([0, 0, 1, 1]))
    """
    require_seed("block_model", seed)
    counts, p = np.asarray(sizes, dtype=np.int64), np.asarray(probabilities, dtype=np.float64)
    require(counts.ndim == 1 and len(counts) and (counts >= 0).all(), "block_model: sizes must be whole numbers from 0, one per block", list(sizes))  # fmt: skip
    require(p.shape == (len(counts),) * 2, f"block_model: probabilities must be {len(counts)} × {len(counts)}", f"shape {p.shape}")  # fmt: skip
    is_fair = bool(np.all((p >= 0) & (p <= 1)) and np.array_equal(p, p.T))
    require(is_fair, "block_model: probabilities must lie in [0, 1] and be symmetric", p.tolist())
    rng, first = np.random.default_rng(seed), np.cumsum(counts) - counts
    found = [np.zeros((2, 0), dtype=np.int64)]
    for a in range(len(counts)):
        for b in range(a + 1):
            most = counts[a] * (counts[a] - 1) // 2 if a == b else counts[a] * counts[b]
            chosen = _distinct(rng, int(most), int(rng.binomial(most, p[a, b])))
            left, right = _pairs(chosen) if a == b else np.divmod(chosen, counts[b])
            found.append(np.stack([first[a] + left, first[b] + right]))
    edges = make_undirected(torch.from_numpy(np.concatenate(found, 1)))
    return edges, torch.from_numpy(np.repeat(np.arange(len(counts)), counts))


def _distinct(rng: np.random.Generator, most: int, count: int) -> np.ndarray:
    """So many different whole numbers below ``most``."""
    return rng.choice(most, count, replace=False, shuffle=False) if count else np.zeros(0, dtype=np.int64)  # fmt: skip


def _pairs(index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair (i, j) with i > j that has this number: 0 is (1, 0), 1 is (2, 0), 2 is (2, 1), …"""
    i = ((1 + np.sqrt(1 + 8 * index.astype(np.float64))) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > index  # where the root was rounded up
    i += i * (i + 1) // 2 <= index  # or down
    return i, index - i * (i - 1) // 2
