"""Random graphs for laws, and their matrices written out."""

import torch
from hypothesis import strategies as st


def edges_of(adjacency):
    """Edges from column to row, as a dense adjacency matrix has them."""
    return adjacency.T.nonzero().T


@st.composite
def adjacencies(draw, *, most=8, is_directed=False):
    """Dense matrices of zeros and ones, of graphs with none, one or several components."""
    n = draw(st.integers(1, most))
    bits = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    A = torch.tensor(bits).view(n, n).double()
    A.fill_diagonal_(0)
    return A if is_directed else torch.triu(A, 1) + torch.triu(A, 1).T


def coupling(A):
    """The matrix of a GCN, entry by entry."""
    n = len(A)
    degree = [1 + sum(A[i, j].item() for j in range(n)) for i in range(n)]
    return torch.tensor(
        [[(A[i, j].item() + (i == j)) / (degree[i] * degree[j]) ** 0.5 for j in range(n)] for i in range(n)]
    ).double()  # fmt: skip


def components(A):
    """Number of connected parts, by walking."""
    left, count = set(range(len(A))), 0
    while left:
        count, stack = count + 1, [left.pop()]
        while stack:
            near = {j for j in A[stack.pop()].nonzero().flatten().tolist() if j in left}
            left -= near
            stack += near
    return count
