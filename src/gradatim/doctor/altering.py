"""Altered copies of what a model is called with, and whether its outputs stay the same."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import tensors

SAME = 1e-4  # of the largest output: rounding differs with the batch's other rows


def altered(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A copy of nested arguments with every tensor changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: altered(entry, change) for key, entry in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(altered(entry, change) for entry in value))
    if isinstance(value, tuple | list):
        return type(value)(altered(entry, change) for entry in value)
    return value


def first_output(module: nn.Module, arguments: Any, named: Any) -> Tensor | None:
    """The first tensor that a model gives."""
    return next(tensors(module(*arguments, **named)), None)


def is_same(one: Tensor, other: Tensor) -> bool:
    if not one.dtype.is_floating_point:
        return torch.equal(one, other)
    size = float(torch.nan_to_num(one).abs().max()) if one.numel() else 0.0
    return bool(((one - other).abs() <= SAME * size + 1e-7).logical_or(one.isnan()).all())
