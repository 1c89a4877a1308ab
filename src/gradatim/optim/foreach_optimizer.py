"""What our update rules share: gradients of a group, coupled weight decay, buffers, closures, a generator."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.optim.optimizer import ParamsT

from gradatim.errors import InvalidType, InvalidValue

Closure = Callable[[], Tensor]
Group = dict[str, Any]


def require(owner: str, name: str, value: float, is_met: bool, rule: str, remedy: float) -> None:
    """Raise unless a setting of an optimizer meets its rule; NaN meets none."""
    if not is_met:
        raise InvalidValue(f"{owner}: {name} must be {rule}, got {value}. Try {name}={remedy:g}.")


class ForeachOptimizer(Optimizer):
    r"""Base of the rules here: an update is a few multi-tensor kernels per parameter group.

    Every rule takes ``lr`` and a coupled ``weight_decay`` :math:`\gamma`, whose gradient
    :math:`\gamma\theta` is added to that of the loss before anything else.

    Args:
        params: Parameters, or groups of them with settings of their own.
        settings: Default settings of a group, ``lr`` and ``weight_decay`` among them.
        generator: Source of noise, kept in ``state_dict``; ``None`` draws from PyTorch's global one.
    """

    needs_closure = False  # whether ``step`` evaluates gradients itself, at points it chooses
    generator: torch.Generator | None = None

    def __init__(
        self, params: ParamsT, settings: Group, generator: torch.Generator | None = None
    ) -> None:
        lr, decay, owner = settings["lr"], settings["weight_decay"], type(self).__name__
        require(owner, "lr", lr, lr >= 0, "at least 0", 1e-3)
        require(owner, "weight_decay", decay, decay >= 0, "at least 0", 1e-4)
        super().__init__(params, settings)
        self.generator = generator

    @torch.no_grad()
    def step(self, closure: Closure | None = None) -> Tensor | None:  # type: ignore[override]
        """Move the parameters once; ``closure``, if given, computes loss and gradients first."""
        loss = None if closure is None else self.evaluate(closure)
        for group in self.param_groups:
            parameters, gradients = self.gradients(group)
            if parameters:
                self.update(group, parameters, gradients)
        return loss

    def update(self, group: Group, parameters: list[Tensor], gradients: list[Tensor]) -> None:
        """Apply the rule to the parameters of a group that have a gradient."""
        raise NotImplementedError

    def evaluate(self, closure: Closure | None) -> Tensor:
        """Return the loss at the present parameters, whose gradients it leaves in ``.grad``."""
        if closure is None:
            raise InvalidType(
                f"{type(self).__name__}: closure must be a function that clears the gradients, calls "
                "backward and returns the loss, got None. Call optimizer.step(closure)."
            )
        with torch.enable_grad():
            return closure()

    def gradients(self, group: Group) -> tuple[list[Tensor], list[Tensor]]:
        """Return parameters with a gradient, and the gradients of what they minimize, decay included."""
        parameters = [p for p in group["params"] if p.grad is not None]
        gradients = [p.grad for p in parameters]
        if any(gradient.is_sparse for gradient in gradients):
            raise InvalidType(
                f"{type(self).__name__}: gradients must be dense, got a sparse one. "
                "Try sparse=False in the embedding."
            )
        if group.get("maximize") and parameters:
            gradients = list(torch._foreach_neg(gradients))
        if group["weight_decay"] and parameters:
            return parameters, list(
                torch._foreach_add(gradients, parameters, alpha=group["weight_decay"])
            )
        return parameters, gradients

    def buffers(self, parameters: list[Tensor], name: str) -> list[Tensor]:
        """Return the state ``name`` of each parameter, zero at first."""
        for parameter in parameters:
            if name not in self.state[parameter]:
                self.state[parameter][name] = torch.zeros_like(parameter)
        return [self.state[parameter][name] for parameter in parameters]

    def count(self, parameters: list[Tensor]) -> list[float]:
        """Add one to the number of updates of each parameter, and return it."""
        for parameter in parameters:
            state = self.state[parameter]
            state["step"] = state.get("step", torch.zeros(())) + 1
        return [self.state[parameter]["step"].item() for parameter in parameters]

    def add_noise(self, parameters: list[Tensor], scale: float) -> None:
        """Add independent Gaussian noise of standard deviation ``scale``."""
        for parameter in parameters:
            noise = torch.empty_like(parameter).normal_(generator=self.generator)
            parameter.add_(noise, alpha=scale)

    # The generator is part of the state; PyTorch's own methods keep only buffers and groups.

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        if self.generator is not None:
            state["generator"] = self.generator.get_state()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        super().load_state_dict(dict(state_dict))
        if self.generator is not None and "generator" in state_dict:
            self.generator.set_state(state_dict["generator"])

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"generator": self.generator}
