"""The likelihood of a forecast that states its own uncertainty."""

import math

from torch import Tensor

from gradatim.array_arguments import takes_arrays


@takes_arrays
def gaussian_likelihood(output: Tensor, target: Tensor) -> Tensor:
    r"""Mean negative log-likelihood of Gaussian forecasts.

    .. math:: E = \frac1n\sum_i \frac{(y_i-\mu_i)^2}{2\sigma_i^2} + \log\sigma_i + \tfrac12\log 2\pi

    Args:
        output: :math:`\mu` and :math:`\sigma > 0` along the last axis, shape ``(..., 2)``.
        target: :math:`y`, shape ``(...)``.

    Example:
        >>> import torch
        >>> gaussian_likelihood(torch.tensor([[1.0, 1.0]]), torch.tensor([1.0])).item()  # log(2π) / 2
        0.9189385175704956
    """
    mean, scale = output.unbind(-1)
    error = (target - mean) / scale
    return (0.5 * error**2 + scale.log()).mean() + 0.5 * math.log(2 * math.pi)
