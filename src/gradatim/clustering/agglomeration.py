r"""Agglomerative merging: the two nearest clusters become one, until one is left.

How far a merged cluster is from another one, :math:`k`, follows from the distances before (Lance and Williams):

.. math:: d(i \cup j, k) = \alpha_i\,d(i, k) + \alpha_j\,d(j, k) + \beta\,d(i, j) + \gamma\,|d(i, k) - d(j, k)|

========  ==========================================  =====================================  ==========  ==============
linkage   :math:`\alpha_i`                            :math:`\beta`                          :math:`\gamma`  :math:`d`
========  ==========================================  =====================================  ==========  ==============
single    1/2                                         0                                      -1/2        distance
complete  1/2                                         0                                      1/2         distance
average   :math:`n_i / (n_i + n_j)`                   0                                      0           distance
ward      :math:`(n_i + n_k) / (n_i + n_j + n_k)`     :math:`-n_k / (n_i + n_j + n_k)`       0           its square
========  ==========================================  =====================================  ==========  ==============

The height of a merge is the distance of what it merges; of Ward's, the square of the height is twice the inertia that the
merge adds. All four are monotone: no merge is lower than one before it.

Some lecture notes show a dendrogram of fifty points in three clusters, cut near 15, and do not name its linkage: it is Ward's,
whose heights grow with what is merged. Those of the others stay within the distances of the points.

Reference:
    Lance and Williams, A general theory of classificatory sorting strategies, 1967; Ward, 1963.
"""

from typing import Literal, NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering.rows import check_rows
from gradatim.errors import choose, require

__all__ = ["LINKAGES", "Info", "State", "agglomerate", "init", "step"]

Linkage = Literal["single", "complete", "average", "ward"]
LINKAGES: tuple[Linkage, ...] = ("single", "complete", "average", "ward")


class State(NamedTuple):
    """Clusters that are left.

    Args:
        distances: Between them (squared for Ward), infinite on the diagonal, shape ``(M, M)``.
        sizes: Rows of each, shape ``(M,)``.
        ids: Their numbers: a row's own, then ``N``, ``N + 1``, … for what was merged, shape ``(M,)``.
        linkage: How distances are had.
    """

    distances: Tensor
    sizes: Tensor
    ids: Tensor
    linkage: str


class Info(NamedTuple):
    """A merge, as a line of SciPy's linkage matrix.

    Args:
        first: Number of one cluster, the smaller.
        second: Number of the other.
        height: Their distance.
        size: Rows of both.
    """

    first: int
    second: int
    height: float
    size: int


@takes_arrays
def init(x: Tensor, linkage: str = "ward") -> State:
    """Every row is a cluster of its own.

    Args:
        x: Rows, shape ``(N, d)``.
        linkage: ``"single"``, ``"complete"``, ``"average"`` or ``"ward"``.

    Example:
        >>> init([[0.0], [3.0]], "ward").distances
        tensor([[inf, 9.],
                [9., inf]], dtype=torch.float64)
    """
    choose("agglomeration.init", "linkage", linkage, LINKAGES)
    x = check_rows("agglomeration.init", x).double()
    away = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist")
    distances = away.square() if linkage == "ward" else away
    distances.fill_diagonal_(torch.inf)
    ones = torch.ones(len(x), dtype=torch.long)
    return State(distances, ones, torch.arange(len(x)), linkage)


def step(state: State) -> tuple[State, Info]:
    """Merge the two nearest clusters.

    Args:
        state: Of ``init`` or the step before, with two clusters at least.

    Example:
        >>> state, info = step(init([[0.0], [3.0], [4.0]], "single"))
        >>> info, state.distances[0, 1].item()
        (Info(first=1, second=2, height=1.0, size=2), 3.0)
    """
    count = len(state.ids)
    require(count > 1, "agglomeration.step: state must have two clusters at least", count)
    d, n = state.distances, state.sizes
    i, j = divmod(int(d.argmin()), count)
    height = float(d[i, j].sqrt() if state.linkage == "ward" else d[i, j])
    kept = torch.tensor([k for k in range(count) if k not in (i, j)], dtype=torch.long)
    away = _merged(state, i, j)[kept]
    distances = torch.full((count - 1, count - 1), torch.inf, dtype=d.dtype)
    distances[:-1, :-1] = d[kept][:, kept]
    distances[-1, :-1] = distances[:-1, -1] = away
    first, second = sorted((int(state.ids[i]), int(state.ids[j])))
    size, new = int(n[i] + n[j]), 2 * int(n.sum()) - count
    sizes = torch.cat([n[kept], n.new_tensor([size])])
    ids = torch.cat([state.ids[kept], state.ids.new_tensor([new])])
    return State(distances, sizes, ids, state.linkage), Info(first, second, height, size)


@takes_arrays
def agglomerate(x: Tensor, linkage: str = "ward") -> Tensor:
    """Merge all rows, the two nearest clusters first; for small sets, as the time grows with the cube of the rows.

    :func:`scipy.cluster.hierarchy.linkage` gives the same in less time, and :func:`scipy.cluster.hierarchy.dendrogram` draws
    either.

    Args:
        x: Rows, shape ``(N, d)``.
        linkage: ``"single"``, ``"complete"``, ``"average"`` or ``"ward"``.

    Returns:
        A merge in each line: two clusters, the height, rows of both; shape ``(N - 1, 4)``.

    Example:
        >>> agglomerate([[0.0], [3.0], [4.0]], "complete").tolist()
        [[1.0, 2.0, 1.0, 2.0], [0.0, 3.0, 4.0, 3.0]]
    """
    state, merges = init(x, linkage), []
    while len(state.ids) > 1:
        state, info = step(state)
        merges.append(info)
    return torch.tensor(merges, dtype=torch.float64).reshape(-1, 4)


def _merged(state: State, i: int, j: int) -> Tensor:
    """Distances of all clusters from what becomes of the clusters at ``i`` and ``j``."""
    to_i, to_j, between = state.distances[i], state.distances[j], state.distances[i, j]
    if state.linkage == "single":
        return torch.minimum(to_i, to_j)
    if state.linkage == "complete":
        return torch.maximum(to_i, to_j)
    n_i, n_j, n_k = state.sizes[i], state.sizes[j], state.sizes
    if state.linkage == "average":
        return (n_i * to_i + n_j * to_j) / (n_i + n_j)
    return ((n_i + n_k) * to_i + (n_j + n_k) * to_j - n_k * between) / (n_i + n_j + n_k)
