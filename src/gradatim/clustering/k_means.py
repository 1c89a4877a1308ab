r"""k-means: every row to its nearest center, every center to the mean of its rows, until nothing moves.

.. math::
    W(c, z) = \sum_n \lVert x_n - c_{z_n} \rVert^2, \qquad
    z_n \leftarrow \arg\min_k \lVert x_n - c_k \rVert, \qquad
    c_k \leftarrow \frac{1}{|\{n: z_n = k\}|} \sum_{n: z_n = k} x_n

Each half of a step minimizes :math:`W` over what it changes, so the inertia :math:`W` never rises; a row moves only to a
center that is strictly nearer, so no partition comes back, and there are finitely many: it ends. Where it ends depends on
where it begins.

Reference:
    Lloyd, Least squares quantization in PCM, 1957/1982.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering.rows import check_centers, check_rows
from gradatim.errors import require

__all__ = ["Info", "State", "descend", "init", "step"]


class State(NamedTuple):
    r"""Where k-means stands.

    Args:
        centers: :math:`c`, shape ``(K, d)``.
        labels: :math:`z`: the cluster of each row, shape ``(N,)``.
        inertia: :math:`W(c, z)`.
    """

    centers: Tensor
    labels: Tensor
    inertia: Tensor


class Info(NamedTuple):
    """What a step did.

    Args:
        moved: How many rows changed their cluster; none means that k-means is done.
        shift: The longest way that a center went.
    """

    moved: Tensor
    shift: Tensor


@takes_arrays
def init(x: Tensor, centers: Tensor) -> State:
    """Give every row to the nearest of the centers.

    Args:
        x: Rows, shape ``(N, d)``.
        centers: Where to begin, shape ``(K, d)``.

    Example:
        >>> state = init([[0.0], [1.0], [9.0]], [[0.0], [1.0]])
        >>> state.labels, state.inertia
        (tensor([0, 1, 1]), tensor(64.))
    """
    x = check_rows("k_means.init", x)
    centers = check_centers("k_means.init", x, centers)
    squares, labels = squared_distances(x, centers).min(1)
    return State(centers, labels, squares.sum())


@takes_arrays
def step(x: Tensor, state: State) -> tuple[State, Info]:
    """Move every center to the mean of its rows, then every row to a center that is nearer than its own.

    A center without rows stays where it is.

    Args:
        x: Rows, shape ``(N, d)``, as given to ``init``.
        state: Of ``init`` or the step before.

    Example:
        >>> state, info = step([[0.0], [1.0], [9.0]], init([[0.0], [1.0], [9.0]], [[0.0], [1.0]]))
        >>> state.centers.flatten(), state.labels, state.inertia, info.moved
        (tensor([0., 5.]), tensor([0, 0, 1]), tensor(17.), tensor(1))
    """
    x = check_rows("k_means.step", x)
    count, labels = len(state.centers), state.labels
    sizes = labels.bincount(minlength=count)[:, None]
    sums = torch.zeros_like(state.centers).index_add_(0, labels, x)
    centers = torch.where(sizes > 0, sums / sizes.clamp(min=1), state.centers)
    squares = squared_distances(x, centers)  # (N, K)
    own = squares.gather(1, labels[:, None])[:, 0]
    least, nearest = squares.min(1)
    is_nearer = least < own
    moved = torch.where(is_nearer, nearest, labels)
    shift = (centers - state.centers).norm(dim=1).max()
    return State(centers, moved, least.sum()), Info(is_nearer.sum(), shift)


@takes_arrays
def descend(x: Tensor, centers: Tensor, *, max_steps: int = 1000) -> list[State]:
    """All states from a start until no row moves, the last one included.

    Args:
        x: Rows, shape ``(N, d)``.
        centers: Where to begin, shape ``(K, d)``.
        max_steps: The most steps.

    Example:
        >>> [state.inertia.item() for state in descend([[0.0], [1.0], [9.0]], [[0.0], [1.0]])]
        [64.0, 17.0, 0.5]
    """
    require(max_steps >= 0, "k_means.descend: max_steps must be at least 0", max_steps)
    found = [init(x, centers)]
    for _ in range(max_steps):
        state, info = step(x, found[-1])
        if not info.moved and not info.shift:
            break
        found.append(state)
    return found


def squared_distances(x: Tensor, centers: Tensor) -> Tensor:
    """Squared distances of rows from centers, without the cancellation of the product form, shape ``(N, K)``."""
    return torch.cdist(x, centers, compute_mode="donot_use_mm_for_euclid_dist").square()
