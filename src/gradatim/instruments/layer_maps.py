"""What every layer of a network makes of an image."""

from contextlib import ExitStack

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, nearest_first
from gradatim.nn.training_modes import evaluation_mode


@takes_arrays
def feature_maps(
    model: nn.Module, x: Tensor, layers: tuple[str, ...] | None = None
) -> dict[str, Tensor]:
    """Collect the outputs of a model's layers that still have spatial axes.

    Args:
        model: Any module, used in evaluation mode; it is left as it was.
        x: Inputs, shape ``(B, C, n)`` or ``(B, C, H, W)``.
        layers: Names of the modules to watch; by default all without parts of their own.

    Returns:
        By name, in the order of the forward pass, shape ``(B, channels, *size)``; for a module that is
        called several times, its last output.

    Example:
        >>> net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
        >>> {name: tuple(maps.shape) for name, maps in feature_maps(net, torch.zeros(2, 1, 8, 8)).items()}
        {'0': (2, 4, 6, 6), '1': (2, 4, 6, 6)}
    """
    modules = dict(model.named_modules())
    if layers is None:
        chosen = [name for name, module in modules.items() if name and not any(module.children())]
    else:
        chosen = list(layers)
    for name in chosen:
        if name not in modules:
            known = nearest_first(name, [n for n in modules if n])
            raise InvalidValue(
                f"feature_maps: layers must name modules of the model, got {name!r}. Try {known[0]!r}."
                if known
                else f"feature_maps: layers must name modules of the model, got {name!r}; it has none."
            )
    maps: dict[str, Tensor] = {}

    def keep(name: str, output: object) -> None:
        if isinstance(output, Tensor) and output.ndim == x.ndim and output.is_floating_point():
            maps[name] = output.clone()  # a layer that works in place would overwrite it

    with ExitStack() as stack:
        stack.enter_context(evaluation_mode(model))
        stack.enter_context(torch.no_grad())
        for name in chosen:
            handle = modules[name].register_forward_hook(
                lambda module, inputs, output, name=name: keep(name, output)
            )
            stack.callback(handle.remove)
        model(x)
    return maps
