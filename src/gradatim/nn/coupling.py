r"""How the nodes of a graph are coupled: the matrix of a GCN, and Laplacians.

An edge of ``edge_index`` leads from row 0, its source :math:`j`, to row 1, its target :math:`i`; an undirected one is listed
both ways. Entry :math:`a_{ij}` of the adjacency matrix :math:`A` is the weight of the edge from :math:`j` to :math:`i`.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import choose
from gradatim.made_once import made_once
from gradatim.nn.sparse_matrix import SparseMatrix
from gradatim.nn.sparse_pattern import SparsePattern, merge_places

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
    dtype = torch.get_default_dtype() if edge_weight is None else edge_weight.dtype
    return _couple(edge_index, num_nodes, edge_weight, _wide(dtype)).to_tensor()


def couple(
    edge_index: Tensor,
    num_nodes: int,
    edge_weight: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> SparseMatrix:
    r"""The matrix :math:`\bar A` of :func:`coupling_matrix`, ready to be multiplied by; made once for the same edges.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.
        num_nodes: Number of nodes.
        edge_weight: Weights, shape ``(E,)``; 1 by default.
        dtype: Precision of what it is multiplied with; the usual one by default.
    """
    wide = _wide(dtype or torch.get_default_dtype())
    make = partial(_couple, edge_index, num_nodes, edge_weight, wide)
    return _kept(edge_index, ("coupling", num_nodes, wide), edge_weight, make)


def _couple(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None, dtype: torch.dtype
) -> SparseMatrix:
    A = _adjacency("coupling_matrix", edge_index, num_nodes, edge_weight, loops=1.0)
    root = _power(_degrees(A), -0.5)
    return _scale(A, root, root, dtype)


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
    count, wide = x.shape[0], _wide(x.dtype)

    def make() -> SparseMatrix:
        A = _adjacency("sum_neighbours", edge_index, count, edge_weight)
        one = torch.ones(count, dtype=torch.float64, device=A.values.device)
        return _scale(A, _power(_degrees(A), -1.0) if is_mean else one, one, wide)

    return _kept(edge_index, ("neighbours", count, is_mean, wide), edge_weight, make).times(x)


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
    choose("laplacian", "kind", kind, KINDS)
    dtype = torch.get_default_dtype() if edge_weight is None else edge_weight.dtype
    return _laplacian(edge_index, num_nodes, kind, edge_weight, _wide(dtype)).to_tensor()


def symmetric_laplacian(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None, dtype: torch.dtype
) -> SparseMatrix:
    """The symmetric matrix of :func:`laplacian`, ready to be multiplied by; made once for the same edges."""
    make = partial(_laplacian, edge_index, num_nodes, "symmetric", edge_weight, _wide(dtype))
    return _kept(edge_index, ("laplacian", num_nodes, _wide(dtype)), edge_weight, make)


def _laplacian(
    edge_index: Tensor, num_nodes: int, kind: str, edge_weight: Tensor | None, dtype: torch.dtype
) -> SparseMatrix:
    A = _adjacency("laplacian", edge_index, num_nodes, edge_weight, loops=0.0)
    degree = _degrees(A)
    left = right = torch.ones_like(degree)
    if kind == "symmetric":
        left = right = _power(degree, -0.5)
    elif kind == "random-walk":
        left = _power(degree, -1.0)
    rows = A.pattern.rows
    own = torch.where(rows == A.pattern.columns, degree.index_select(0, rows), 0.0)
    return _scale(A.with_values(own - A.values), left, right, dtype)


def _wide(dtype: torch.dtype) -> torch.dtype:
    """At least single precision."""
    return torch.promote_types(dtype, torch.float32)


def _kept(
    edge_index: Tensor, key: object, edge_weight: Tensor | None, make: Callable[[], SparseMatrix]
) -> SparseMatrix:
    """Make a matrix of edges once; weights may be learned, so what is made of them is not kept."""
    return made_once(edge_index, key, make) if edge_weight is None else make()


def _adjacency(
    owner: str,
    edge_index: Tensor,
    num_nodes: int,
    edge_weight: Tensor | None,
    *,
    loops: float | None = None,
) -> SparseMatrix:
    """The matrix :math:`A` in double precision; edges that are listed twice count twice.

    Args:
        owner: Who asks, for the message.
        edge_index: Sources and targets, shape ``(2, E)``.
        num_nodes: Number of nodes.
        edge_weight: Weights, shape ``(E,)``; 1 by default.
        loops: Entry of the diagonal where no self-loop is listed; only those that are listed by default.
    """
    check_edges(owner, edge_index, num_nodes, edge_weight)

    def find() -> tuple[SparsePattern, Tensor]:
        columns, rows = edge_index.long()
        if loops is not None:
            every = torch.arange(num_nodes, device=rows.device)
            rows, columns = torch.cat([rows, every]), torch.cat([columns, every])
        pattern, entry = merge_places(rows, columns, (num_nodes, num_nodes))
        return pattern, entry[: edge_index.shape[1]]

    pattern, entry = find() if edge_weight is None else made_once(edge_index, ("places", num_nodes, loops is None), find)  # fmt: skip
    times_listed = torch.bincount(entry, minlength=len(pattern.columns))
    values = times_listed.double()
    if edge_weight is not None:
        values = torch.zeros_like(values).index_add(0, entry, edge_weight.double())
    if loops:
        values = torch.where(times_listed == 0, loops, values)
    return SparseMatrix(pattern, values)


def _degrees(A: SparseMatrix) -> Tensor:
    """Sums of the rows."""
    return A.times(A.values.new_ones(A.shape[1], 1))[:, 0]


def _scale(A: SparseMatrix, left: Tensor, right: Tensor, dtype: torch.dtype) -> SparseMatrix:
    """The matrix with its rows and columns multiplied by factors, in the precision asked for."""
    rows, columns = A.pattern.rows, A.pattern.columns
    values = left.to(dtype).index_select(0, rows) * A.values.to(dtype)
    return A.with_values(values * right.to(dtype).index_select(0, columns))


def _power(degree: Tensor, exponent: float) -> Tensor:
    """A power of the degrees, 0 for a node without any."""
    return torch.where(degree > 0, degree.clamp(min=1e-300).pow(exponent), 0.0)
