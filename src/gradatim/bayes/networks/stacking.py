"""Many networks of one architecture, their weights a row each, computed together."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from gradatim.errors import require
from gradatim.models import MLP
from gradatim.nn.training_modes import evaluation_mode
from gradatim.training.model_outputs import plain_output

_ELEMENTWISE = (nn.ReLU, nn.Tanh, nn.Sigmoid, nn.SiLU, nn.GELU, nn.ELU, nn.Softplus, nn.LeakyReLU, nn.Identity, nn.Dropout)  # fmt: skip


class StackedNetwork:
    r"""The outputs of :math:`C` networks whose weights are the rows of a matrix.

    Chains of dense layers are computed by batched matrix products, other models by ``torch.func``, and those that cannot be
    mapped, such as PyTorch's LSTM, one after another. All are in evaluation mode.

    Args:
        model: The architecture; it is left alone. Parameters that are frozen keep their values in all networks.
        owner: Whom errors name.
    """

    def __init__(self, model: nn.Module, owner: str) -> None:
        free = {name: p for name, p in model.named_parameters() if p.requires_grad}
        require(free, f"{owner}: model must have a trainable parameter", "none", "Check requires_grad.")  # fmt: skip
        self.model = model
        self.shapes = {name: p.shape for name, p in free.items()}
        self.sizes = [p.numel() for p in free.values()]
        self.present = torch.cat([p.detach().flatten() for p in free.values()])  # (d,)
        self.others = _other_names(model)
        self.is_chain = not self.others and _is_chain(model, set(free))
        self.is_mapped = True

    def parts(self, theta: Tensor) -> dict[str, Tensor]:
        """Cut rows ``(C, d)`` into parameters ``(C, ...)`` by name."""
        pieces = theta.split(self.sizes, 1)
        return {name: piece.reshape(len(theta), *shape) for (name, shape), piece in zip(self.shapes.items(), pieces, strict=True)}  # fmt: skip

    def __call__(self, theta: Tensor, x: Tensor) -> Tensor:
        """Outputs of the networks ``theta``, shape ``(C, d)``, at ``x``, shape ``(N, ...)``: ``(C, N, ...)``."""
        parts = self.parts(theta)
        if self.is_chain:
            return self._chained(parts, x)
        with evaluation_mode(self.model):
            if self.is_mapped:
                try:
                    return vmap(lambda own: self._one(own, x))(parts)
                except RuntimeError:  # some kernels have no rule for it
                    self.is_mapped = False
            rows = ({name: part[k] for name, part in parts.items()} for k in range(len(theta)))
            return torch.stack([self._one(own, x) for own in rows])

    def _one(self, own: dict[str, Tensor], x: Tensor) -> Tensor:
        shared = {name: own[first] for name, first in self.others.items() if first in own}
        # PyTorch's own tying swaps a layer that is used twice twice, and does not find back
        given = {**own, **shared}
        result: Tensor = plain_output(functional_call(self.model, given, (x,), tie_weights=False))
        return result

    def _chained(self, parts: dict[str, Tensor], x: Tensor) -> Tensor:
        rows = x.flatten(1) if isinstance(self.model, MLP) else x
        h = rows.expand(len(next(iter(parts.values()))), *rows.shape)  # (C, N, F)
        for name, layer in self.model.named_children():
            if isinstance(layer, nn.Linear):
                weight, bias = parts[f"{name}.weight"].transpose(1, 2), parts.get(f"{name}.bias")
                h = h @ weight if bias is None else torch.baddbmm(bias.unsqueeze(1), h, weight)
            elif not isinstance(layer, nn.Dropout):
                h = layer(h)
        return h


def _other_names(model: nn.Module) -> dict[str, str]:
    """Parameters that another layer holds too: the name there, and the name under which they count."""
    first: dict[int, str] = {}
    places: set[tuple[int, str]] = set()
    found = {}
    for path, layer in model.named_modules(remove_duplicate=False):
        for name, p in layer.named_parameters(recurse=False):
            full = f"{path}.{name}" if path else name
            if id(p) in first and (id(layer), name) not in places:
                found[full] = first[id(p)]
            first.setdefault(id(p), full)
            places.add((id(layer), name))
    return found


def _is_chain(model: nn.Module, free: set[str]) -> bool:
    """Whether a model is dense layers and activations of single numbers, all of which may move."""
    if type(model) not in (nn.Sequential, MLP):
        return False
    layers: list[Any] = list(model.children())
    has_flat_rows = bool(layers) and type(layers[0]) is nn.Linear
    is_known = all(type(layer) is nn.Linear or type(layer) in _ELEMENTWISE for layer in layers)
    is_whole = free == {name for name, _ in model.named_parameters(remove_duplicate=False)}
    return has_flat_rows and is_known and is_whole
