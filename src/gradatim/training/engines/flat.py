"""Adam, AdamW and SGD on one flat vector per parameter group: one kernel call instead of a Python step.

The parameters of a group become views into one vector, and so do their gradients and the optimizer's
moments; the rule itself is PyTorch's fused kernel. :meth:`FlatOptimizer.close` gives everything back.
"""

from typing import Any

import torch
from torch import Tensor
from torch.optim import SGD, Optimizer

from gradatim.training.engines.fused import MOMENTS, aligned_starts, fused_rule, moments_of


def _flatten(tensors: list[Tensor], place: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
    """Copy tensors into one vector, a new one if none is given; return it and a view of it for each."""
    starts, total = aligned_starts(tensor.numel() for tensor in tensors)
    flat = tensors[0].new_zeros(total) if place is None else place
    views = [
        flat[start : start + tensor.numel()].view(tensor.shape)
        for start, tensor in zip(starts, tensors, strict=True)
    ]
    for view, tensor in zip(views, tensors, strict=True):
        view.copy_(tensor)
    return flat, views


class _Group:
    """One parameter group, flat: values, gradient, moments and the number of steps taken."""

    def __init__(
        self, optimizer: Optimizer, settings: dict[str, Any], gradient: Tensor | None = None
    ) -> None:
        self.settings, self.parameters, self.state = settings, settings["params"], optimizer.state
        self.values, views = _flatten([p.detach() for p in self.parameters])
        self.gradient, gradients = _flatten([torch.zeros_like(v) for v in views], gradient)
        started = [p for p in self.parameters if self.state.get(p)]
        self.is_started = bool(started)
        self.step = torch.zeros(())
        if started and "step" in self.state[started[0]]:
            self.step += float(self.state[started[0]]["step"])
        self.numbers: list[Tensor] = []
        self.tensors = [[self.values], [self.gradient]]
        for name in moments_of(type(optimizer), settings):
            old = [
                self.state[p][name] if self.is_started else torch.zeros_like(p.detach())
                for p in self.parameters
            ]
            flat, parts = _flatten(old)
            self.tensors.append([flat])
            for parameter, part in zip(self.parameters, parts, strict=True):
                self.state[parameter][name] = part
        for parameter, view, gradient in zip(self.parameters, views, gradients, strict=True):
            parameter.data, parameter.grad = view, gradient

    def next_step(self) -> Tensor:
        """Count a step; the numbers are made in blocks, for adding to one costs as much as a layer."""
        if not self.numbers:
            first = int(self.step) + 1
            self.numbers = list(torch.arange(first, first + 1024.0).flip(0).unbind())
        self.step = self.numbers.pop()
        return self.step

    def sync(self) -> None:
        for parameter in self.parameters:
            if "exp_avg" in self.state.get(parameter, {}):
                self.state[parameter]["step"] = self.step.clone()

    def release(self) -> None:
        for parameter in self.parameters:
            parameter.data, parameter.grad = parameter.data.clone(), None
            state = self.state.get(parameter, {})
            state.update({k: v.clone() for k, v in state.items() if isinstance(v, Tensor)})


def is_flattenable(optimizer: Optimizer) -> bool:
    """Whether the rule has a fused kernel here and needs nothing but the usual moments."""
    plain = type(optimizer) in MOMENTS and all(
        not any(group.get(flag) for flag in ("amsgrad", "maximize", "differentiable", "capturable"))
        and not isinstance(group["lr"], Tensor)
        for group in optimizer.param_groups
    )
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    one_type = len({(p.dtype, p.device) for p in parameters}) == 1
    return plain and one_type and parameters[0].device.type == "cpu"


class FlatOptimizer:
    """Take over the parameters of ``optimizer`` and apply its rule to them flat.

    Args:
        optimizer: The rule.
        spare: Numbers behind the gradients of all groups, which then are one vector.

    Attributes:
        gradient: That vector, with the spare numbers at its end.
    """

    def __init__(self, optimizer: Optimizer, spare: int = 0) -> None:
        groups = optimizer.param_groups
        sizes = [aligned_starts(p.numel() for p in group["params"])[1] for group in groups]
        self.gradient = groups[0]["params"][0].new_zeros(sum(sizes) + spare, requires_grad=False)
        places = self.gradient.split([*sizes, spare])
        self.groups = [_Group(optimizer, *each) for each in zip(groups, places[:-1], strict=True)]
        self.gradients = [group.gradient for group in self.groups]
        self._rule, self._counts = fused_rule(type(optimizer)), type(optimizer) is not SGD

    def step(self) -> None:
        for group in self.groups:
            settings = group.settings
            self._rule(
                group.tensors,
                [group.next_step()] if self._counts else [],
                settings,
                lr=settings["lr"],
                weight_decay=settings["weight_decay"],
                is_first=not group.is_started,
            )
            group.is_started = True

    def clip_value(self, limit: float) -> None:
        """Bring every entry of the gradient into ``[-limit, limit]``."""
        for gradient in self.gradients:
            gradient.clamp_(-limit, limit)

    def clip_norm(self, limit: float) -> None:
        r"""Scale the gradient to norm ``limit`` where it is longer."""
        norms = torch.stack([torch.linalg.vector_norm(g) for g in self.gradients])
        factor = (limit / (torch.linalg.vector_norm(norms) + 1e-6)).clamp_(max=1.0)
        for gradient in self.gradients:
            gradient.mul_(factor)

    def sync(self) -> None:
        """Write the step counts into the optimizer, so that its ``state_dict`` is complete."""
        for group in self.groups:
            group.sync()

    def close(self) -> None:
        """Give parameters and moments memory of their own again."""
        self.sync()
        for group in self.groups:
            group.release()
