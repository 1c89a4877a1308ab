"""The stages of a model: the links of the chain through which backpropagation recurses."""

from collections.abc import Callable
from typing import Any

from torch import nn

from gradatim.errors import InvalidValue


def lists_stages(model: nn.Module) -> bool:
    """Whether the class of ``model`` has a method ``stages``; an attribute of that name does not count."""
    return callable(getattr(type(model), "stages", None))


def is_plain_chain(model: nn.Module) -> bool:
    """Whether ``model`` is an ``nn.Sequential`` that runs its children one after another, unaltered."""
    return isinstance(model, nn.Sequential) and type(model).forward is nn.Sequential.forward


def list_stages(model: nn.Module) -> list[tuple[str, Callable[..., Any]]]:
    r"""Write ``model`` as a chain :math:`f_L \circ \dots \circ f_1` of named stages.

    - A model with a method ``stages()`` says so itself: pairs of a name and a callable, taken as they are.
    - An ``nn.Sequential`` is unrolled, and so is every ``nn.Sequential`` within it.
    - Any other module, and a subclass of ``nn.Sequential`` with a ``forward`` of its own, is one stage.

    Args:
        model: Any module.

    Example:
        >>> nested = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Tanh(), nn.Linear(3, 1)))
        >>> [name for name, stage in list_stages(nested)]
        ['0', '1.0', '1.1']
    """
    return _unroll(model, "")


def _unroll(module: nn.Module, name: str) -> list[tuple[str, Callable[..., Any]]]:
    prefix = f"{name}." if name else ""
    if lists_stages(module):
        return [(prefix + inner, stage) for inner, stage in _listed(module)]
    if is_plain_chain(module):
        # named_children() would skip the second use of a shared module.
        children = [(key, child) for key, child in module._modules.items() if child is not None]
        return [stage for key, child in children for stage in _unroll(child, prefix + key)]
    return [(name or type(module).__name__, module)]


def _listed(module: nn.Module) -> list[tuple[str, Callable[..., Any]]]:
    stages = []
    for pair in module.stages():  # type: ignore[operator]
        if not (isinstance(pair, tuple) and len(pair) == 2 and callable(pair[1])):
            raise InvalidValue(
                f"backpropagate: {type(module).__name__}.stages() must list pairs (name, callable), "
                f"got {pair!r}."
            )
        stages.append((str(pair[0]), pair[1]))
    return stages
