r"""The backward pass of pooling: the winner takes the error, or all share it.

.. math::
    y(k) = \max_{i\in R_k} x(i):\quad \frac{\partial E}{\partial x(j)} = \sum_{k:\,j=i^*_k} \delta(k)
    \qquad\qquad
    y(k) = \frac1{|R_k|}\sum_{i\in R_k} x(i):\quad
    \frac{\partial E}{\partial x(j)} = \sum_{k:\,j\in R_k} \frac{\delta(k)}{|R_k|}

with windows :math:`R_k`, winners :math:`i^*_k=\arg\max_{R_k}x` and :math:`\delta=\partial E/\partial y`.
"""

from math import prod

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn import adjoint_correlate
from gradatim.nn.convolution_layout import PerAxis, per_axis


@takes_arrays
def max_pool_backward(
    x: Tensor, delta: Tensor, size: PerAxis, *, stride: PerAxis | None = None
) -> Tensor:
    """Send each error to the place of its window's maximum, the first of equal ones.

    Args:
        x: Input of the forward pass, shape ``(B, C, n)`` or ``(B, C, H, W)``.
        delta: Gradient with respect to the output, shape ``(B, C, *places)``.
        size: Width of the windows, one or one per axis.
        stride: Distance of neighbouring windows, by default their width.

    Returns:
        Gradient with respect to ``x``, in its shape.

    Example:
        >>> x = torch.tensor([[[1.0, 3.0, 2.0, 0.0]]])
        >>> max_pool_backward(x, torch.tensor([[[10.0, 20.0]]]), 2)
        tensor([[[ 0., 10., 20.,  0.]]])
    """
    sizes, strides = _windows("max_pool_backward", x, delta, size, stride)
    spatial = x.shape[2:]
    index = torch.arange(prod(spatial), device=x.device).reshape(spatial).expand(x.shape)
    for axis, (width, step) in enumerate(zip(sizes, strides, strict=True), start=2):
        x, index = x.unfold(axis, width, step), index.unfold(axis, width, step)
    winner = x.flatten(-len(sizes)).argmax(-1, keepdim=True)  # (B, C, *places, 1)
    target = index.flatten(-len(sizes)).gather(-1, winner).flatten(2)  # (B, C, places)
    gradient = delta.new_zeros(*delta.shape[:2], prod(spatial))
    return gradient.scatter_add(2, target, delta.flatten(2)).unflatten(2, spatial)


@takes_arrays
def average_pool_backward(
    x: Tensor, delta: Tensor, size: PerAxis, *, stride: PerAxis | None = None
) -> Tensor:
    """Share each error equally among its window: the adjoint of sliding a kernel of equal weights.

    Args:
        x: Input of the forward pass, shape ``(B, C, n)`` or ``(B, C, H, W)``; only its size matters.
        delta: Gradient with respect to the output, shape ``(B, C, *places)``.
        size: Width of the windows, one or one per axis.
        stride: Distance of neighbouring windows, by default their width.

    Returns:
        Gradient with respect to ``x``, in its shape.

    Example:
        >>> average_pool_backward(torch.zeros(1, 1, 4), torch.tensor([[[10.0, 20.0]]]), 2)
        tensor([[[ 5.,  5., 10., 10.]]])
    """
    sizes, strides = _windows("average_pool_backward", x, delta, size, stride)
    weights = delta.new_full(sizes, 1 / prod(sizes))
    return adjoint_correlate(delta, weights, tuple(x.shape[2:]), stride=strides)


def _windows(
    owner: str, x: Tensor, delta: Tensor, size: PerAxis, stride: PerAxis | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if x.ndim not in (3, 4):
        raise InvalidValue(
            f"{owner}: x must have shape (B, C, n) or (B, C, H, W), got {tuple(x.shape)}."
        )
    sizes = per_axis(owner, "size", size, x.ndim - 2)
    strides = sizes if stride is None else per_axis(owner, "stride", stride, x.ndim - 2)
    places = [(n - m) // s + 1 for n, m, s in zip(x.shape[2:], sizes, strides, strict=True)]
    if min(places) < 1:
        raise InvalidValue(
            f"{owner}: size must be at most that of x, {tuple(x.shape[2:])}, got {sizes}."
        )
    if delta.shape != (*x.shape[:2], *places):
        raise InvalidValue(
            f"{owner}: delta must have the output's shape {(*x.shape[:2], *places)}, got {tuple(delta.shape)}."
        )
    return sizes, strides
