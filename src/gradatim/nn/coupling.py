r"""How the nodes of a graph are coupled: the matrix of a GCN, and Laplacians.

An edge of ``edge_index`` leads from row 0, its source :math:`j`, to row 1, its target :math:`i`; an undirected one is listed
both ways. Entry :math:`a_{ij}` of the adjacency matrix :math:`A` is the weight of the edge from :math:`j` to :math:`i`.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import choose
from gradatim.made_once import made_once
from gradatim.nn.sparse_matrix import SparseMatrix, sparse_matrix

KINDS = ("combinatorial", "symmetric", "random-walk")


@takes_arrays
def coupling_matrix(edge_index: Tensor, num_nodes: int, *, edge_weight: Tensor | None = None) -> Tensor:  # fmt: skip
    r"""The matrix by which a GCN mixes a node with its neighbours.

    .. math:: \bar A = D^{-1/2}(A + I)D^{-1/2}, \qquad D = \operatorname{diag}\bigl((A + I)\mathbf 1\bigr)

    Its largest singular value is at most 1 for an undirected graph, so that features do not grow with depth. Its rows do not
    sum to 1: it is no average. A self-loop that is listed stands for the one that :math:`I` would add.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``; edges that are listed twice count twice.
        num_nodes: Number of nodes :math:`N`.
        edge_weight: Weights, shape ``(E,)``; 1 by default.

    Returns:
        :math:`\bar A`, shape ``(N, N)``, in compressed sparse rows.

    Example:
        >>> coupling_matrix(torch.tensor([[0, 1], [1, 0]]), 2).to_dense()
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
    """
    return _as_tensor(_couple(edge_index, num_nodes, edge_weight), edge_weight)


def couple(edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> SparseMatrix:
    r"""The matrix :math:`\bar A` of :func:`coupling_matrix`, ready to be multiplied by; made once for the same edges."""
    if edge_weight is not None:
        return _couple(edge_index, num_nodes, edge_weight)
    return made_once(edge_index, ("coupling", num_nodes), lambda: _couple(edge_index, num_nodes, None))  # fmt: skip


def _couple(edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None) -> SparseMatrix:
    check_edges("coupling_matrix", edge_index, num_nodes, edge_weight)
    rows, columns, weight = _entries(edge_index, num_nodes, edge_weight, add_self_loops=True)
    root = _power(weight.new_zeros(num_nodes).index_add(0, rows, weight), -0.5)
    return sparse_matrix(rows, columns, root[rows] * weight * root[columns], (num_nodes, num_nodes))


def _as_tensor(matrix: SparseMatrix, edge_weight: Tensor | None) -> Tensor:
    """In the precision of the weights, or in the usual one."""
    dtype = torch.get_default_dtype() if edge_weight is None else edge_weight.dtype
    return matrix.with_values(matrix.values.to(dtype)).to_tensor()


def sum_neighbours(
    x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None, *, is_mean: bool = False
) -> Tensor:
    r"""Sums :math:`\sum_{j\to i} a_{ij}x_j` or means of neighbours, without a row for every edge.

    Args:
        x: Features, shape ``(N, F)``.
        edge_index: Sources and targets, shape ``(2, E)``.
        edge_weight: Weights, shape ``(E,)``; 1 by default.
        is_mean: Whether to divide by the sum of the weights; 0 where there is none.

    Example:
        >>> sum_neighbours(torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([[1, 2], [0, 0]]), is_mean=True).flatten()
        tensor([3., 0., 0.])
    """
    count = x.shape[0]

    def make() -> SparseMatrix:
        check_edges("sum_neighbours", edge_index, count, edge_weight)
        rows, columns, weight = _entries(edge_index, count, edge_weight, add_self_loops=False)
        if is_mean:
            total = weight.new_zeros(count).index_add(0, rows, weight)
            weight = weight / torch.where(total > 0, total, 1.0)[rows]
        return sparse_matrix(rows, columns, weight, (count, count))

    key = ("neighbours", count, is_mean)
    matrix = make() if edge_weight is not None else made_once(edge_index, key, make)
    return matrix.times(x)


@takes_arrays
def laplacian(
    edge_index: Tensor,
    num_nodes: int,
    *,
    kind: str = "combinatorial",
    edge_weight: Tensor | None = None,
) -> Tensor:
    r"""How far a node lies from its neighbours.

    .. math:: L = D - A, \qquad L_\text{sym} = D^{-1/2}(D - A)D^{-1/2}, \qquad L_\text{rw} = D^{-1}(D - A)

    with degrees :math:`d_i = \sum_j a_{ij}`, so that :math:`(Lf)_i = d_i f_i - \sum_j a_{ij}f_j`. For an undirected graph the
    first two are positive semidefinite, with one eigenvalue 0 for each component. A node without neighbours has a row of zeros.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.
        num_nodes: Number of nodes :math:`N`.
        kind: ``"combinatorial"``, ``"symmetric"`` or ``"random-walk"``.
        edge_weight: Weights, shape ``(E,)``; 1 by default.

    Returns:
        Shape ``(N, N)``, in compressed sparse rows.

    Example:
        >>> laplacian(torch.tensor([[0, 1], [1, 0]]), 3).to_dense()
        tensor([[ 1., -1.,  0.],
                [-1.,  1.,  0.],
                [ 0.,  0.,  0.]])
    """
    return _as_tensor(laplacian_of(edge_index, num_nodes, kind, edge_weight), edge_weight)


def laplacian_of(edge_index: Tensor, num_nodes: int, kind: str, edge_weight: Tensor | None = None) -> SparseMatrix:  # fmt: skip
    """The matrix of :func:`laplacian`, ready to be multiplied by."""
    choose("laplacian", "kind", kind, KINDS)
    check_edges("laplacian", edge_index, num_nodes, edge_weight)
    rows, columns, weight = _entries(edge_index, num_nodes, edge_weight, add_self_loops=False)
    degree = weight.new_zeros(num_nodes).index_add(0, rows, weight)
    left = right = torch.ones_like(degree)
    if kind == "symmetric":
        left = right = _power(degree, -0.5)
    elif kind == "random-walk":
        left = _power(degree, -1.0)
    every = torch.arange(num_nodes, device=rows.device)
    values = torch.cat([degree * left * right, -left[rows] * weight * right[columns]])
    rows, columns = torch.cat([every, rows]), torch.cat([every, columns])
    rows, columns, values = _merge(rows, columns, values, num_nodes)
    return sparse_matrix(rows, columns, values, (num_nodes, num_nodes))


def _entries(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None, *, add_self_loops: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Rows, columns and values of the adjacency matrix, each place once."""
    columns, rows = edge_index.long()
    weight = torch.ones(len(rows), device=rows.device) if edge_weight is None else edge_weight
    weight = weight.double()
    if add_self_loops:
        has_own = torch.zeros(num_nodes, dtype=torch.bool, device=rows.device)
        has_own[rows[rows == columns]] = True
        added = torch.nonzero(~has_own).flatten()
        rows, columns = torch.cat([rows, added]), torch.cat([columns, added])
        weight = torch.cat([weight, weight.new_ones(len(added))])
    return _merge(rows, columns, weight, num_nodes)


def _merge(rows: Tensor, columns: Tensor, values: Tensor, num_nodes: int) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Add up entries of the same place."""
    places, where = torch.unique(rows * num_nodes + columns, return_inverse=True)
    if len(places) == len(rows):
        return rows, columns, values
    total = values.new_zeros(len(places)).index_add(0, where, values)
    return places // max(num_nodes, 1), places % max(num_nodes, 1), total


def _power(degree: Tensor, exponent: float) -> Tensor:
    """A power of the degrees, 0 for a node without any."""
    return torch.where(degree > 0, degree.clamp(min=1e-300).pow(exponent), 0.0)
