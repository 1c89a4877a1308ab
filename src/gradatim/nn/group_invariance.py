r"""How to make a function ignore a group of transformations.

Over a group :math:`G` the maximum and the mean make any function invariant:

.. math:: \bar f(x) = \max_{T\in G} f(Tx), \qquad \bar f(Sx) = \max_{T\in G} f(TSx) = \bar f(x),

because with :math:`T` also :math:`TS` runs through the whole group.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.nn.transformations import Transformation

REDUCTIONS = ("max", "mean")


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

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        answers = torch.stack([self.f(transform(x)) for transform in self.group])  # (|G|, B, ...)
        return answers.amax(0) if self.reduce == "max" else answers.mean(0)
