"""Guidance without a classifier: go beyond what a class asks for, away from what all classes share."""

from collections.abc import Callable

import torch
from torch import Tensor

from gradatim.errors import InvalidValue, require

Network = Callable[[Tensor, Tensor, Tensor | None], Tensor]


def check_guidance(
    owner: str, num_classes: int | None, guidance: float, label: object = None
) -> None:
    """Raise unless a model with so many classes can be guided so far.

    >>> check_guidance("sample", 10, 2.0, 3)
    """
    if num_classes is None:
        require(guidance == 0, f"{owner}: guidance must be 0 for a model without classes", guidance, "Train one with num_classes.")  # fmt: skip
        rule = f"{owner}: label must be left out for a model without classes"
        require(label is None, rule, "one", "Train one with num_classes.")
    require(guidance >= 0, f"{owner}: guidance must be at least 0", guidance)
    if guidance and label is None:
        raise InvalidValue(
            f"{owner}: label must be given with guidance, got none. Try label=0, or guidance=0."
        )


def guide(
    network: Network, x: Tensor, time: Tensor, label: Tensor | None, num_classes: int | None, guidance: float
) -> Tensor:  # fmt: skip
    r"""The answer for a class, moved on by its difference from the answer for no class.

    .. math:: \tilde f(x) = (1 + w)\,f(x, k) - w\,f(x, \varnothing)

    Args:
        network: :math:`f`.
        x: Rows, shape ``(B, ...)``.
        time: Shape ``(B,)``.
        label: Classes :math:`k`, shape ``(B,)``.
        num_classes: Which stands for none in a label.
        guidance: :math:`w`; 0 leaves the answer for the class.

    Reference:
        Ho and Salimans, Classifier-Free Diffusion Guidance, 2022, eq. 6.
    """
    if not guidance:
        return network(x, time, label)
    assert label is not None
    assert num_classes is not None
    none = torch.full_like(label, num_classes)
    both = network(torch.cat([x, x]), torch.cat([time, time]), torch.cat([label, none]))
    asked, free = both.chunk(2)
    return torch.lerp(free, asked, 1.0 + guidance)
