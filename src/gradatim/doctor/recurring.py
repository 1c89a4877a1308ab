r"""How much of its past a recurrent layer can learn from: the gradient that its last step sends to its first.

.. math:: m = \frac{\|\partial\, (r^\top h_T) / \partial x_1\|}{\|\partial\, (r^\top h_T) / \partial x_T\|}

with random :math:`r`; it falls or grows like the :math:`T`-th power of the recurrent weights.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from gradatim.doctor.calls import tensors

FEWEST_STEPS = 10  # of a sequence for which length matters
CELLS = (nn.RNNCellBase, nn.Linear)


class Memory(NamedTuple):
    """A recurrent layer, the ratio of the gradients of its first and its last step, and the steps between them."""

    part: nn.Module
    ratio: float
    steps: int


def recall(module: nn.Module, arguments: Any, named: Any) -> Memory | None:
    """Call a model, and return the recurrent layer that is furthest from keeping gradients.

    Args:
        module: The model, in eval mode.
        arguments: What it is called with.
        named: The same by name.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> recall(nn.RNN(3, 8), (torch.randn(40, 2, 3),), {}).ratio < 1e-6
        True
    """
    whole: list[tuple[nn.RNNBase, Tensor]] = []
    cells: dict[nn.Module, list[Any]] = {}

    def keep(part: nn.Module, given: Any, output: Any) -> None:
        if isinstance(part, nn.RNNBase) and isinstance(given[0], Tensor):
            whole.append((part, given[0]))
        elif isinstance(part, CELLS):
            cells.setdefault(part, []).append(output)

    handles = [part.register_forward_hook(keep) for part in module.modules() if isinstance(part, (nn.RNNBase, *CELLS))]  # fmt: skip
    try:
        with torch.enable_grad():
            module(*arguments, **named)
    finally:
        for handle in handles:
            handle.remove()
    with torch.enable_grad():
        found = [_whole(part, x) for part, x in whole]
        found += [_stepwise(part, outputs) for part, outputs in cells.items() if len(outputs) >= FEWEST_STEPS]  # fmt: skip
    known = [memory for memory in found if memory is not None]
    return min(known, key=lambda memory: min(memory.ratio, 1 / max(memory.ratio, 1e-30)), default=None)  # fmt: skip


def _whole(part: nn.RNNBase, given: Tensor) -> Memory | None:
    """A layer that is given whole sequences."""
    x = given.detach().float().requires_grad_()
    axis = 1 if part.batch_first and x.dim() == 3 else 0
    steps = x.shape[axis]
    if steps < FEWEST_STEPS:
        return None
    last = part(x)[0].select(axis, steps - 1)[..., : part.hidden_size]
    slopes = torch.autograd.grad((last * _random(last)).sum(), x)[0]
    norms = slopes.movedim(axis, 0).reshape(steps, -1).norm(dim=1)
    return Memory(part, float(norms[0] / norms[-1].clamp(min=1e-30)), steps)


def _stepwise(part: nn.Module, outputs: list[Any]) -> Memory | None:
    """A cell that is called step by step, if each call uses what the one before gave."""
    first, last = list(tensors(outputs[0])), next(tensors(outputs[-1]))
    if not last.requires_grad or last.shape != first[0].shape:
        return None
    weights = _random(last)
    slopes = torch.autograd.grad((last * weights).sum(), first, allow_unused=True)
    norms = [float(slope.norm()) for slope in slopes if slope is not None]
    return Memory(part, max(norms) / float(weights.norm()), len(outputs)) if norms else None


def _random(like: Tensor) -> Tensor:
    return torch.randn(like.shape, generator=torch.Generator().manual_seed(0)).to(like)
