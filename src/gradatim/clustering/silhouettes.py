"""How much nearer a row is to its own cluster than to the next one."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def silhouettes(distances: Tensor, labels: Tensor) -> Tensor:
    r"""The silhouette of every row, from -1 (in the wrong cluster) over 0 (between two) to 1 (far from all others).

    .. math::
        s_n = \frac{b_n - a_n}{\max(a_n, b_n)}, \qquad
        a_n = \operatorname*{mean}_{m \ne n,\ z_m = z_n} D_{nm}, \qquad
        b_n = \min_{k \ne z_n} \operatorname*{mean}_{z_m = k} D_{nm}

    The silhouette of a row alone in its cluster is 0.

    Args:
        distances: :math:`D` between all rows, shape ``(N, N)``.
        labels: :math:`z`: the cluster of each row, whole numbers, at least two different ones, shape ``(N,)``.

    Returns:
        Shape ``(N,)``.

    Example:
        >>> x = torch.tensor([[0.0], [1.0], [9.0]])
        >>> silhouettes(torch.cdist(x, x), [0, 0, 1])
        tensor([0.8889, 0.8750, 0.0000])

    Reference:
        Rousseeuw, Silhouettes, 1987.
    """
    is_square = distances.ndim == 2 and labels.ndim == 1 and distances.shape == (len(labels), len(labels))  # fmt: skip
    require(is_square, "silhouettes: distances must be (N, N) for labels (N,)", f"{tuple(distances.shape)} and {tuple(labels.shape)}")  # fmt: skip
    names, places = labels.unique(return_inverse=True)
    require(len(names) > 1, "silhouettes: labels must be of at least two clusters", len(names))
    distances = distances if distances.is_floating_point() else distances.double()
    member = torch.nn.functional.one_hot(places, len(names)).to(distances)  # (N, K)
    sizes = member.sum(0)
    sums = distances @ member  # (N, K)
    own = sums.gather(1, places[:, None])[:, 0] / (sizes[places] - 1).clamp(min=1)
    others = (sums / sizes).masked_fill(member.bool(), torch.inf).min(1).values
    larger = torch.maximum(own, others)
    found = (others - own) / larger.where(larger > 0, torch.ones_like(larger))
    return found.masked_fill(sizes[places] == 1, 0.0)
