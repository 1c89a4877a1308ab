r"""Transposed convolution: the adjoint of sliding a kernel, which spreads instead of gathering.

.. math:: \langle Cx, y\rangle = \langle x, C^\top y\rangle \quad\text{for all } x, y

It carries gradients back through a convolution, and makes images larger where a stride made them smaller. It
is the transpose of the matrix :math:`C`, not its inverse.
"""

import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.convolution_layout import PerAxis, Sliding, as_layer, fold_borders, per_axis, plan


@takes_arrays
def adjoint_correlate(
    y: Tensor,
    w: Tensor,
    size: PerAxis,
    *,
    mode: str = "valid",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    r"""Apply the transpose of :func:`correlate`: every entry of ``y`` lays down a scaled kernel.

    .. math:: (C^\top y)(j) = \sum_{k,i:\; sk+di-o=j} w(i)\,y(k)

    Args:
        y: What :func:`correlate` gives in shape, ``(..., places)`` or with channels ``(B, O, ...)``.
        w: Kernel, as for :func:`correlate`.
        size: Size :math:`n` of the signal, one or one per axis; a stride makes it ambiguous.
        mode: As in :func:`correlate`, which fixes :math:`o`.
        stride: :math:`s`.
        dilation: :math:`d`.
        groups: Blocks of channels that do not meet.

    Returns:
        Shape of the signal, ``(..., *size)`` or with channels ``(B, C, *size)``.

    Example:
        >>> import torch
        >>> adjoint_correlate(torch.tensor([1.0, 10.0]), torch.tensor([1.0, 2.0, 3.0]), 5, stride=2)
        tensor([ 1.,  2., 13., 20., 30.])
    """
    sliding = Sliding("adjoint_correlate", mode, stride, dilation, groups)
    return _spread(sliding, y, w, size)


@takes_arrays
def adjoint_convolve(
    y: Tensor,
    w: Tensor,
    size: PerAxis,
    *,
    mode: str = "full",
    stride: PerAxis = 1,
    dilation: PerAxis = 1,
    groups: int = 1,
) -> Tensor:
    r"""Apply the transpose of :func:`convolve`.

    .. math:: (C^\top y)(j) = \sum_{k,i:\; sk-di+o=j} w(i)\,y(k)

    Args:
        y: What :func:`convolve` gives in shape, ``(..., places)`` or with channels ``(B, O, ...)``.
        w: Kernel, as for :func:`convolve`.
        size: Size :math:`n` of the signal, one or one per axis; a stride makes it ambiguous.
        mode: As in :func:`convolve`, which fixes :math:`o`.
        stride: :math:`s`.
        dilation: :math:`d`.
        groups: Blocks of channels that do not meet.

    Returns:
        Shape of the signal, ``(..., *size)`` or with channels ``(B, C, *size)``.

    Example:
        >>> import torch
        >>> adjoint_convolve(torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.tensor([1.0, 2.0]), 3)
        tensor([1., 0., 0.])
    """
    sliding = Sliding("adjoint_convolve", mode, stride, dilation, groups, is_convolution=True)
    return _spread(sliding, y, w, size)


def _spread(sliding: Sliding, y: Tensor, w: Tensor, size: PerAxis) -> Tensor:
    owner = sliding.owner
    signal, kernel, lead = as_layer(sliding, y, w, name="y", is_output=True)
    layout = plan(sliding, per_axis(owner, "size", size, kernel.ndim - 2), kernel)
    if signal.shape[2:] != layout.output_size:
        raise InvalidValue(
            f"{owner}: y must have the size {layout.output_size} that size={size!r} leads to, "
            f"got {tuple(signal.shape[2:])}."
        )
    function = F.conv_transpose1d if kernel.ndim == 3 else F.conv_transpose2d
    out = function(
        signal, kernel, stride=layout.stride, dilation=layout.dilation, groups=layout.groups
    )
    out = fold_borders(out, layout)
    return out if lead is None else out.reshape(*lead, *out.shape[2:])
