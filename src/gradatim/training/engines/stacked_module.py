"""Losses and gradients of K equal networks of any kind, by ``torch.func``."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad_and_value, vmap

from gradatim.losses import Loss
from gradatim.training.engines.stacked_parameters import StackedParameters


class StackedModule:
    """Losses and gradients of K networks whose rows do not see each other.

    Args:
        model: Any of the networks.
        loss: A loss that averages over rows.
        stack: Values and gradients of all networks.
        rows: Rows per batch.
    """

    def __init__(
        self, model: nn.Module, loss: Loss, stack: StackedParameters, *, rows: int
    ) -> None:
        self.model, self.stack = model, stack
        self.multiplications = rows * stack.values.numel()

        def weighted(parameters: dict[str, Tensor], x: Tensor, y: Tensor, weight: Tensor) -> Tensor:
            output = functional_call(model, parameters, (x,))
            by_row = vmap(lambda o, t: loss(o.unsqueeze(0), t.unsqueeze(0)))(output, y)
            return by_row @ weight

        self._gradients: Callable[..., tuple[dict[str, Tensor], Tensor]] = vmap(
            grad_and_value(weighted)
        )
        self._values = vmap(weighted)

    def prepare(self, y: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Targets and weights stay as they are."""
        return y, weight

    def gradients(self, x: Tensor, y: Tensor, weight: Tensor, counts: list[int]) -> Tensor:
        """Fill the gradients of a batch and return its losses."""
        self.model.train()
        gradients, losses = self._gradients(self.stack.views, x, y, weight)
        for name, gradient in gradients.items():
            self.stack.gradients[name].copy_(gradient)
        return losses

    def losses(self, traces: list[Tensor], y: Tensor, weight: Tensor) -> Tensor:
        """Return the loss of every step and replica of a chunk."""
        return torch.stack(traces)

    def evaluate(self, x: Tensor, y: Tensor, weight: Tensor) -> Tensor:
        """Return the weighted loss of every replica, in evaluation mode."""
        self.model.eval()
        return self._values(self.stack.views, x, y, weight)
