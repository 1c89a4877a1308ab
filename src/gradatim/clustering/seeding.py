"""Where k-means begins: rows far from each other."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering.k_means import squared_distances
from gradatim.clustering.rows import check_rows


@takes_arrays
def k_means_plus_plus(x: Tensor, num_clusters: int, *, generator: torch.Generator | None = None) -> Tensor:  # fmt: skip
    r"""Draw rows as centers, each with a probability that grows with the squared distance from those drawn before.

    .. math:: P(x_n) = \frac{D(x_n)^2}{\sum_m D(x_m)^2}, \qquad D(x) = \min_{c \text{ drawn}} \lVert x - c \rVert

    The first is drawn uniformly. The inertia is then, on average, at most :math:`8 (\ln K + 2)` times the least possible one.
    Where all rows are among those drawn, the next is drawn uniformly.

    Args:
        x: Rows, shape ``(N, d)``.
        num_clusters: :math:`K`, how many.
        generator: Source of the draws.

    Returns:
        Centers, shape ``(K, d)``.

    Example:
        >>> x = torch.tensor([[0.0], [0.1], [9.0], [9.1]])
        >>> drawn = k_means_plus_plus(x, 2, generator=torch.Generator().manual_seed(0))
        >>> sorted(drawn.round().flatten().tolist())
        [0.0, 9.0]

    Reference:
        Arthur and Vassilvitskii, k-means++: The Advantages of Careful Seeding, 2007.
    """
    x = check_rows("k_means_plus_plus", x, num_clusters)
    nearest = x.new_ones(len(x))
    drawn: list[Tensor] = []
    for count in range(num_clusters):
        weights = nearest if nearest.any() else torch.ones_like(nearest)
        row = x[torch.multinomial(weights / weights.sum(), 1, generator=generator)]  # (1, d)
        squares = squared_distances(x, row)[:, 0]
        nearest = squares if count == 0 else torch.minimum(nearest, squares)
        drawn.append(row)
    return torch.cat(drawn)
