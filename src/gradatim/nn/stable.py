r"""Exponentials and logarithms that neither overflow nor lose their digits.

Every function subtracts the largest input before it exponentiates,

.. math:: \log\sum_k e^{x_k} = m + \log\sum_k e^{x_k-m}, \qquad m=\max_k x_k,

so that no exponent is positive. Inputs up to ±1e30 in single precision are fine, and so are −inf and
masked entries: a row with nothing in it has log-sum-exp −inf and softmax 0, with gradient 0, where
``torch.softmax`` gives NaN.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays


def _shifted(x: Tensor, dim: int, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Inputs minus the row's maximum, and that maximum; what is masked, or −inf, becomes −inf."""
    if mask is not None:
        x = x.masked_fill(~mask, -torch.inf)
    peak = x.detach().amax(dim, keepdim=True)
    peak = torch.where(peak == -torch.inf, 0.0, peak)  # an empty row: −inf − (−inf) would be NaN
    return x - peak, peak


def _log_total(shifted: Tensor, dim: int) -> Tensor:
    total = torch.exp(shifted).sum(dim, keepdim=True)  # in [1, K], or 0 for an empty row
    return torch.where(total == 0, -torch.inf, torch.log(torch.where(total == 0, 1.0, total)))


@takes_arrays
def log_sum_exp(x: Tensor, dim: int = -1, *, mask: Tensor | None = None) -> Tensor:
    r"""Soft maximum :math:`\log\sum_k e^{x_k}` along ``dim``.

    Args:
        x: Inputs of any shape.
        dim: Axis that is summed and dropped.
        mask: True where an entry counts, broadcastable to ``x``; all by default.

    Example:
        >>> log_sum_exp(torch.tensor([1e30, 1e30, -1e30]))
        tensor(1.0000e+30)
        >>> log_sum_exp(torch.zeros(2, 4))
        tensor([1.3863, 1.3863])
    """
    shifted, peak = _shifted(x, dim, mask)
    return (peak + _log_total(shifted, dim)).squeeze(dim)


@takes_arrays
def log_softmax(x: Tensor, dim: int = -1, *, mask: Tensor | None = None) -> Tensor:
    r"""Log-probabilities :math:`(x_k-m)-\log\sum_j e^{x_j-m}` along ``dim``.

    The brackets matter: :math:`x_k-\log\sum_j e^{x_j}` is the same on paper, but at
    :math:`x=(10^{30},10^{30})` it rounds to 0 instead of :math:`-\log 2`.

    Args:
        x: Logits of any shape.
        dim: Axis of the classes.
        mask: True where an entry counts; the others get −inf.

    Example:
        >>> log_softmax(torch.tensor([1e30, 1e30]))
        tensor([-0.6931, -0.6931])
    """
    shifted, _ = _shifted(x, dim, mask)
    total = _log_total(shifted, dim)
    return shifted - torch.where(total == -torch.inf, 0.0, total)


@takes_arrays
def softmax(x: Tensor, dim: int = -1, *, mask: Tensor | None = None) -> Tensor:
    r"""Probabilities :math:`e^{x_k-m}/\sum_j e^{x_j-m}` along ``dim``.

    Args:
        x: Logits of any shape.
        dim: Axis of the classes.
        mask: True where an entry counts; the others, and every entry of an empty row, get 0.

    Example:
        >>> softmax(torch.tensor([2.0, 1.0, 0.1]))
        tensor([0.6590, 0.2424, 0.0986])
        >>> softmax(torch.zeros(2), mask=torch.tensor([False, False]))
        tensor([0., 0.])
    """
    exponential = torch.exp(_shifted(x, dim, mask)[0])
    total = exponential.sum(dim, keepdim=True)
    return exponential / torch.where(total == 0, 1.0, total)


@takes_arrays
def log1mexp(x: Tensor) -> Tensor:
    r"""Logarithm of a complement, :math:`\log(1-e^{x})` for :math:`x<0`, exact near 0 and far from it.

    Args:
        x: Log-probabilities, negative.

    Example:
        >>> log1mexp(torch.tensor([-1e-6, -50.0], dtype=torch.float64))
        tensor([-1.3816e+01, -1.9287e-22], dtype=torch.float64)

    Reference:
        Mächler, Accurately Computing log(1 − exp(−|a|)), 2012.
    """
    near = x > -0.6931471805599453
    safe_near = torch.where(near, x, -1.0)
    safe_far = torch.where(near, -1.0, x)
    return torch.where(near, torch.log(-torch.expm1(safe_near)), torch.log1p(-torch.exp(safe_far)))


@takes_arrays
def log_mean_exp(x: Tensor, dim: int = -1) -> Tensor:
    r"""Logarithm of a mean of probabilities given their logarithms, :math:`\log\frac1K\sum_k e^{x_k}`.

    Args:
        x: Log-probabilities or log-weights of any shape.
        dim: Axis that is averaged and dropped.

    Example:
        >>> log_mean_exp(torch.tensor([-1000.0, -1000.0]))
        tensor(-1000.)
    """
    return log_sum_exp(x, dim) - torch.log(torch.tensor(float(x.shape[dim]), dtype=x.dtype))
