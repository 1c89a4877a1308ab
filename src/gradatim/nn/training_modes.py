"""Look at a model in evaluation mode without leaving a trace."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Within this context every part of ``model`` is in evaluation mode; after it, in its own mode again.

    Args:
        model: Any module.

    Example:
        >>> model = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2).eval())
        >>> with evaluation_mode(model):
        ...     inside = [part.training for part in model]
        >>> inside, [part.training for part in model]
        ([False, False], [True, False])
    """
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode
