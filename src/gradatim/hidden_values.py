"""Whether the numbers of tensors may be looked at."""

import torch
from torch.autograd import forward_ad


def is_transformed() -> bool:
    """Whether a transform of ``torch.func`` or forward-mode differentiation is at work.

    Example:
        >>> is_transformed(), bool(torch.func.vmap(lambda x: x + is_transformed())(torch.zeros(1)))
        (False, True)
    """
    if torch.compiler.is_compiling():
        return False
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def are_values_hidden() -> bool:
    """Whether the numbers of tensors cannot be looked at: in a batch of batches, or while a program is being exported.

    Example:
        >>> are_values_hidden()
        False
    """
    return is_transformed() or torch.compiler.is_exporting()
