"""The shape of a datum that a network makes."""

from collections.abc import Sequence

from torch import nn

from gradatim.errors import InvalidValue


def shape_of_samples(
    owner: str, network: nn.Module, sample_shape: Sequence[int] | None
) -> tuple[int, ...]:
    """What was said, or else what the network says of itself.

    >>> shape_of_samples("Diffusion", nn.Identity(), [2])
    (2,)
    """
    known = getattr(network, "sample_shape", None) if sample_shape is None else sample_shape
    if known is None:
        raise InvalidValue(
            f"{owner}: sample_shape must be given for a network that does not say it, got {type(network).__name__}. "
            "Try sample_shape=(2,)."
        )
    return tuple(int(side) for side in known)
