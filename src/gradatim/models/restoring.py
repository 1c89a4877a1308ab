"""A described model from a file of weights: its size is compared with the file before anything is built."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

from gradatim.errors import InvalidValue
from gradatim.models.registry import Beside, rebuild
from gradatim.models.weights import check_weights, load_weights

PARTS = 40  # modules and parameters that a model may be made of, for each tensor of the file, and beyond that
SPARE = 1000
NUMBERS = (
    2**20
)  # whole numbers that a description may hold, and beyond that those of the largest tensor
TABLES = 2**27  # bytes of tables that no file holds, such as those of positions


def restore(
    owner: str,
    description: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    *,
    beside: Beside | None = None,
) -> nn.Module:
    """Build the model that :func:`~gradatim.models.describe` described, with the weights of a file.

    A description of a few bytes can ask for any memory and any time. So the model is planned first, on a device that
    stores nothing, and refused where its tensors are not those of the file.

    Args:
        owner: Who asks, for the message.
        description: What ``describe`` returned, as JSON keeps it.
        weights: Tensors by name, as in ``state_dict``.
        beside: Other classes by name, those that ``describe`` was given.

    Example:
        >>> from gradatim.models import MLP, describe
        >>> mlp = MLP((2, 3, 1))
        >>> restore("load", describe(mlp) | {"arguments": {"sizes": [2, 10**6, 1]}}, mlp.state_dict())
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: load: weights must fit the model, got 0.weight (3, 2) instead of (1000000, 2); ...
    """
    largest = max((tensor.numel() for tensor in weights.values()), default=0)
    _check_numbers(owner, description, max(largest, NUMBERS))
    with _at_most(owner, SPARE + PARTS * len(weights)), torch.device("meta"):
        plan = rebuild(description, beside=beside)
    check_weights(owner, plan, weights)
    kept = plan.state_dict().keys()
    tables = sum(b.nbytes for name, b in plan.named_buffers() if name not in kept)
    if tables > TABLES + sum(tensor.nbytes for tensor in weights.values()):
        raise InvalidValue(f"{owner}: the model must be no larger than its weights, and needs {tables:,} bytes more.")  # fmt: skip
    model = rebuild(description, beside=beside)
    load_weights(owner, model, weights)
    return model


def _check_numbers(owner: str, value: Any, most: int) -> None:
    """Raise where a description holds a number that no width or count of such a model is."""
    if isinstance(value, Mapping):
        for item in value.values():
            _check_numbers(owner, item, most)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_numbers(owner, item, most)
    elif isinstance(value, int) and abs(value) > most:
        raise InvalidValue(f"{owner}: numbers of the model must be at most {most:,}, got {value}.")


@contextmanager
def _at_most(owner: str, most: int) -> Iterator[None]:
    """Refuse to build a model of more than ``most`` parts in this thread."""
    thread, count = get_ident(), 0

    def watch(*_: object) -> None:
        nonlocal count
        count += get_ident() == thread
        if count > most:
            raise InvalidValue(f"{owner}: the model must have the parts that its weights are for, and has more than {most:,}.")  # fmt: skip

    hooks = [
        register_module_module_registration_hook(watch),
        register_module_parameter_registration_hook(watch),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
