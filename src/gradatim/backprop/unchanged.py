"""Run a model and leave no trace of it: buffers and random numbers are as they were before."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
from torch import Tensor, nn


def forked_rng(tensors: Iterable[Tensor]) -> AbstractContextManager[None]:
    """A fork of the random numbers of the processor and of the devices that hold ``tensors``."""
    devices = {t.device.index or 0 for t in tensors if t.device.type == "cuda"}
    return torch.random.fork_rng(devices=sorted(devices))


@contextmanager
def unchanged(model: nn.Module) -> Iterator[None]:
    """Within this context ``model`` works on copies of its buffers and on a fork of the random numbers.

    Running statistics of batch normalization therefore stay as they were, and a model with dropout
    draws the masks that its next forward pass will draw again.

    Args:
        model: Any module.

    Example:
        >>> norm = nn.BatchNorm1d(2)
        >>> with unchanged(norm):
        ...     y = norm(torch.randn(8, 2))
        >>> norm.running_mean
        tensor([0., 0.])
    """
    homes = [
        (module, name, buffer)
        for module in model.modules()
        for name, buffer in module.named_buffers(recurse=False)
    ]
    copies: dict[int, Tensor] = {id(buffer): buffer.clone() for _, _, buffer in homes}
    with forked_rng(model.parameters()):
        try:
            for module, name, buffer in homes:
                setattr(module, name, copies[id(buffer)])
            yield
        finally:
            for module, name, buffer in homes:
                setattr(module, name, buffer)
