"""What is made of a tensor once, and kept as long as the tensor is there and unchanged."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from gradatim.hidden_values import are_values_hidden

_KEPT: "WeakIdKeyDictionary" = WeakIdKeyDictionary()  # by the tensor that something was made from
T = TypeVar("T")


def made_once(tensor: Tensor, key: object, make: Callable[[], T]) -> T:
    """Make something of a tensor, and keep it as long as the tensor is there and unchanged.

    Args:
        tensor: What it is made of.
        key: What is made.
        make: Makes it.

    Example:
        >>> edges, made = torch.zeros(2, 0), []
        >>> for _ in range(3):
        ...     _ = made_once(edges, "count", lambda: made.append(1))
        >>> len(made)
        1
    """
    if are_values_hidden() or torch.compiler.is_compiling() or tensor.is_inference():
        return make()
    kept: dict[object, tuple[int, T]] = _KEPT.setdefault(tensor, {})
    if key not in kept or kept[key][0] != tensor._version:
        with torch.inference_mode(False):  # what is kept may be wanted for a training next
            kept[key] = tensor._version, make()
    return kept[key][1]
