"""A recurrent network as a chain along time: a copy of its cell at every step."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from gradatim.backprop.vjp import Pullback, stage_vjp
from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.recurrent import Recurrent


class Step:
    r"""One step of a cell, :math:`s_t = R(s_{t-1}, x_t; \theta)`, and what backpropagation finds there.

    Args:
        name: Which cell and step it is.
        cell: The cell.
        parameters: Tensors whose gradients through this copy are wanted.
    """

    def __init__(self, name: str, cell: Cell, parameters: list[Tensor]) -> None:
        self.name, self.cell, self.parameters = name, cell, parameters
        self.state: State = ()
        self.costate: tuple[Tensor, ...] = ()
        self.pulled: list[Tensor | None] = [None] * len(parameters)


class _CutStep(torch.autograd.Function):
    """A step that autograd sees as one operation, with a vector-Jacobian product of its own."""

    @staticmethod
    def forward(ctx: Any, step: Step, x: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
        with torch.enable_grad():
            before = [part.detach().requires_grad_() for part in (x, *state)]
            moved, output = step.cell(tuple(before[1:]), before[0])
        ctx.step, ctx.before, ctx.moved, ctx.output = step, before, moved, output
        step.state = tuple(part.detach() for part in moved)
        return (output.detach().clone(), *(part.clone() for part in step.state))

    @staticmethod
    def backward(ctx: Any, *costate: Tensor) -> tuple[Tensor | None, ...]:
        ctx.step.costate = _whole_costate(ctx.output, ctx.moved, costate[0], costate[1:])
        pulled = torch.autograd.grad(
            [ctx.output, *ctx.moved],
            [*ctx.before, *ctx.step.parameters],
            costate,
            allow_unused=True,
        )
        ctx.step.pulled = list(pulled[len(ctx.before) :])
        return (None, *pulled[: len(ctx.before)])


def _whole_costate(
    output: Tensor, state: State, p_output: Tensor, p_state: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    """What comes back to a state from later steps, and from the output that shows it."""
    shown: tuple[Tensor | None, ...]
    if any(output is part for part in state):
        shown = tuple(p_output if output is part else None for part in state)
    else:
        shown = torch.autograd.grad(output, state, p_output, retain_graph=True, allow_unused=True)
    return tuple(p if q is None else p + q for p, q in zip(p_state, shown, strict=True))


class _Copies(Cell):
    """A cell that leaves a record of every step it takes."""

    def __init__(self, name: str, cell: Cell, parameters: list[Tensor], steps: list[Step]) -> None:
        super().__init__(cell.input_dim, cell.hidden_dim)
        self.name, self.cells, self.parameters_wanted, self.steps = name, [cell], parameters, steps
        self.taken = 0

    def project(self, x: Tensor) -> Tensor:
        return x

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        self.taken += 1
        record = Step(f"{self.name}step {self.taken}", self.cells[0], self.parameters_wanted)
        self.steps.append(record)
        output, *moved = _CutStep.apply(record, projected, *state)
        return tuple(moved), output


def unroll(
    stage: Callable[..., Any], inputs: tuple[Any, ...], parameters: list[Tensor]
) -> tuple[Any, Pullback, list[Step]]:
    r"""Evaluate a stage; of a :class:`Recurrent`, every step by itself.

    Backwards, the co-state goes from step to step,

    .. math::
        p_{t-1} = \Big(\frac{\partial s_t}{\partial s_{t-1}}\Big)^{\!\top} p_t
        + \Big(\frac{\partial y_{t-1}}{\partial s_{t-1}}\Big)^{\!\top} \frac{\partial E}{\partial y_{t-1}},
        \qquad
        \frac{\partial E}{\partial\theta} = \sum_t \Big(\frac{\partial s_t}{\partial\theta}\Big)^{\!\top} p_t

    and each term of the sum is the gradient of one copy.

    Args:
        stage: Any callable on tensors.
        inputs: Its arguments.
        parameters: Tensors whose gradients are wanted.

    Returns:
        Output and pullback as of :func:`stage_vjp`, and the steps, in the order in which they were taken. The
        pullback fills in their co-states and gradients, and returns those of the parameters that no step uses.

    Example:
        >>> output, pullback, steps = unroll(Recurrent("gru", 2, 3), (torch.randn(1, 4, 2),), [])
        >>> [step.name for step in steps]
        ['step 1', 'step 2', 'step 3', 'step 4']
    """
    steps: list[Step] = []
    if isinstance(stage, Recurrent):
        stage = _with_copies(stage, parameters, steps)
    output, pullback = stage_vjp(stage, inputs, parameters)
    return output, pullback, steps


def _with_copies(layers: Recurrent, parameters: list[Tensor], steps: list[Step]) -> Recurrent:
    """The same layers, whose cells keep a record; the original stays as it is."""
    twin = copy.copy(layers)
    cells = []
    for k, cell in enumerate(layers.cells):
        layer, direction = divmod(k, layers.num_directions)
        name = f"layer {layer + 1} " if layers.num_layers > 1 else ""
        name += ("backward " if direction else "forward ") if layers.is_bidirectional else ""
        assert isinstance(cell, Cell)
        cells.append(_Copies(name, cell, parameters, steps))
    twin._modules = {**layers._modules, "cells": nn.ModuleList(cells)}
    return twin
