"""Backpropagation as the explicit backward recursion over the stages of a model."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from gradatim.array_arguments import takes_arrays
from gradatim.backprop.stages import list_stages, lists_stages
from gradatim.backprop.trace import Stage, Trace, shape_text
from gradatim.backprop.unchanged import unchanged
from gradatim.backprop.unrolling import Step, unroll
from gradatim.backprop.vjp import Pullback, stage_vjp
from gradatim.errors import InvalidType, InvalidValue


@takes_arrays
def backpropagate(
    model: nn.Module, loss: Callable[[Any, Any], Tensor], x: Tensor | tuple[Tensor, ...], y: Any
) -> Trace:
    r"""Run a model forward, then carry the gradient of the loss back, one stage at a time.

    .. math::
        x_\ell = f_\ell(x_{\ell-1}; \theta_\ell), \quad \ell = 1 \dots L, \qquad
        p_L = \nabla_{x_L} E(x_L, y),

        p_{\ell-1} = \Big(\frac{\partial f_\ell}{\partial x_{\ell-1}}\Big)^{\!\top} p_\ell, \qquad
        \frac{\partial E}{\partial\theta_\ell}
        = \Big(\frac{\partial f_\ell}{\partial\theta_\ell}\Big)^{\!\top} p_\ell .

    No Jacobian is formed: each stage contributes its own vector-Jacobian product, and nothing but
    :math:`p_\ell` passes from one stage to the one before. The result equals that of
    ``loss(model(x), y).backward()`` to rounding.

    The trace only looks on: parameters, their ``.grad``, buffers (running statistics of batch
    normalization), training mode and random numbers stay as they were. A model with dropout is traced
    with the masks of its next forward pass. Nested ``nn.Sequential`` are unrolled; see
    :func:`list_stages` for how a model of another class names its stages. A stage that is a
    :class:`~gradatim.nn.Recurrent` is unrolled along time: every step is a stage, with the co-state of its state
    and the gradient of its copy of the weights.

    Args:
        model: The chain :math:`f_L \circ \dots \circ f_1`, in training or evaluation mode as it is.
        loss: Function of output and target that returns the scalar :math:`E`.
        x: Input :math:`x_0`. A tuple goes to the first stage as several arguments.
        y: Target, given to ``loss`` as it is.

    Returns:
        Forward values :math:`x_\ell`, co-states :math:`p_\ell` and gradients.

    Example:
        >>> model = nn.Sequential(nn.Linear(1, 1), nn.Sigmoid(), nn.Linear(1, 1)).double()
        >>> for p, value in zip(model.parameters(), [0.4, 0.3, 0.5, 0.1]):
        ...     p = nn.init.constant_(p, value)
        >>> x, y = torch.tensor([[1.0]]).double(), torch.tensor([[0.5]]).double()
        >>> trace = backpropagate(model, lambda output, y: (output - y).square().sum() / 2, x, y)
        >>> {name: round(g.item(), 6) for name, g in trace.gradients.items()}
        {'0.weight': -0.007306, '0.bias': -0.007306, '2.weight': -0.044038, '2.bias': -0.065906}

    Reference:
        LeCun, A Theoretical Framework for Back-Propagation, 1988.
    """
    _check(model, loss)
    parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
    inputs = x if isinstance(x, tuple) else (x,)
    expected = _own_output(model, inputs)
    with unchanged(model), torch.enable_grad():
        links, value = [], inputs
        for name, stage in list_stages(model):
            output, pullback, steps = _forward(name, stage, value, list(parameters.values()))
            links.append((name, stage, output, pullback, steps))
            value = (output,)
        _check_composition(model, expected, value)
        energy, pull_loss = stage_vjp(lambda output: _scalar(loss(output, y)), value, [])
        costate, _ = pull_loss([torch.ones_like(energy)])
        stages = []
        for name, stage, output, pullback, steps in reversed(links):
            before, pulled = pullback(costate)
            stages.append(_stage(name, stage, output, _like(output, costate), pulled, parameters))
            for step in reversed(steps):
                known = (f"{name} {step.name}", step.cell, step.state, step.costate, step.pulled)
                stages.append(_stage(*known, parameters))
            costate = before
    stages.reverse()
    total = _total(parameters, stages)
    return Trace(x, _like(x, costate), tuple(stages), total, energy)


def _forward(
    name: str, stage: Callable[..., Any], value: tuple[Any, ...], parameters: list[Tensor]
) -> tuple[Any, Pullback, list[Step]]:
    try:
        return unroll(stage, value, parameters)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InvalidValue(
            f"backpropagate: stage {name!r} ({_layer(stage)}) must accept its input, "
            f"got {shape_text(value)} and failed: {reason}."
        ) from error


def _layer(stage: Callable[..., Any]) -> str:
    named = type(stage) if isinstance(stage, nn.Module) else stage
    return getattr(named, "__name__", "function")


def _like(value: Any, costate: list[Tensor | None]) -> Any:
    return pytree.tree_unflatten(costate, pytree.tree_structure(value))


def _stage(
    name: str,
    stage: Callable[..., Any],
    output: Any,
    costate: Any,
    pulled: list[Tensor | None],
    parameters: dict[str, nn.Parameter],
) -> Stage:
    gradients = {n: g for n, g in zip(parameters, pulled, strict=True) if g is not None}
    used = [parameters[n] for n in gradients]
    owned = list(stage.parameters()) if isinstance(stage, nn.Module) else used
    return Stage(
        name,
        _layer(stage),
        output,
        costate,
        gradients,
        sum(p.numel() for p in owned),
    )


def _total(parameters: dict[str, nn.Parameter], stages: list[Stage]) -> dict[str, Tensor]:
    """Sum each parameter's gradient over the stages that use it, in the order of the model."""
    parts = {
        name: [s.gradients[name] for s in stages if name in s.gradients] for name in parameters
    }
    return {name: sum(found[1:], found[0]) for name, found in parts.items() if found}


def _scalar(energy: Any) -> Tensor:
    if not isinstance(energy, Tensor) or energy.numel() != 1:
        got = (
            f"shape {tuple(energy.shape)}" if isinstance(energy, Tensor) else type(energy).__name__
        )
        raise InvalidValue(
            f"backpropagate: loss must return one number, got {got}. Take its sum or mean over the batch."
        )
    return energy.reshape(())


def _check(model: object, loss: object) -> None:
    if not isinstance(model, nn.Module):
        raise InvalidType(
            f"backpropagate: model must be an nn.Module, got {type(model).__name__}. "
            "Put plain functions into a module with a method stages()."
        )
    if not callable(loss):
        raise InvalidType(
            f"backpropagate: loss must be a function of output and target, got {loss!r}. "
            "Try torch.nn.functional.mse_loss."
        )


def _own_output(model: nn.Module, inputs: tuple[Any, ...]) -> Any:
    """What ``model`` itself computes, where only its word stands for the stages; else ``None``."""
    if not any(lists_stages(module) for module in model.modules()):
        return None
    with unchanged(model), torch.no_grad():
        return model(*pytree.tree_map_only(Tensor, Tensor.clone, inputs))


def _check_composition(model: nn.Module, expected: Any, value: Any) -> None:
    if expected is None:
        return
    pairs = zip(pytree.tree_leaves(expected), pytree.tree_leaves(value), strict=False)
    if not all(a.shape == b.shape and _is_close(a, b) for a, b in pairs):
        raise InvalidValue(
            f"backpropagate: stages() of {type(model).__name__} must give the model's own output when run "
            "one after another, got another output. Compare its stages with its forward()."
        )


def _is_close(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True)
