"""Models without numbers: built on the ``meta`` device, and made layer by layer, the same in every process."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from gradatim.errors import InvalidValue
from gradatim.randomness import seeded

_STRIDE = 7919  # between the seeds of two layers


class Made(NamedTuple):
    """A tensor of a layer, with its numbers.

    Args:
        name: In the model.
        value: Whole, on the CPU.
    """

    name: str
    value: Tensor


def is_meta(model: nn.Module) -> bool:
    """Whether a model was built without numbers.

    >>> with torch.device("meta"):
    ...     is_meta(nn.Linear(2, 1))
    True
    """
    return any(p.device.type == "meta" for p in model.parameters())


def drawn(model: nn.Module, seed: int) -> Iterator[Made]:
    """Draw a model's numbers layer by layer, never more than one layer at a time.

    Every layer draws by its ``reset_parameters``, as PyTorch's own do when they are built, from a seed of its own. A model
    may draw some anew in ``initialize_parameter(name, parameter)``.

    Args:
        model: Built on the ``meta`` device; it stays there.
        seed: Fixes all numbers.

    Example:
        >>> with torch.device("meta"):
        ...     layer = nn.Linear(2, 1)
        >>> [(made.name, tuple(made.value.shape)) for made in drawn(layer, 0)]
        [('weight', (1, 2)), ('bias', (1,))]
    """
    redraw: Callable[[str, Tensor], None] | None = getattr(model, "initialize_parameter", None)
    seen: set[int] = set()
    for number, (place, module) in enumerate(model.named_modules()):
        own = [*module._parameters.values(), *module._buffers.values()]
        if all(each is None or id(each) in seen for each in own):
            continue
        if not hasattr(module, "reset_parameters"):
            raise InvalidValue(
                f"Trainer: a model on the meta device must draw its numbers in reset_parameters, got none in "
                f"{place or 'the model'!r} ({type(module).__name__}). Write one, or build the model on the CPU."
            )
        alone = copy(module)  # its own tensors are replaced, those of its children are not touched
        alone._parameters, alone._buffers = dict(module._parameters), dict(module._buffers)
        with seeded(seed + _STRIDE * number):
            alone.to_empty(device="cpu", recurse=False)
            alone.reset_parameters()
            for kind in (module._parameters, module._buffers):
                for name, before in kind.items():
                    if before is None or id(before) in seen:
                        continue
                    seen.add(id(before))
                    full = f"{place}.{name}" if place else name
                    value = getattr(alone, name).detach()
                    if redraw is not None and kind is module._parameters:
                        redraw(full, value)
                    yield Made(full, value)


def materialize(model: nn.Module, seed: int, device: torch.device) -> None:
    """Give a model that was built on the ``meta`` device its numbers, in place; optimizers do not follow.

    Args:
        model: The model.
        seed: Fixes all numbers.
        device: Where they shall lie.
    """
    values = {made.name: made.value.to(device) for made in drawn(model, seed)}
    set_tensors(model, values)


def placed(model: nn.Module, seed: int, device: torch.device) -> nn.Module:
    """Bring a model to a device; one without numbers gets them there.

    Args:
        model: The model.
        seed: Fixes the numbers of a model without.
        device: Where it shall be.
    """
    if not is_meta(model):
        return model.to(device)
    materialize(model, seed, device)
    return model


def set_tensors(model: nn.Module, values: dict[str, Tensor]) -> None:
    """Put whole tensors where a model has those of the ``meta`` device; what layers share stays shared.

    Args:
        model: The model.
        values: By name, one name for what is shared.
    """
    made: dict[int, Any] = {}
    for place, module in model.named_modules():
        for kind in (module._parameters, module._buffers):
            for name, before in kind.items():
                full = f"{place}.{name}" if place else name
                if before is not None and full in values:
                    is_trained = before.requires_grad
                    made[id(before)] = nn.Parameter(values[full], is_trained) if isinstance(before, nn.Parameter) else values[full]  # fmt: skip
                if id(before) in made:
                    kind[name] = made[id(before)]


def give_numbers(model: nn.Module, optimizer: Optimizer, seed: int) -> None:
    """Give a model that has none numbers on the CPU, in which others can be loaded; its optimizer follows.

    Args:
        model: The model.
        optimizer: Its optimizer.
        seed: Fixes all numbers.
    """
    if is_meta(model):
        before = dict(model.named_parameters())
        materialize(model, seed, torch.device("cpu"))
        follow(optimizer, {before[name]: p for name, p in model.named_parameters()})


def follow(optimizer: Optimizer, pairs: dict[Tensor, Tensor]) -> None:
    """Let an optimizer move other parameters, with what it has learned of those in their place.

    Args:
        optimizer: The optimizer.
        pairs: Old and new parameters; others stay.
    """
    for group in optimizer.param_groups:
        group["params"] = [pairs.get(p, p) for p in group["params"]]
    states = {pairs.get(p, p): state for p, state in optimizer.state.items()}
    optimizer.state.clear()
    optimizer.state.update(states)
