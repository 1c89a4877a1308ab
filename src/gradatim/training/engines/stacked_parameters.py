"""The parameters of K equal networks as rows of one matrix, decayed weights first."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gradatim.training.engines.fused import aligned_starts


class StackedParameters:
    """Values and gradients of K networks, shape ``(K, P)`` each, and views of them by parameter.

    Args:
        models: Networks with the same parameters.

    Attributes:
        decayed: Columns before this one belong to weights, those after it to biases and gains.

    Example:
        >>> stack = StackedParameters([nn.Linear(2, 3), nn.Linear(2, 3)])
        >>> stack.values.shape, stack.decayed, stack.views["weight"].shape
        (torch.Size([2, 32]), 16, torch.Size([2, 3, 2]))
    """

    def __init__(self, models: Sequence[nn.Module]) -> None:
        named = dict(models[0].named_parameters())
        self.shapes = {
            name: p.shape for name, p in sorted(named.items(), key=lambda i: i[1].ndim <= 1)
        }
        starts, total = aligned_starts(shape.numel() for shape in self.shapes.values())
        self.starts = dict(zip(self.shapes, starts, strict=True))
        vectors = (start for name, start in self.starts.items() if len(self.shapes[name]) <= 1)
        self.decayed = next(vectors, total)
        self._attach(next(iter(named.values())).detach().new_zeros(len(models), total))
        for k, model in enumerate(models):
            for name, parameter in model.named_parameters():
                self.views[name][k].copy_(parameter.detach())

    def _attach(self, values: Tensor) -> None:
        self.values, self.gradient = values, torch.zeros_like(values)
        self.views, self.gradients = self._views(self.values), self._views(self.gradient)

    def _views(self, flat: Tensor) -> dict[str, Tensor]:
        return {
            name: flat[:, start : start + self.shapes[name].numel()].view(-1, *self.shapes[name])
            for name, start in self.starts.items()
        }

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some of the networks."""
        self._attach(self.values[list(rows)])

    def clip(self, norm: float | None, value: float | None) -> None:
        """Bring the entries of every network's gradient into ``[-value, value]``, then its length below ``norm``."""
        if value is not None:
            self.gradient.clamp_(-value, value)
        if norm is not None:
            lengths = torch.linalg.vector_norm(self.gradient, dim=1, keepdim=True)
            self.gradient.mul_((norm / (lengths + 1e-6)).clamp_(max=1.0))

    @torch.no_grad()
    def write(self, row: Tensor, model: nn.Module) -> None:
        """Copy one row of values into a network."""
        views = self._views(row.unsqueeze(0))
        for name, parameter in model.named_parameters():
            parameter.copy_(views[name][0])
