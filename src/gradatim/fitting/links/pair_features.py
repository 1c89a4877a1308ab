r"""What simple models know of a pair of nodes, from their neighbours or from their columns.

With neighbours :math:`N_i` over edges in either direction and :math:`d_i = |N_i|`:

.. math:: \text{attachment} = d_i d_j, \qquad \text{common} = |N_i \cap N_j|, \qquad
    \text{Adamic-Adar} = \sum_{z \in N_i \cap N_j} \frac1{\log d_z}

An edge between the two nodes themselves is left out of their degrees, so that a known edge looks as an unknown one would.
Where edges have a direction, attachment multiplies the edges that leave :math:`i` by those that reach :math:`j`.

Reference:
    Liben-Nowell and Kleinberg, The Link Prediction Problem for Social Networks, 2003.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

from gradatim.fitting.nodes.view import NodeView

NOTHING, ATTACHMENT, COMMON, ADAMIC_ADAR, COLUMNS = "nothing", "attachment", "common", "adamic-adar", "columns"  # fmt: skip
SOURCES = (NOTHING, ATTACHMENT, COMMON, ADAMIC_ADAR, COLUMNS)
ENTRIES = 5_000_000  # neighbours, or cells of columns, that are looked at together


def extract(source: str, view: NodeView, pairs: np.ndarray, *, is_directed: bool) -> np.ndarray:
    """Features of pairs, shape ``(P, features)``.

    Args:
        source: What is looked at, one of :data:`SOURCES`.
        view: The graph as it may be seen.
        pairs: Places of both nodes, shape ``(2, P)``.
        is_directed: Whether the order counts.
    """
    if source == NOTHING:
        return np.zeros((pairs.shape[1], 1))
    if source == COLUMNS:
        return compare_columns(view.x, pairs, is_directed=is_directed)
    if source == ATTACHMENT:
        return np.log1p(attachment(view, pairs))[:, None]
    return np.log1p(shared_neighbours(view, pairs, is_weighted=source == ADAMIC_ADAR))[:, None]


def attachment(view: NodeView, pairs: np.ndarray) -> np.ndarray:
    """Product of the edges that leave the first node and those that reach the second, without one between the two.

    Args:
        view: The graph.
        pairs: Places of both nodes, shape ``(2, P)``.

    Example:
        >>> path = NodeView(np.zeros((3, 0)), np.array([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> attachment(path, np.array([[0, 0], [2, 1]])).tolist()
        [1.0, 0.0]
    """
    links = _links(view)
    leaving, reaching = np.asarray(links.sum(0)).ravel(), np.asarray(links.sum(1)).ravel()
    own = np.asarray(links[pairs[1], pairs[0]]).ravel()
    return (leaving[pairs[0]] - own) * (reaching[pairs[1]] - own)


def shared_neighbours(view: NodeView, pairs: np.ndarray, *, is_weighted: bool = False) -> np.ndarray:  # fmt: skip
    r"""Number of neighbours that both nodes have, or :math:`\sum_z 1/\log d_z` over them.

    Args:
        view: The graph.
        pairs: Places of both nodes, shape ``(2, P)``.
        is_weighted: Whether a neighbour of many counts less.

    Example:
        >>> path = NodeView(np.zeros((3, 0)), np.array([[0, 1, 1, 2], [1, 0, 2, 1]]))
        >>> shared_neighbours(path, np.array([[0, 0], [2, 1]])).tolist()
        [1.0, 0.0]
    """
    links = _links(view)
    either = (links + links.T).tocsr()
    either.data[:] = 1.0
    degree = np.diff(either.indptr)
    weight = 1 / np.log(np.maximum(degree, 2)) if is_weighted else np.ones(len(view))
    found = np.zeros(pairs.shape[1])
    for part in _parts(degree[pairs].sum(0)):
        a, b = pairs[:, part]
        found[part] = either[a].multiply(either[b]).tocsr() @ weight
    return found


def compare_columns(x: np.ndarray, pairs: np.ndarray, *, is_directed: bool) -> np.ndarray:
    """Products and differences of the features of both nodes; sizes of differences where the order does not count.

    Example:
        >>> compare_columns(np.array([[1.0], [3.0]]), np.array([[0], [1]]), is_directed=True).tolist()
        [[3.0, -2.0]]
    """
    a, b = x[pairs[0]], x[pairs[1]]
    return np.concatenate([a * b, a - b if is_directed else np.abs(a - b)], axis=1)


def _links(view: NodeView) -> csr_matrix:
    """1 where an edge leads from a column to a row."""
    links = view.adjacency.copy()
    links.data[:] = 1.0
    return links


def _parts(work: np.ndarray) -> Iterator[slice]:
    """Cut rows so that each part has little work."""
    until = np.cumsum(work)
    cuts = np.unique(np.searchsorted(until, np.arange(ENTRIES, until[-1] if len(until) else 0, ENTRIES)))  # fmt: skip
    for start, end in zip([0, *cuts], [*cuts, len(work)], strict=True):
        if end > start:
            yield slice(start, end)
