"""Positions and clusters of nodes from the slowest waves of their graph."""

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering import find_clusters
from gradatim.errors import require
from gradatim.nn import graph_fourier, laplacian


@takes_arrays
def laplacian_positions(edge_index: Tensor, num_nodes: int, *, dim: int) -> Tensor:
    r"""Coordinates of nodes: the eigenvectors of :math:`L_\text{sym}` with the lowest frequencies but the first.

    Signs mean nothing; the largest entry of each column is made positive. Where frequencies are equal, so do directions.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``, each edge both ways.
        num_nodes: Number of nodes.
        dim: Coordinates of a node, at most one less than there are nodes.

    Returns:
        Shape ``(num_nodes, dim)``.

    Example:
        >>> path = [[0, 1, 1, 2], [1, 0, 2, 1]]
        >>> laplacian_positions(path, 3, dim=1).abs().round(decimals=3).flatten()
        tensor([0.7070, 0.0000, 0.7070])
    """
    require(0 < dim < num_nodes, f"laplacian_positions: dim must be from 1 to {num_nodes - 1}", dim)
    L = laplacian(edge_index, num_nodes, kind="symmetric").to_dense().double()
    waves = graph_fourier(L).basis[:, 1 : dim + 1]
    ends = waves.gather(0, waves.abs().argmax(0, keepdim=True))
    return (waves * ends.sign()).float()


@takes_arrays
def spectral_clustering(edge_index: Tensor, num_nodes: int, num_clusters: int, *, seed: int = 0) -> Tensor:  # fmt: skip
    """Cut a graph into parts with few edges between them: k-means on the slowest waves, each node scaled to length 1.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``, each edge both ways.
        num_nodes: Number of nodes.
        num_clusters: Parts.
        seed: Fixes the start of k-means.

    Returns:
        The part of each node, from 0, shape ``(num_nodes,)``.

    Example:
        >>> two = [[0, 1, 2, 3], [1, 0, 3, 2]]
        >>> parts = spectral_clustering(two, 4, 2)
        >>> bool(parts[0] == parts[1] != parts[2]), bool(parts[2] == parts[3])
        (True, True)

    Reference:
        Ng, Jordan and Weiss, On Spectral Clustering, 2002.
    """
    rule = f"spectral_clustering: num_clusters must be from 1 to {num_nodes}"
    require(1 <= num_clusters <= num_nodes, rule, num_clusters)
    L = laplacian(edge_index, num_nodes, kind="symmetric").to_dense().double()
    waves = graph_fourier(L).basis[:, :num_clusters]
    rows = waves / waves.norm(dim=1, keepdim=True).clamp(min=1e-12)
    return find_clusters(rows, num_clusters, seed=seed).labels
