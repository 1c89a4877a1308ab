r"""Half precision: products in few digits, weights and sums in many.

Of 16 bits, bf16 has the range of float32 and fewer digits; fp16 has more digits and a narrow range, in which small gradients
vanish. So a loss is scaled up before its backward pass, and gradients down after it:

.. math:: \nabla E = \frac{1}{s}\,\nabla (s E)

Where a gradient overflows, the step is left out and the scale halved; after many good steps it is doubled.

Reference:
    Micikevicius et al., Mixed Precision Training, 2018.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.training.distributed.group import ALONE, Group

TYPES = {"float32": None, "bf16": torch.bfloat16, "fp16": torch.float16}
FIRST, PATIENCE = 2.0**16, 2000  # scale at the start; good steps before it doubles


class Precision:
    """How a model computes.

    Args:
        name: ``"float32"``, which leaves a model as it is, ``"bf16"`` or ``"fp16"``.
        device: Where it computes.
        dtype: Of its parameters.

    Attributes:
        scale: :math:`s`, by which losses are multiplied.
        good: Steps since it changed.
    """

    def __init__(self, name: str, device: torch.device, dtype: torch.dtype) -> None:
        choose("Trainer", "precision", name, TYPES)
        self.dtype, self.device = TYPES[name], device
        rule = f"Trainer: precision={name!r} must come with weights in float32"
        told = str(dtype).removeprefix("torch.")
        require(self.dtype is None or dtype == torch.float32, rule, told, "Call model.float().")
        self.is_scaled = self.dtype == torch.float16
        self.scale, self.good = FIRST if self.is_scaled else 1.0, 0

    def forward(self) -> AbstractContextManager[Any]:
        """Entered around forward passes."""
        if self.dtype is None:
            return nullcontext()
        return torch.autocast(self.device.type, self.dtype)

    def backward(self, loss: Tensor) -> None:
        """Make gradients of a loss, scaled."""
        (loss * self.scale if self.is_scaled else loss).backward()

    def unscale(self, parameters: Iterable[Tensor], group: Group = ALONE) -> bool:
        """Scale gradients down; return whether they are such that a step can be taken.

        Args:
            parameters: Whose gradients they are.
            group: Processes that take the step together.
        """
        if not self.is_scaled:
            return True
        gradients = [p.grad for p in parameters if p.grad is not None]
        torch._foreach_mul_(gradients, 1.0 / self.scale)
        local = [g.to_local() if hasattr(g, "to_local") else g for g in gradients]
        bad = torch.zeros(1, device=self.device)
        for gradient in local:
            bad += ~torch.isfinite(gradient).all()
        is_good = not bool(group.sum(bad))
        self.good = self.good + 1 if is_good else 0
        if not is_good:
            self.scale /= 2
        elif self.good == PATIENCE:
            self.scale, self.good = self.scale * 2, 0
        return is_good

    def state_dict(self) -> dict[str, Any]:
        """Scale, and for how long it has been good."""
        return {"scale": self.scale, "good": self.good}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with them."""
        if state and self.is_scaled:
            self.scale, self.good = float(state["scale"]), int(state["good"])
