r"""A graph as models read it: features of all nodes, and the edges that may be seen.

Hidden nodes keep their places and lose their edges, so that nothing passes from them to others.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import csr_matrix, diags, identity
from scipy.special import ndtri
from torch import Tensor

SPARSE = 0.2  # share of cells that are not 0, below which features are kept sparse
DRAWN = 32  # random numbers of a node without columns
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class NodeView:
    """What of a graph may be seen.

    Args:
        x: Features of all nodes, shape ``(N, D)``.
        edge_index: Sources and targets, shape ``(2, E)``; an undirected edge is listed both ways.
        edge_weight: Weights of the edges, if they weigh.
        edge_attr: Features of the edges, if they have any.
    """

    x: np.ndarray
    edge_index: np.ndarray
    edge_weight: np.ndarray | None = None
    edge_attr: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.x)

    def kept(self, is_kept: np.ndarray) -> "NodeView":
        """The graph with some of its edges.

        Args:
            is_kept: Whether each edge stays, shape ``(E,)``.
        """
        weight, attr = (None if own is None else own[is_kept] for own in (self.edge_weight, self.edge_attr))  # fmt: skip
        return NodeView(self.x, self.edge_index[:, is_kept], weight, attr)

    @cached_property
    def adjacency(self) -> csr_matrix:
        """Weights of edges from columns to rows."""
        source, target = self.edge_index
        weight = np.ones(len(source)) if self.edge_weight is None else self.edge_weight
        return csr_matrix((weight, (target, source)), shape=(len(self), len(self)))

    def smoothed(self, hops: int) -> np.ndarray:
        r"""Features averaged over neighbourhoods, :math:`\bar A^K X` with :math:`\bar A = D^{-1/2}(A + I)D^{-1/2}`."""
        looped = self.adjacency + identity(len(self), format="csr")
        root = diags(np.asarray(looped.sum(1)).ravel() ** -0.5)
        x = self.x.astype(np.float64)
        for _ in range(hops):
            x = root @ (looped @ (root @ x))
        return x

    @cached_property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor | None, Tensor | None]:
        """Features, edges, weights and features of edges for a network; features with many zeros are sparse."""
        x = torch.from_numpy(self.x.astype(np.float32))
        if np.count_nonzero(self.x) < SPARSE * self.x.size:
            x = sparse_rows(self.x)
        given = [None if a is None else torch.from_numpy(a.astype(np.float32)) for a in (self.edge_weight, self.edge_attr)]  # fmt: skip
        return x, torch.from_numpy(self.edge_index), given[0], given[1]


def sparse_rows(x: np.ndarray) -> Tensor:
    """A matrix in compressed sparse rows."""
    import warnings

    found = csr_matrix(x.astype(np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch says that the layout is beta
        return torch.sparse_csr_tensor(
            torch.from_numpy(found.indptr.astype(np.int64)), torch.from_numpy(found.indices.astype(np.int64)),
            torch.from_numpy(found.data), size=x.shape,
        )  # fmt: skip


def both_ways(index: np.ndarray, is_directed: bool) -> np.ndarray:
    """Edges as networks read them: an undirected one is listed both ways.

    Example:
        >>> both_ways(np.array([[0], [1]]), False).tolist()
        [[0, 1], [1, 0]]
    """
    return index if is_directed else np.concatenate([index, index[::-1]], axis=1)


def drawn_features(ids: Sequence[str], edge_index: np.ndarray) -> np.ndarray:
    """Features of nodes that have no columns: the logarithm of the degree, and numbers drawn from the id.

    Args:
        ids: Of the nodes.
        edge_index: Edges that are seen, both ways where they have no direction.
    """
    degree = np.bincount(edge_index[1], minlength=len(ids))
    return np.concatenate([np.log1p(degree)[:, None], drawn_numbers(ids)], axis=1)


def drawn_numbers(ids: Sequence[str]) -> np.ndarray:
    r"""Normal numbers drawn from the id of every node, of variance :math:`1/D`, shape ``(N, D)``.

    They tell nodes apart, as a column for each node would, and a new node has its own too.

    Args:
        ids: Of the nodes.

    Reference:
        Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014: every number is a mixed count.
    """
    digests = b"".join(hashlib.sha256(name.encode(errors="surrogateescape")).digest()[:8] for name in ids)  # fmt: skip
    counts = np.frombuffer(digests, dtype="<u8")[:, None] + np.arange(1, DRAWN + 1, dtype=np.uint64) * _GOLDEN  # fmt: skip
    mixed = (counts ^ (counts >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    share = ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) / 2**53
    return ndtri(share) / np.sqrt(DRAWN)


def rewire(index: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Edges between other nodes, at about the same degrees: all ends are shuffled and paired anew.

    Args:
        index: Edges, each once, shape ``(2, E)``.
        rng: Draws the pairs.

    Returns:
        The edges, less the few that would lead from a node to itself, and which of the old ones they stand for.
    """
    ends = rng.permutation(index.reshape(-1)).reshape(2, -1)
    kept = np.flatnonzero(ends[0] != ends[1])
    return ends[:, kept], kept


