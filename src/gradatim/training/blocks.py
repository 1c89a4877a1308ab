"""Blocks of a model, which are large enough to be treated one by one: compiled, or computed again in the backward pass."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint

from gradatim.errors import require
from gradatim.nn import Recurrent


def blocks_of(model: nn.Module) -> list[nn.Module]:
    """The blocks of a model: modules that outermost lists and sequences hold, and that have parts themselves.

    Args:
        model: Any module.

    Example:
        >>> block = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        >>> len(blocks_of(nn.Sequential(block, block, nn.Linear(2, 1)))), blocks_of(block)
        (2, [])
    """
    if isinstance(model, Recurrent):  # which calls its cells otherwise than as modules
        return []
    if isinstance(model, nn.ModuleList | nn.Sequential):
        found = [member for member in model if any(member.children())]
        if found:
            return found
    return [block for child in model.children() for block in blocks_of(child)]


@contextmanager
def compiled(model: nn.Module, is_wanted: bool) -> Iterator[None]:
    """While inside, PyTorch compiles the blocks of a model, or all of it where there are none.

    Args:
        model: The model.
        is_wanted: Whether it does.
    """
    parts = (blocks_of(model) or [model]) if is_wanted else []
    for part in parts:
        part.compile()
    try:
        yield
    finally:
        for part in parts:
            part._compiled_call_impl = None


@contextmanager
def recomputing(model: nn.Module, is_wanted: bool) -> Iterator[None]:
    """While inside, blocks keep their inputs alone and compute again what the backward pass needs.

    Args:
        model: The model.
        is_wanted: Whether they do.

    Reference:
        Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.
    """
    blocks = blocks_of(model) if is_wanted else []
    rule = "Trainer: activation_checkpointing must come with a model of blocks, in an nn.ModuleList or nn.Sequential,"
    require(blocks or not is_wanted, rule, type(model).__name__, "Leave it out.")
    normed = any(isinstance(m, _BatchNorm) for block in blocks for m in block.modules())
    rule = "Trainer: activation_checkpointing must come with blocks that may be computed twice"
    require(not normed, rule, "batch normalization, which counts every time", "Leave it out.")
    for block in blocks:
        vars(block)["forward"] = partial(_recomputed, block.forward)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward


def _recomputed(forward: Any, *inputs: Any, **named: Any) -> Tensor:
    result: Tensor = checkpoint(forward, *inputs, use_reentrant=False, **named)
    return result
