r"""Does a function commute with a transformation?

.. math::
    \text{equivariant: } f(Tx) = T'f(x) \qquad \text{invariant: } f(Tx) = f(x)

If :math:`g` is equivariant and :math:`f` invariant, :math:`f\circ g` is invariant; :class:`~gradatim.nn.Invariant`
makes any function so.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.transformations import Transformation


@takes_arrays
@torch.no_grad()
def equivariance_error(
    f: Callable[[Tensor], Tensor],
    transform: Transformation,
    x: Tensor,
    *,
    on_output: Transformation | None = None,
    margin: int = 0,
) -> float:
    r"""Measure how far a function is from commuting with a transformation.

    .. math:: \frac{\|f(Tx) - T'f(x)\|_2}{\|T'f(x)\|_2}

    Args:
        f: Function or module, used in the mode it is in; dropout would show as an error.
        transform: :math:`T`, such as ``translation(1, 0)``, ``reflection()``, ``rotation(90)`` or
            ``permutation(order)``.
        x: Inputs to measure on, shape ``(B, ...)``.
        on_output: :math:`T'`, by default :math:`T`. A layer of stride 2 turns a shift by 2 into one by 1;
            ``lambda y: y`` asks for invariance.
        margin: Places to leave out at every end of the output's axes after the second; zeros around an
            image break equivariance there.

    Returns:
        0 for an equivariant function, about 1.4 for unrelated outputs.

    Example:
        >>> from torch import nn
        >>> from gradatim.nn import reflection, translation
        >>> layer = nn.Conv1d(1, 1, 3, padding=1, padding_mode="circular")
        >>> x = torch.randn(1, 1, 16)
        >>> equivariance_error(layer, translation(5), x) < 1e-6
        True
        >>> equivariance_error(layer, reflection(), x) < 1e-6
        False
    """
    moved, still = f(transform(x)), (on_output or transform)(f(x))
    if moved.shape != still.shape:
        raise InvalidValue(
            f"equivariance_error: on_output must give the shape of f(transform(x)), {tuple(moved.shape)}, "
            f"got {tuple(still.shape)}."
        )
    for axis in range(2, moved.ndim if margin else 2):
        length = moved.shape[axis] - 2 * margin
        if margin < 0 or length < 1:
            raise InvalidValue(
                f"equivariance_error: margin must be from 0 and leave some of the output's "
                f"{moved.shape[axis]} places, got {margin}."
            )
        moved, still = (y.narrow(axis, margin, length) for y in (moved, still))
    distance, size = (moved - still).double().norm(), still.double().norm()
    return 0.0 if distance == 0 else (distance / size).item()
