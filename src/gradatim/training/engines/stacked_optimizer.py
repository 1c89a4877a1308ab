"""Adam, AdamW and SGD for K networks at once, each with its own rate, decay and number of steps."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD

from gradatim.optim import build_optimizer
from gradatim.optim.named import OptimizerFactory
from gradatim.training.engines.flat import is_flattenable
from gradatim.training.engines.fused import fused_rule, moments_of
from gradatim.training.engines.stacked_parameters import StackedParameters


class StackedOptimizer:
    """Apply PyTorch's fused rule to the rows of a stack.

    Rows with the same settings move in one kernel call; a row that is not asked to move keeps its values,
    moments and step count.

    Args:
        stack: Values and gradients.
        optimizer: Name or factory, as in :func:`gradatim.optim.build_optimizer`.
        model: Any of the networks, on which the optimizer's defaults are read.
        lr: Initial rate of every row.
        weight_decay: Decay of the weights of every row.
        clocks: Batches per epoch of every row: rows with different clocks follow a schedule apart.
    """

    def __init__(
        self,
        stack: StackedParameters,
        optimizer: str | OptimizerFactory,
        model: nn.Module,
        *,
        lr: Sequence[float],
        weight_decay: Sequence[float],
        clocks: Sequence[int],
    ) -> None:
        template = build_optimizer(optimizer, model, lr=lr[0], weight_decay=weight_decay[0])
        self.kind, self.defaults = type(template), template.defaults
        self.is_supported = is_flattenable(template)
        self.lr, self.weight_decay, self.clocks = list(lr), list(weight_decay), list(clocks)
        self.steps = [torch.zeros(()) for _ in lr]
        names = moments_of(self.kind, self.defaults)
        self.moments = [torch.zeros_like(stack.values) for _ in names]
        self._attach(stack)

    def _attach(self, stack: StackedParameters) -> None:
        self.stack = stack
        self._plans: dict[tuple[int, ...], list[_Plan]] = {}

    def keep(self, stack: StackedParameters, rows: Sequence[int]) -> None:
        """Go on with some of the networks, whose values are in ``stack`` now."""
        for name in ("lr", "weight_decay", "clocks", "steps"):
            setattr(self, name, [getattr(self, name)[k] for k in rows])
        self.moments = [moment[list(rows)] for moment in self.moments]
        self._attach(stack)

    def step(self, rows: tuple[int, ...], factor: Callable[[int], float]) -> None:
        """Move ``rows``; ``factor(clock)`` is the schedule's factor on the rate now."""
        if rows not in self._plans:
            self._plans[rows] = self._plan(rows)
        for plan in self._plans[rows]:
            lr = plan.lr * factor(plan.clock)
            if plan.steps:
                torch._foreach_add_(plan.steps, 1.0)
            for call in plan.calls:
                call(lr=lr)

    def _plan(self, rows: tuple[int, ...]) -> "list[_Plan]":
        settings = [(self.lr[k], self.weight_decay[k], self.clocks[k]) for k in rows]
        return [
            self._group([k for k, own in zip(rows, settings, strict=True) if own == group], *group)
            for group in dict.fromkeys(settings)
        ]

    def _group(self, rows: list[int], lr: float, decay: float, clock: int) -> "_Plan":
        total, border = self.stack.values.shape[1], self.stack.decayed
        parts = [(0, border, decay), (border, total, 0.0)] if decay else [(0, total, 0.0)]
        calls, steps = [], [self.steps[k] for k in rows]
        for start, stop, weight_decay in parts:
            if start == stop:
                continue
            tensors = [
                [tensor[k, start:stop] for k in rows]
                for tensor in (self.stack.values, self.stack.gradient, *self.moments)
            ]
            rule = fused_rule(self.kind)
            calls.append(partial(rule, tensors, steps, self.defaults, weight_decay=weight_decay))
        return _Plan(lr, clock, [] if self.kind is SGD else steps, calls)


class _Plan:
    """Kernel calls for rows that share rate, decay and clock."""

    def __init__(
        self, lr: float, clock: int, steps: list[Tensor], calls: Sequence[Callable[..., Any]]
    ) -> None:
        self.lr, self.clock, self.steps, self.calls = lr, clock, steps, calls