def adjusted_homophily(index: np.ndarray, y: np.ndarray, classes: int) -> float:
    r"""How much more often edges join nodes of the same class than their degrees alone would make them.

    .. math:: h = \frac{h_e - \sum_k p_k^2}{1 - \sum_k p_k^2}, \qquad p_k = \frac{\sum_{i: y_i = k} d_i}{2E}

    with the share :math:`h_e` of edges within a class: 1 where all are, 0 where classes play no part, whatever their sizes.
    For values it is the correlation of the two ends.

    Args:
        index: Edges, each once.
        y: Class codes, or values; edges of nodes from ``len(y)`` on, whose class is not known, are left out.
        classes: Number of classes; 0 for values.

    Returns:
        Not a number where it cannot be told.

    Example:
        >>> adjusted_homophily(np.array([[0, 2], [1, 3]]), np.array([0, 0, 1, 1]), 2)
        1.0

    Reference:
        Platonov et al., Characterizing Graph Datasets for Node Classification, 2023.
    """
    own = index[:, (index < len(y)).all(0)]
    if not own.shape[1]:
        return float("nan")
    ends = y[np.concatenate([own, own[::-1]], axis=1)]  # (2, 2E)
    if not classes:
        spread = ends[0].std()
        return float(np.corrcoef(ends)[0, 1]) if spread > 0 else float("nan")
    expected = float(((np.bincount(ends[0], minlength=classes) / ends.shape[1]) ** 2).sum())
    share = float((ends[0] == ends[1]).mean())
    return (share - expected) / (1 - expected) if expected < 1 else float("nan")


def distances(index: np.ndarray, count: int, sources: np.ndarray) -> np.ndarray:
    """Steps from each node to the nearest source, over edges in either direction; -1 where none can be reached.

    Args:
        index: Edges, each once or both ways.
        count: Number of nodes.
        sources: Places of the sources.

    Example:
        >>> distances(np.array([[0, 1], [1, 2]]), 4, np.array([0])).tolist()
        [0, 1, 2, -1]
    """
    a, b = index
    ones = np.ones(2 * len(a))
    matrix = csr_matrix((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(count, count))  # fmt: skip
    found, front = np.full(count, -1), np.zeros(count, dtype=bool)
    front[sources], step = True, 0
    while front.any():
        found[front] = step
        front, step = (matrix @ front > 0) & (found < 0), step + 1
    return found


def count_components(index: np.ndarray, count: int) -> int:
    """Number of parts of a graph between which no edge leads.

    Example:
        >>> count_components(np.array([[0], [1]]), 3)
        2
    """
    from scipy.sparse.csgraph import connected_components

    matrix = csr_matrix((np.ones(index.shape[1]), (index[0], index[1])), shape=(count, count))
    return int(connected_components(matrix, directed=False)[0])
