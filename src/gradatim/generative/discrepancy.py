"""How far two clouds of points are apart in all their moments up to the third, without bias from few rows."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
@torch.no_grad()
def kernel_distance(
    x: Tensor,
    y: Tensor,
    x_weights: Tensor | None = None,
    y_weights: Tensor | None = None,
    *,
    degree: int = 3,
) -> Tensor:
    r"""Unbiased squared maximum mean discrepancy with a polynomial kernel.

    .. math:: d^2 = \frac{\sum_{i\ne j}k(x_i,x_j)}{N(N-1)} + \frac{\sum_{i\ne j}k(y_i,y_j)}{M(M-1)}
        - \frac{2}{NM}\sum_{i,j}k(x_i,y_j), \qquad k(a,b) = \Bigl(\frac{a^\top b}{D}+1\Bigr)^{p}

    Its mean does not depend on how many rows there are, and is 0 where both come from one distribution; by chance it may
    then be below 0. In features of one's own classifier it is not the kernel Inception distance of other papers.

    Args:
        x: Rows, shape ``(N, D)``, at least two.
        y: Rows, shape ``(M, D)``, at least two.
        x_weights: Weights of the rows of ``x``, shape ``(N,)``, or ``(B, N)`` for ``B`` sets of them; equal by default.
        y_weights: The same for ``y``.
        degree: :math:`p`.

    Returns:
        The distance, in double precision; shape ``(B,)`` for sets of weights.

    Example:
        >>> x, y = torch.tensor([[0.0], [1.0]]), torch.tensor([[0.0], [2.0]])
        >>> kernel_distance(x, y, degree=1)
        tensor(-1., dtype=torch.float64)

    Reference:
        Gretton et al., A Kernel Two-Sample Test, 2012; Bińkowski et al., Demystifying MMD GANs, 2018.
    """
    rule = "kernel_distance: x and y must be at least two rows each of the same numbers"
    fit = x.ndim == y.ndim == 2 and x.shape[1] == y.shape[1] and min(len(x), len(y)) > 1
    require(fit, rule, f"{tuple(x.shape)} and {tuple(y.shape)}")
    require(degree >= 1, "kernel_distance: degree must be at least 1", degree)
    x, y = x.double(), y.double()
    w, v = _shares(x, x_weights), _shares(y, y_weights)
    own = _mean_of_pairs(_kernel(x, x, degree), w) + _mean_of_pairs(_kernel(y, y, degree), v)
    return own - 2 * ((w @ _kernel(x, y, degree)) * v).sum(-1)


def _kernel(a: Tensor, b: Tensor, degree: int) -> Tensor:
    return (a @ b.T / a.shape[1] + 1) ** degree


def _shares(rows: Tensor, weights: Tensor | None) -> Tensor:
    if weights is None:
        return rows.new_full((len(rows),), 1 / len(rows))
    return weights.to(rows) / weights.to(rows).sum(-1, keepdim=True)


def _mean_of_pairs(kernel: Tensor, weights: Tensor) -> Tensor:
    """Mean of the kernel over pairs of different rows."""
    same = weights.square()
    total = ((weights @ kernel) * weights).sum(-1) - same @ kernel.diagonal()
    return total / (1 - same.sum(-1))
