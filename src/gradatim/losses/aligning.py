"""Targets in the shape of outputs."""

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def align(output: Tensor, target: Tensor) -> Tensor:
    """Give ``target`` the shape of ``output``, so that ``(B, 1)`` and ``(B,)`` never broadcast to ``(B, B)``.

    Args:
        output: Of a model.
        target: As many values.

    Example:
        >>> import torch
        >>> align(torch.zeros(3, 1), torch.ones(3)).shape
        torch.Size([3, 1])
    """
    if target.shape == output.shape:
        return target
    if target.numel() != output.numel():
        raise InvalidValue(
            f"loss: target must have as many values as the output {tuple(output.shape)}, "
            f"got {tuple(target.shape)}. Change the last layer or the target."
        )
    if target.ndim == output.ndim and _long_axes(target) != _long_axes(output):
        raise InvalidValue(
            f"loss: target must have its axes in the order of the output {tuple(output.shape)}, "
            f"got {tuple(target.shape)}. Transpose one of them."
        )
    return target.reshape(output.shape)


def _long_axes(tensor: Tensor) -> list[int]:
    return [length for length in tensor.shape if length != 1]
