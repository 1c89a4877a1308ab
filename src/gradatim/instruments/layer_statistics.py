r"""Mean and variance of every layer's outputs, and of the gradients that flow back to them.

A healthy deep network keeps :math:`\mathrm{Var}[z_\ell]` and :math:`\mathrm{Var}[\delta_\ell]`,
:math:`\delta_\ell=\partial E/\partial z_\ell`, of one order from the first layer to the last; a ratio
:math:`r` from layer to layer becomes :math:`r^L` over :math:`L` layers.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from math import nan
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.randomness import seeded


class LayerStatistics(NamedTuple):
    """Moments over the batch and all units of one layer call; NaN where no gradient arrives."""

    name: str
    kind: str
    activation_mean: float
    activation_variance: float
    gradient_mean: float
    gradient_variance: float


def _moments(x: Tensor) -> tuple[float, float]:
    x = x.detach().double()
    return x.mean().item(), x.var(correction=0).item()


def _first_tensor(output: object) -> Tensor | None:
    if isinstance(output, tuple | list):
        output = next((part for part in output if isinstance(part, Tensor)), None)
    return output if isinstance(output, Tensor) and output.is_floating_point() else None


class _Recorder:
    """Forward hooks that keep one record a call, each filled by a tensor hook on the way back."""

    def __init__(self) -> None:
        self.records: list[LayerStatistics] = []
        self._calls: Counter[str] = Counter()

    def hook(self, name: str) -> Callable[[nn.Module, object, object], None]:
        def record(module: nn.Module, inputs: object, output: object) -> None:
            values = _first_tensor(output)
            if values is None:
                return
            self._calls[name] += 1
            label = name if self._calls[name] == 1 else f"{name} ({self._calls[name]})"
            place = len(self.records)
            self.records.append(
                LayerStatistics(label, type(module).__name__, *_moments(values), nan, nan)
            )
            if values.requires_grad:
                values.register_hook(lambda gradient: self._gradient(place, gradient))

        return record

    def _gradient(self, place: int, gradient: Tensor) -> None:
        mean, variance = _moments(gradient)
        self.records[place] = self.records[place]._replace(
            gradient_mean=mean, gradient_variance=variance
        )


def _objective(output: object, loss: Callable[..., Tensor] | None, seed: int) -> Tensor:
    if loss is not None:
        return loss(output)
    if not isinstance(output, Tensor):
        raise InvalidType(
            "variance_profile: loss must be a function when the model does not return one tensor, "
            f"got None and a {type(output).__name__}. Pass one that maps the output to a scalar."
        )
    noise = torch.randn(output.shape, generator=torch.Generator().manual_seed(seed))
    return (output * noise.to(output)).sum()


@takes_arrays
def variance_profile(
    model: nn.Module,
    batch: Tensor | tuple[Tensor, ...],
    loss: Callable[..., Tensor] | None = None,
    *,
    seed: int = 0,
) -> list[LayerStatistics]:
    r"""Measure each layer's output and back-propagated gradient on one batch.

    The model is left as it was: hooks are removed, buffers (running statistics) restored, ``.grad``
    and the global random state untouched, the training mode kept.

    Args:
        model: Any module with a trainable parameter; the rows are the calls of its innermost
            modules, in the order of the forward pass.
        batch: Input, or tuple of positional inputs.
        loss: Maps the model's output to the scalar :math:`E`. Without one, independent standard
            normal co-states :math:`\delta\sim N(0,1)` are sent back from the output.
        seed: Seed of the co-states and of dropout.

    Example:
        >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        >>> [row.kind for row in variance_profile(model, torch.ones(5, 4))]
        ['Linear', 'ReLU', 'Linear']
    """
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trainable:
        raise InvalidValue(
            "variance_profile: model must have a parameter that requires a gradient, got none. "
            "Call model.requires_grad_()."
        )
    recorder = _Recorder()
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    inputs = batch if isinstance(batch, tuple) else (batch,)
    is_full = all(part.numel() for part in inputs if isinstance(part, Tensor))
    require(is_full, "variance_profile: batch must have rows", "none")
    with ExitStack() as cleanup:
        for name, module in model.named_modules():
            if not any(module.children()):
                handle = module.register_forward_hook(recorder.hook(name or type(module).__name__))
                cleanup.callback(handle.remove)
        cleanup.enter_context(seeded(seed))
        cleanup.enter_context(torch.enable_grad())
        try:
            objective = _objective(model(*inputs), loss, seed)
            torch.autograd.grad(objective, trainable, allow_unused=True)
        finally:
            with torch.no_grad():
                for buffer, before in buffers:
                    buffer.copy_(before)
    return recorder.records
