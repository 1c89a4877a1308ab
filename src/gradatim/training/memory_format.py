"""In which order the numbers of a batch of images lie in memory.

``(B, C, H, W)`` names the axes; channels last means that the channels of one pixel lie side by side. On a CPU
convolutions then read whole pixels at once. Only the input is rearranged: every layer hands the order on, and
weights, checkpoints and optimizers stay as they are.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.errors import choose

_CONVOLUTIONS = (nn.Conv2d, nn.ConvTranspose2d)
_KNOWN = ("torch", "torchvision", "gradatim")  # packages whose modules work in either order
FORMATS = ("auto", "contiguous", "channels_last")


def wants_channels_last(memory_format: str, model: nn.Module, device: torch.device) -> bool:
    """Whether ``model`` should read images channels last.

    Args:
        memory_format: ``"channels_last"``, ``"contiguous"``, or ``"auto"``: channels last for a model with
            two-dimensional convolutions on a CPU, if all its parts are PyTorch's or Gradatim's. A ``forward``
            of one's own may contain ``x.view(len(x), -1)``, which only works on contiguous images.
        model: Any module.
        device: Where it computes.

    Example:
        >>> wants_channels_last("auto", nn.Conv2d(1, 2, 3), torch.device("cpu"))
        True
    """
    choose("Trainer", "memory_format", memory_format, FORMATS)
    if memory_format != "auto":
        return memory_format == "channels_last"
    if any(type(m).__module__.split(".")[0] not in _KNOWN for m in model.modules()):
        return False
    return device.type == "cpu" and any(isinstance(m, _CONVOLUTIONS) for m in model.modules())


def channels_last(x: Tensor) -> Tensor:
    """Copy images ``(B, C, H, W)`` so that the channels of a pixel lie side by side.

    ``Tensor.contiguous`` leaves images of one channel as they are, whose order is either, and then
    convolutions take them for channels first.

    Example:
        >>> channels_last(torch.zeros(5, 1, 2, 3)).stride()
        (6, 1, 3, 1)
    """
    rows, channels, height, width = x.shape
    if channels == 1:
        return x.reshape(rows, height, width, 1).permute(0, 3, 1, 2)
    return x.contiguous(memory_format=torch.channels_last)


@contextmanager
def reading_channels_last(model: nn.Module, is_wanted: bool) -> Iterator[None]:
    """While inside, ``model`` rearranges every batch of images it is given, if ``is_wanted``."""
    if not is_wanted:
        yield
        return

    def rearrange(module: nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(channels_last(x) if _is_image(x) else x for x in inputs)

    hook = model.register_forward_pre_hook(rearrange)
    try:
        yield
    finally:
        hook.remove()


def _is_image(value: object) -> bool:
    return isinstance(value, Tensor) and value.ndim == 4 and value.is_floating_point()
