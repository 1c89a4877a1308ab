"""Where a run went bad: the first layer whose output or gradient is not finite."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor, nn

from gradatim.errors import GradatimError, InvalidValue
from gradatim.training.distributed.group import is_lost

T = TypeVar("T")
UNSEEN = (
    "Trainer: the loss must depend on the model, got one that reaches none of its parameters. "
    "Look for detach(), argmax, no_grad() or item() on the way."
)
_MILDER = "Lower the learning rate, scale the inputs or set clip_norm"


class NonFiniteError(GradatimError, ArithmeticError):
    """A loss, gradient or weight became infinite or not a number.

    Attributes:
        epoch: Epoch, from 1.
        batch: Batch within the epoch, from 1.
        layer: Name of the first bad layer, or ``"input"``, ``"loss"``, or that of another figure.
    """

    exit_code = 1

    def __init__(self, message: str, *, epoch: int, batch: int, layer: str) -> None:
        super().__init__(message)
        self.epoch, self.batch, self.layer = epoch, batch, layer


def is_finite(value: object) -> bool:
    """Whether every floating point number of a tensor, or a nest of tensors, is finite."""
    if isinstance(value, Tensor):
        return not value.is_floating_point() or bool(torch.isfinite(value).all())
    if isinstance(value, tuple | list):
        return all(is_finite(v) for v in value)
    if isinstance(value, dict):
        return all(is_finite(v) for v in value.values())
    return True


def first_bad_output(model: nn.Module, forward: Callable[[], object]) -> str | None:
    """Run ``forward`` and name the first innermost module whose output is not finite."""
    bad: list[str] = []

    def watch(name: str, module: nn.Module, inputs: object, output: object) -> None:
        if not bad and not is_finite(output):
            bad.append(name)

    leaves = [(n, m) for n, m in model.named_modules() if not any(m.children())]
    handles = [module.register_forward_hook(partial(watch, name)) for name, module in leaves]
    try:
        # what asks for gradients fails here, such as a step of a second player, but the outputs were seen
        with torch.no_grad(), suppress(RuntimeError):
            forward()
    finally:
        for handle in handles:
            handle.remove()
    return bad[0] if bad else None


def first_bad_gradient(model: nn.Module) -> str | None:
    """Name the layer where the backward pass, which runs from the last layer to the first, went bad."""
    names = [n for n, p in model.named_parameters() if p.grad is not None and not is_finite(p.grad)]
    return names[-1].rpartition(".")[0] if names else None


def bad_weights(model: nn.Module) -> str | None:
    """Name the first layer with a weight that is not finite."""
    names = [n for n, p in model.named_parameters() if not is_finite(p.detach())]
    return names[0].rpartition(".")[0] if names else None


def label(model: nn.Module, layer: str) -> str:
    """Write a layer as its name and type.

    >>> label(nn.Sequential(nn.ReLU()), "0")
    "layer '0' (ReLU)"
    """
    return f"layer '{layer}' ({type(model.get_submodule(layer)).__name__})"


def _shape(batch: object) -> str:
    if hasattr(batch, "parts"):  # the share of a process
        batch = batch.parts[0][0]
    if isinstance(batch, Tensor):
        return f"{str(batch.dtype).removeprefix('torch.')} {tuple(batch.shape)}"
    values = batch.values() if isinstance(batch, Mapping) else batch
    if isinstance(values, tuple | list):
        return ", ".join(_shape(value) for value in values)
    return type(batch).__name__


def first_step(step: Callable[[object], T], batch: object) -> T:
    """Take the first step of a run, where model, loss and data meet, or say in one sentence that they do not fit."""
    try:
        return step(batch)
    except GradatimError:
        raise
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        if is_lost(error):
            raise
        if "does not require grad" in str(error):
            raise InvalidValue(UNSEEN) from error
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InvalidValue(
            f"Trainer: model, loss and data must fit together, got a batch of {_shape(batch)}: {reason}. "
            "Check the widths of the first and last layer, the classes (0 to C-1) and the dtypes."
        ) from error


def explain_bad_loss(
    model: nn.Module,
    batch: object,
    forward: Callable[[], object],
    *,
    epoch: int = 1,
    number: int = 1,
    figure: str = "loss",
) -> NonFiniteError:
    """Find out where a loss, or another figure, that is not finite comes from.

    The weights are those before the update of this batch, and the gradients still those of the batch
    before: gradients are cleared only after the loss has been looked at.

    Args:
        model: The model that made it.
        batch: What it was made of; the last entry of a tuple is the target.
        forward: Makes it again.
        epoch: Epoch, from 1.
        number: Batch within the epoch, from 1.
        figure: Its name.

    Example:
        >>> layer, x = nn.Linear(1, 1), torch.tensor([[float("nan")]])
        >>> explain_bad_loss(layer, (x, x), lambda: layer(x)).layer
        'input'
    """
    name = "the loss" if figure == "loss" else figure
    place = f"Training stopped: {name} is not finite at epoch {epoch}, batch {number}"
    inputs = batch[:-1] if isinstance(batch, tuple) else batch
    weights = bad_weights(model)
    if weights is not None:
        gradient = first_bad_gradient(model)
        layer = weights if gradient is None else gradient
        what = "weights overflowed" if gradient is None else "gradient went bad one batch earlier"
        cause = f"the {what} in {label(model, layer)}"
        remedy = "Lower the learning rate or set clip_norm"
    elif not is_finite(inputs):
        layer, cause, remedy = "input", "the input has NaN or infinity", "Clean or impute the data"
    else:
        found = first_bad_output(model, forward)
        layer = figure if found is None else found
        cause = f"all outputs are finite, but {name} is not"
        if found is not None:
            cause = f"the first output that went bad is that of {label(model, found)}"
        remedy = _MILDER
    return NonFiniteError(f"{place}: {cause}. {remedy}.", epoch=epoch, batch=number, layer=layer)


def explain_bad_share(
    batch: object, *, epoch: int = 1, number: int = 1, figure: str = "loss"
) -> NonFiniteError:
    """Say what a process that holds a shard of the model can say alone of a figure that is not finite.

    Args:
        batch: Its share; the last entry of a tuple is the target.
        epoch: Epoch, from 1.
        number: Batch within the epoch, from 1.
        figure: Name of the figure.
    """
    name = "the loss" if figure == "loss" else figure
    place = f"Training stopped: {name} is not finite at epoch {epoch}, batch {number}"
    if is_finite(batch[:-1] if isinstance(batch, tuple) else batch):
        message = f"{place}. {_MILDER}; parallel='ddp' or one process finds the layer."
        return NonFiniteError(message, epoch=epoch, batch=number, layer=figure)
    message = f"{place}: the input has NaN or infinity. Clean or impute the data."
    return NonFiniteError(message, epoch=epoch, batch=number, layer="input")


def check_parameters(model: nn.Module, *, epoch: int, number: int) -> None:
    """Raise if the last update of an epoch, that of batch ``number``, left a weight that is not finite."""
    total = sum(p.detach().sum() for p in model.parameters() if p.is_floating_point())
    if is_finite(total) or (weights := bad_weights(model)) is None:
        return
    layer = first_bad_gradient(model) or weights
    what = (
        f"the update at epoch {epoch}, batch {number} is not finite, first in {label(model, layer)}"
    )
    message = f"Training stopped: {what}. Lower the learning rate or set clip_norm."
    raise NonFiniteError(message, epoch=epoch, batch=number, layer=layer)


def check_figures(means: Mapping[str, float], *, epoch: int, number: int) -> None:
    """Raise if a mean over an epoch of ``number`` batches is not finite: on an accelerator the last are read late."""
    for name, value in means.items():
        if not math.isfinite(value):
            where = f"at epoch {epoch}, in one of the last of {number} batches"
            message = f"Training stopped: {name} is not finite {where}. {_MILDER}."
            layer = name.removeprefix("train_")
            raise NonFiniteError(message, epoch=epoch, batch=number, layer=layer)
