r"""Does a function commute with a transformation, and how to make it ignore one.

.. math::
    \text{equivariant: } f(Tx) = T'f(x) \qquad \text{invariant: } f(Tx) = f(x)

If :math:`g` is equivariant and :math:`f` invariant, :math:`f\circ g` is invariant. Over a group :math:`G` of
transformations the maximum and the mean make any function invariant:

.. math:: \bar f(x) = \max_{T\in G} f(Tx), \qquad \bar f(Sx) = \max_{T\in G} f(TSx) = \bar f(x),

because with :math:`T` also :math:`TS` runs through the whole group.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose
from gradatim.nn.transformations import Transformation

REDUCTIONS = ("max", "mean")


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


class Invariant(nn.Module):
    r"""A function made to ignore a group of transformations: its maximum or mean over all of them.

    .. math:: \bar f(x) = \max_{T\in G} f(Tx) \quad\text{or}\quad \frac1{|G|}\sum_{T\in G} f(Tx)

    The result is invariant when ``group`` is a group: with every two transformations their product.

    Args:
        f: Function or module of one input.
        group: :math:`G`, such as ``rotation_group()``, ``dihedral_group()`` or ``translation_group(8, 8)``.
        reduce: ``"max"`` or ``"mean"``.

    Example:
        >>> from gradatim.nn import rotation, rotation_group
        >>> model = Invariant(nn.Sequential(nn.Flatten(), nn.Linear(16, 3)), rotation_group())
        >>> x = torch.randn(2, 1, 4, 4)
        >>> torch.allclose(model(x), model(rotation(90)(x)))
        True
    """

    def __init__(
        self,
        f: Callable[[Tensor], Tensor],
        group: Sequence[Transformation],
        *,
        reduce: str = "max",
    ) -> None:
        super().__init__()
        if not group:
            raise InvalidValue("Invariant: group must hold a transformation, got none.")
        self.f, self.group = f, tuple(group)
        self.reduce = choose("Invariant", "reduce", reduce, REDUCTIONS)

    def forward(self, x: Tensor) -> Tensor:
        answers = torch.stack([self.f(transform(x)) for transform in self.group])  # (|G|, B, ...)
        return answers.amax(0) if self.reduce == "max" else answers.mean(0)


def invariant(
    f: Callable[[Tensor], Tensor], group: Sequence[Transformation], *, reduce: str = "max"
) -> Invariant:
    """Make a function ignore a group of transformations; see :class:`Invariant`.

    Args:
        f: Function or module of one input.
        group: Transformations, with every two their product.
        reduce: ``"max"`` or ``"mean"``.

    Example:
        >>> from gradatim.nn import translation_group
        >>> first = invariant(lambda x: x[:, 0], translation_group(3))
        >>> first(torch.tensor([[1.0, 5.0, 2.0]]))
        tensor([5.])
    """
    return Invariant(f, group, reduce=reduce)
