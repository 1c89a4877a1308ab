"""In which order the numbers of a batch of images lie in memory.

``(B, C, H, W)`` names the axes; channels last means that the channels of one pixel lie side by side. On a CPU
convolutions then read whole pixels at once. Only the input is rearranged: every layer hands the order on. Kernels
of convolutions, and what the optimizer keeps of them, follow while an epoch trains, for which they would otherwise
be copied in every step; everybody outside of an epoch finds them as they were.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer, RMSprop

from gradatim.errors import choose

_CONVOLUTIONS = (nn.Conv2d, nn.ConvTranspose2d)
_KNOWN = ("torch", "torchvision", "gradatim")  # packages whose modules work in either order
# rules to which the order of a tensor's entries means nothing
_BY_ENTRY = (SGD, Adam, AdamW, RMSprop)
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


@contextmanager
def training_channels_last(
    model: nn.Module, optimizer: Optimizer, is_wanted: bool
) -> Iterator[None]:
    """While inside, kernels of convolutions, their gradients and moments lie channels last, if ``is_wanted``.

    They move together: a fused optimizer pairs entries by their places in memory. Optimizers that flatten
    parameters, as L-BFGS does, need the usual order, and nothing is moved for them.

    Example:
        >>> conv = nn.Conv2d(3, 4, 5)
        >>> with training_channels_last(conv, SGD(conv.parameters()), True):
        ...     conv.weight.stride()
        (75, 1, 15, 3)
        >>> conv.weight.stride()
        (75, 25, 5, 1)
    """
    if not (is_wanted and type(optimizer) in _BY_ENTRY):
        yield
        return
    kernels = [
        parameter
        for module in model.modules()
        if isinstance(module, _CONVOLUTIONS)
        for parameter in module.parameters(recurse=False)
        if parameter.ndim == 4
    ]
    _arrange(kernels, optimizer, torch.channels_last)
    try:
        yield
    finally:
        _arrange(kernels, optimizer, torch.contiguous_format)


def _arrange(
    kernels: list[nn.Parameter], optimizer: Optimizer, memory_format: torch.memory_format
) -> None:
    for kernel in kernels:
        kernel.data = kernel.data.contiguous(memory_format=memory_format)
        if kernel.grad is not None:
            kernel.grad.data = kernel.grad.data.contiguous(memory_format=memory_format)
        state = optimizer.state.get(kernel, {})
        for name, value in state.items():
            if isinstance(value, Tensor) and value.shape == kernel.shape:
                state[name] = value.contiguous(memory_format=memory_format)


def _is_image(value: object) -> bool:
    return isinstance(value, Tensor) and value.ndim == 4 and value.is_floating_point()
