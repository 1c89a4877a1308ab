r"""Noise on inputs.

For linear regression with squared error, noise of variance :math:`\sigma^2` on the inputs adds
:math:`\sigma^2\lVert w\rVert^2` to the expected error: ridge with :math:`\gamma=2\sigma^2`.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def add_noise(x: Tensor, *, std: float = 0.1, generator: torch.Generator | None = None) -> Tensor:
    r"""Add independent Gaussian noise to every entry.

    .. math:: \tilde x = x + \sigma\epsilon, \qquad \epsilon\sim N(0, I)

    Args:
        x: Numbers of any shape.
        std: :math:`\sigma`, in the units of ``x``.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> add_noise(torch.ones(2), std=0.0)
        tensor([1., 1.])
    """
    if not std >= 0:
        raise InvalidValue(f"add_noise: std must be at least 0, got {std}. Try std=0.1.")
    noise = torch.randn(x.shape, generator=generator, device=x.device, dtype=x.dtype)
    return x + std * noise


@takes_arrays
def mask_entries(
    x: Tensor, *, drop: float = 0.25, generator: torch.Generator | None = None
) -> tuple[Tensor, Tensor]:
    """Hide random entries behind zeros.

    Args:
        x: Numbers of any shape.
        drop: Probability to hide an entry.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        The masked numbers, and where entries are hidden.

    Example:
        >>> mask_entries(torch.ones(2), drop=1.0)
        (tensor([0., 0.]), tensor([True, True]))
    """
    if not 0.0 <= drop <= 1.0:
        raise InvalidValue(f"mask_entries: drop must be in [0, 1], got {drop}. Try drop=0.25.")
    hidden = torch.rand(x.shape, generator=generator, device=x.device) < drop
    return x.masked_fill(hidden, 0.0), hidden
