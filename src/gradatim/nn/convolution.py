r"""Convolution and cross-correlation of signals and images.

.. math::
    \text{convolution: } (w*x)(k) = \sum_i w(i)\,x(k-i) \qquad
    \text{cross-correlation: } (w\star x)(k) = \sum_i w(i)\,x(k+i)

Layers called convolutional compute the second. One is the other with a flipped kernel.
"""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose
from gradatim.nn.convolution_layout import Layout, PerAxis, Sliding, add_borders, as_layer, plan
from gradatim.nn.fft_convolution import fft_correlate, prefers_fft

METHODS = ("auto", "direct", "fft")


@takes_arrays
def correlate(
    x: Tensor,
    w: Tensor,
    *,
    mode: str = "valid",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
    method: str = "auto",
) -> Tensor:
    r"""Slide a kernel over a signal and take the inner product at every place, as layers do.

    .. math:: (w\star x)(k) = \sum_{i=0}^{m-1} w(i)\,x(sk + di - o)

    With span :math:`M=d(m-1)+1` and :math:`s=1`, a signal of length :math:`n` gives

    - ``"valid"``: :math:`o=0`, :math:`n-M+1` places, where the kernel lies within the signal;
    - ``"same"``: :math:`o=\lfloor M/2\rfloor`, :math:`n` places, zeros around the signal;
    - ``"full"``: :math:`o=M-1`, :math:`n+M-1` places, zeros around the signal;
    - ``"circular"``: :math:`o=0`, :math:`n` places, the signal repeated periodically.

    A stride keeps every :math:`s`-th of these, from the first. PyTorch's ``padding="same"`` has
    :math:`o=\lfloor (M-1)/2\rfloor`, which differs for an even span.

    Args:
        x: Signals ``(..., n)`` or images ``(..., H, W)`` for a kernel without channels, else
            ``(B, C, n)`` or ``(B, C, H, W)``.
        w: Kernel ``(m,)`` or ``(h, w)``; with channels ``(O, C/groups, m)`` or ``(O, C/groups, h, w)``,
            whose results are summed over the channels.
        mode: What happens at the border.
        stride: :math:`s`, one or one per axis.
        dilation: :math:`d`, distance of neighbouring taps, one or one per axis.
        groups: Blocks of channels that do not meet.
        method: ``"direct"`` slides with PyTorch's kernels, ``"fft"`` multiplies spectra, ``"auto"``
            takes the one that measurements of such sizes found faster.

    Returns:
        Shape ``(..., places)`` or ``(..., places, places)``; with channels ``(B, O, ...)``.

    Example:
        >>> import torch
        >>> x, w = torch.tensor([1.0, 2.0, 4.0, 8.0]), torch.tensor([1.0, -1.0])
        >>> correlate(x, w)
        tensor([-1., -2., -4.])
        >>> correlate(x, w, mode="circular")
        tensor([-1., -2., -4.,  7.])
    """
    sliding = Sliding("correlate", mode, stride, dilation, groups)
    return _slide(sliding, x, w, method)


@takes_arrays
def convolve(
    x: Tensor,
    w: Tensor,
    *,
    mode: str = "full",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
    method: str = "auto",
) -> Tensor:
    r"""Convolve a signal with a kernel: the operation that commutes, and multiplies spectra.

    .. math:: (w*x)(k) = \sum_{i=0}^{m-1} w(i)\,x(sk - di + o)

    With span :math:`M=d(m-1)+1` and :math:`s=1`, a signal of length :math:`n` gives

    - ``"full"``: :math:`o=0`, :math:`n+M-1` places, zeros around the signal;
    - ``"same"``: :math:`o=\lfloor (M-1)/2\rfloor`, :math:`n` places, zeros around the signal;
    - ``"valid"``: :math:`o=M-1`, :math:`n-M+1` places, where the kernel lies within the signal;
    - ``"circular"``: :math:`o=0`, :math:`n` places, the signal repeated periodically.

    In every mode but the circular one this is :func:`correlate` with the flipped kernel.

    Args:
        x: Signals ``(..., n)`` or images ``(..., H, W)`` for a kernel without channels, else
            ``(B, C, n)`` or ``(B, C, H, W)``.
        w: Kernel ``(m,)`` or ``(h, w)``; with channels ``(O, C/groups, m)`` or ``(O, C/groups, h, w)``,
            whose results are summed over the channels.
        mode: What happens at the border.
        stride: :math:`s`, one or one per axis.
        dilation: :math:`d`, distance of neighbouring taps, one or one per axis.
        groups: Blocks of channels that do not meet.
        method: ``"direct"``, ``"fft"`` or ``"auto"``, as in :func:`correlate`.

    Returns:
        Shape ``(..., places)`` or ``(..., places, places)``; with channels ``(B, O, ...)``.

    Example:
        >>> import torch
        >>> dice = torch.full((6,), 1 / 6)
        >>> convolve(dice, dice).mul(36).round()  # how often two dice show 2, 3, ..., 12
        tensor([1., 2., 3., 4., 5., 6., 5., 4., 3., 2., 1.])
    """
    sliding = Sliding("convolve", mode, stride, dilation, groups, is_convolution=True)
    return _slide(sliding, x, w, method)


def _slide(sliding: Sliding, x: Tensor, w: Tensor, method: str) -> Tensor:
    choose(sliding.owner, "method", method, METHODS)
    signal, kernel, lead = as_layer(sliding, x, w)
    layout = plan(sliding, signal.shape[2:], kernel)
    # PyTorch's own padding is up to ninety times slower than this where it exceeds three places.
    padded = add_borders(signal, layout)
    by_fft = method == "fft" or (method == "auto" and prefers_fft(padded, kernel, layout))
    out = (fft_correlate if by_fft else _direct)(padded, kernel, layout)
    return out if lead is None else out.reshape(*lead, *out.shape[2:])


def _direct(x: Tensor, w: Tensor, layout: Layout) -> Tensor:
    function = F.conv1d if w.ndim == 3 else F.conv2d
    return function(x, w, stride=layout.stride, dilation=layout.dilation, groups=layout.groups)
