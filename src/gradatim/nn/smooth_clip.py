r"""Robust scaling, and limits that bend instead of cutting."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def smooth_clip(x: Tensor, limit: float = 3.0) -> Tensor:
    r"""Bend numbers so that none passes a limit; small ones hardly change.

    .. math:: f(x) = \frac{x}{\sqrt{1 + (x / c)^2}}

    Args:
        x: Numbers :math:`x`.
        limit: :math:`c`, which is never passed.

    Example:
        >>> smooth_clip(torch.tensor([0.0, 4.0, 1e6]))
        tensor([0.0000, 2.4000, 3.0000])

    Reference:
        Holzmüller et al., Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data, 2024, section 3.
    """
    require(limit > 0, "smooth_clip: limit must be positive", limit)
    return x / torch.sqrt(1.0 + (x / limit) ** 2)


@takes_arrays
def robust_scale(x: Tensor) -> tuple[Tensor, Tensor]:
    r"""Median of every column, and what to multiply by so that half of the rows lie within one.

    .. math:: s = \frac{1}{Q_{3/4} - Q_{1/4}}, \quad\text{else}\quad \frac{2}{\max x - \min x}, \quad\text{else}\quad 0

    Strange rows move neither, as long as they are fewer than a quarter.

    Args:
        x: Rows of numbers :math:`x`, shape ``(N, D)``.

    Returns:
        Medians and factors :math:`s`, shape ``(D,)`` each.

    Example:
        >>> robust_scale(torch.tensor([[0.0], [1.0], [2.0], [3.0], [400.0]]))
        (tensor([2.]), tensor([0.5000]))

    Reference:
        Holzmüller et al., Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data, 2024, section 3.
    """
    require(x.ndim == 2 and len(x) > 0, "robust_scale: x must have shape (N, D)", tuple(x.shape))
    low, middle, high = torch.quantile(x, torch.tensor([0.25, 0.5, 0.75], dtype=x.dtype), dim=0)
    spread, reach = high - low, (x.amax(0) - x.amin(0)) / 2
    width = torch.where(spread > 0, spread, reach)
    return middle, torch.where(width > 0, 1.0 / torch.where(width > 0, width, 1.0), 0.0)
