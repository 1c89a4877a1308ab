r"""The backward pass of convolution and pooling, written out as convolutions.

For a correlation :math:`y(k)=\sum_i w(i)\,x(k+i)`, as layers compute it, with
:math:`\delta=\partial E/\partial y`,

.. math::
    \frac{\partial E}{\partial x(j)} = \sum_i w(i)\,\delta(j-i) = (w*\delta)(j), \qquad
    \frac{\partial E}{\partial w(i)} = \sum_k \delta(k)\,x(k+i) = (\delta\star x)(i) :

the error is *convolved* with the kernel, the input is *correlated* with the error. For a convolution
:math:`y(k)=\sum_i w(i)\,x(k-i)` it is the other way round for the input, which gets a correlation. With
channels, the first sums over output channels, the second over the batch. A stride :math:`s` of the forward
pass puts :math:`s-1` zeros between the entries of :math:`\delta`; its dilation becomes the stride with which
the input is correlated.
"""

from typing import NamedTuple

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn import convolve, correlate
from gradatim.nn.convolution_layout import (
    Layout,
    PerAxis,
    Sliding,
    add_borders,
    as_layer,
    flip_kernel,
    fold_borders,
    plan,
    spread_out,
)


class ConvolutionGradients(NamedTuple):
    r"""Gradients of a loss through a convolution.

    Args:
        input: :math:`\partial E/\partial x`, shape of the input.
        kernel: :math:`\partial E/\partial w`, shape of the kernel.
        bias: :math:`\partial E/\partial b=\sum_k\delta(k)`, one per output channel; a number without channels.
    """

    input: Tensor
    kernel: Tensor
    bias: Tensor


@takes_arrays
def correlate_backward(
    x: Tensor,
    w: Tensor,
    delta: Tensor,
    *,
    mode: str = "valid",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> ConvolutionGradients:
    r"""Carry an error back through :func:`gradatim.nn.correlate`, the operation of convolutional layers.

    .. math::
        \frac{\partial E}{\partial x(j)} = \sum_{k,i:\;sk+di-o=j} w(i)\,\delta(k), \qquad
        \frac{\partial E}{\partial w(i)} = \sum_k \delta(k)\,x(sk+di-o)

    Args:
        x: Input of the forward pass.
        w: Kernel of the forward pass.
        delta: :math:`\delta`, the gradient with respect to the output, in its shape.
        mode: As in the forward pass; it fixes :math:`o`.
        stride: :math:`s`.
        dilation: :math:`d`.
        groups: Blocks of channels that do not meet.

    Example:
        >>> import torch
        >>> x, w = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([10.0, 1.0])
        >>> gradients = correlate_backward(x, w, torch.tensor([1.0, 1.0]))
        >>> gradients.input, gradients.kernel
        (tensor([10., 11.,  1.]), tensor([3., 6.]))

    Reference:
        LeCun et al., Backpropagation Applied to Handwritten Zip Code Recognition, 1989.
    """
    sliding = Sliding("correlate_backward", mode, stride, dilation, groups)
    return _backward(sliding, x, w, delta)


@takes_arrays
def convolve_backward(
    x: Tensor,
    w: Tensor,
    delta: Tensor,
    *,
    mode: str = "full",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> ConvolutionGradients:
    r"""Carry an error back through :func:`gradatim.nn.convolve`.

    .. math::
        \frac{\partial E}{\partial x(j)} = \sum_{k,i:\;sk-di+o=j} w(i)\,\delta(k), \qquad
        \frac{\partial E}{\partial w(i)} = \sum_k \delta(k)\,x(sk-di+o)

    Args:
        x: Input of the forward pass.
        w: Kernel of the forward pass.
        delta: :math:`\delta`, the gradient with respect to the output, in its shape.
        mode: As in the forward pass; it fixes :math:`o`.
        stride: :math:`s`.
        dilation: :math:`d`.
        groups: Blocks of channels that do not meet.

    Example:
        >>> import torch
        >>> x, w = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([10.0, 1.0])
        >>> gradients = convolve_backward(x, w, torch.tensor([1.0, 0.0, 0.0, 0.0]))
        >>> gradients.input, gradients.kernel
        (tensor([10.,  0.,  0.]), tensor([1., 0.]))
    """
    sliding = Sliding("convolve_backward", mode, stride, dilation, groups, is_convolution=True)
    return _backward(sliding, x, w, delta)


def _backward(sliding: Sliding, x: Tensor, w: Tensor, delta: Tensor) -> ConvolutionGradients:
    signal, kernel, lead = as_layer(sliding, x, w)
    layout = plan(sliding, signal.shape[2:], kernel)
    shape = (*(signal.shape[:1] if lead is None else lead), *([] if lead is not None else [len(w)]))
    if delta.shape != (*shape, *layout.output_size):
        raise InvalidValue(
            f"{sliding.owner}: delta must have the output's shape {(*shape, *layout.output_size)}, got {tuple(delta.shape)}."
        )
    error = delta.reshape(len(signal), len(kernel), *layout.output_size)
    to_input = _to_input(error, kernel, layout).reshape(x.shape)
    to_kernel = _to_kernel(error, add_borders(signal, layout), kernel, layout).reshape(w.shape)
    bias = error.sum((0, *range(2, error.ndim)))
    return ConvolutionGradients(
        to_input,
        flip_kernel(to_kernel) if sliding.is_convolution else to_kernel,
        bias if lead is None else bias.squeeze(),
    )


def _to_input(delta: Tensor, w: Tensor, layout: Layout) -> Tensor:
    """Convolve the error, zeros between its entries, with the kernel, output and input channels swapped."""
    spread = spread_out(delta, layout.stride)
    swapped = w.unflatten(0, (layout.groups, -1)).transpose(1, 2).flatten(0, 1)  # (C, O/g, *taps)
    full = convolve(
        spread, swapped, mode="full", dilation=layout.dilation, groups=layout.groups
    )  # (B, C, *reached)
    return fold_borders(full, layout)


def _to_kernel(delta: Tensor, x: Tensor, w: Tensor, layout: Layout) -> Tensor:
    """Correlate the input with the error, the batch in the place of the channels that are summed."""
    signal = (
        x.unflatten(1, (layout.groups, -1)).transpose(0, 2).flatten(1, 2)
    )  # (C/g, g B, *padded)
    out = correlate(
        signal,
        delta.transpose(0, 1),  # (O, B, *places)
        stride=layout.dilation,
        dilation=layout.stride,
        groups=layout.groups,
    )  # (C/g, O, *taps), and more where the stride left places over
    return out[(slice(None), slice(None), *map(slice, w.shape[2:]))].transpose(0, 1)
