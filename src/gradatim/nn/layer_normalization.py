r"""Layer normalization by its equation, the reference for PyTorch's ``nn.LayerNorm``."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def layer_norm(
    x: Tensor, gain: Tensor | None = None, shift: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    r"""Standardize every sample over its own features.

    .. math::
        y_j = \gamma_j\,\frac{x_j-\mu(x)}{\sqrt{\sigma^2(x)+\epsilon}}+\beta_j, \quad
        \mu(x)=\frac1D\sum_j x_j, \quad \sigma^2(x)=\frac1D\sum_j(x_j-\mu(x))^2

    A sample's output ignores its batch mates, so training and inference are the same map, and it
    works for a batch of one and for sequences. Scaling or shifting a whole sample changes nothing.

    Args:
        x: Features on the last axis, shape ``(..., D)``.
        gain: :math:`\gamma`, shape ``(D,)``; ones by default.
        shift: :math:`\beta`, shape ``(D,)``; zeros by default.
        eps: :math:`\epsilon`.

    Example:
        >>> layer_norm(torch.tensor([[1.0, 3.0]]), eps=0.0)
        tensor([[-1.,  1.]])
    """
    require(x.numel(), "layer_norm: x must hold numbers", f"shape {tuple(x.shape)}")
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    y = (x - mean) / torch.sqrt(variance + eps)
    y = y if gain is None else gain * y
    return y if shift is None else y + shift
