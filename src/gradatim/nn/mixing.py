"""A weighted mean of two tensors, in the wider of their precisions."""

import torch
from torch import Tensor


def interpolate(start: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    r"""Mix two tensors, entry by entry.

    .. math:: y = (1 - w) \odot a + w \odot b

    ``torch.lerp`` insists on one precision; under autocast a state and what a matrix made of it have two.

    Args:
        start: :math:`a`.
        end: :math:`b`, shape of ``start``.
        weight: :math:`w` in [0, 1], shape of ``start``.

    Returns:
        Shape of ``start``, in the wider precision.

    Example:
        >>> interpolate(torch.zeros(3), torch.ones(3), torch.tensor([0.0, 0.25, 1.0]))
        tensor([0.0000, 0.2500, 1.0000])
    """
    if start.dtype == end.dtype == weight.dtype:
        return torch.lerp(start, end, weight)
    dtype = torch.promote_types(torch.promote_types(start.dtype, end.dtype), weight.dtype)
    return torch.lerp(start.to(dtype), end.to(dtype), weight.to(dtype))
