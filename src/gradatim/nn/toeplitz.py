r"""Convolution as a matrix: few numbers, each repeated along a diagonal.

.. math::
    (Tx)(k) = \sum_j T_{kj}\,x(j), \qquad
    T_{kj} = w(k-j+o) \ \text{for a convolution}, \qquad
    T_{kj} = w(j-k+o) \ \text{for a correlation},

with :math:`w` zero outside its taps and :math:`o` the offset of the mode; indices are taken modulo :math:`n`
in the circular mode. In two dimensions the matrix acts on images laid out row by row, and is a Toeplitz
matrix of Toeplitz blocks.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.nn.convolution_layout import MODES, PerAxis, per_axis

OPERATIONS = ("convolve", "correlate")


@takes_arrays
def toeplitz_matrix(
    kernel: Tensor, n: PerAxis, mode: str = "full", *, operation: str = "convolve"
) -> Tensor:
    r"""Build the matrix whose product with a signal is the convolution with ``kernel``.

    Args:
        kernel: :math:`w`, shape ``(m,)`` or ``(h, w)``.
        n: Size of the signal, or of the image: one for a square, or height and width.
        mode: ``"full"``, ``"same"``, ``"valid"`` or ``"circular"``, as in :func:`convolve`.
        operation: ``"convolve"`` or ``"correlate"``.

    Returns:
        Shape ``(places, n)``, for images ``(places · places, height · width)``.

    Example:
        >>> toeplitz_matrix(torch.tensor([1.0, 2.0]), 3)
        tensor([[1., 0., 0.],
                [2., 1., 0.],
                [0., 2., 1.],
                [0., 0., 2.]])
        >>> toeplitz_matrix(torch.tensor([1.0, 2.0, 3.0]), 5, "circular", operation="correlate")
        tensor([[1., 2., 3., 0., 0.],
                [0., 1., 2., 3., 0.],
                [0., 0., 1., 2., 3.],
                [3., 0., 0., 1., 2.],
                [2., 3., 0., 0., 1.]])
    """
    choose("toeplitz_matrix", "mode", mode, MODES)
    choose("toeplitz_matrix", "operation", operation, OPERATIONS)
    if kernel.ndim not in (1, 2) or not kernel.numel():
        raise InvalidValue(
            f"toeplitz_matrix: kernel must have shape (m,) or (h, w) and be not empty, got {tuple(kernel.shape)}."
        )
    sizes = per_axis("toeplitz_matrix", "n", n, kernel.ndim)
    if mode in ("valid", "circular") and any(
        m > n for m, n in zip(kernel.shape, sizes, strict=True)
    ):
        raise InvalidValue(
            f"toeplitz_matrix: n must be at least the kernel's {tuple(kernel.shape)} in mode {mode!r}, got {n!r}."
        )
    taps = [_taps(m, n, mode, operation) for m, n in zip(kernel.shape, sizes, strict=True)]
    padded = torch.nn.functional.pad(kernel, [0, 1] * kernel.ndim)  # the last tap is zero
    if kernel.ndim == 1:
        return padded[taps[0]]
    rows, columns = taps
    blocks = padded[rows[:, None, :, None], columns[None, :, None, :]]  # (K, L, H, W)
    return blocks.flatten(2).flatten(0, 1)


def _taps(m: int, n: int, mode: str, operation: str) -> Tensor:
    """Which tap stands in row ``k`` and column ``j``; ``m`` for none."""
    places = {"full": n + m - 1, "same": n, "valid": n - m + 1, "circular": n}[mode]
    k, j = torch.arange(places)[:, None], torch.arange(n)[None]
    if operation == "convolve":
        tap = k - j + {"full": 0, "same": (m - 1) // 2, "valid": m - 1, "circular": 0}[mode]
    else:
        tap = j - k + {"full": m - 1, "same": m // 2, "valid": 0, "circular": 0}[mode]
    if mode == "circular":
        tap = tap % n
    return torch.where((tap >= 0) & (tap < m), tap, m)
