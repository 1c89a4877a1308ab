r"""Forward and backward through plain dense layers without autograd.

.. math::
    z_\ell = W_\ell h_{\ell-1} + b_\ell, \quad h_\ell = \phi(z_\ell), \qquad
    \nabla_{W_\ell} = \delta_\ell^\top h_{\ell-1}, \quad
    \delta_{\ell-1} = (\delta_\ell W_\ell) \odot \phi'(z_{\ell-1})

The kernels are those autograd calls, so the numbers are the same.
"""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.models import MLP

_aten = torch.ops.aten
_threshold_backward = _aten.threshold_backward.grad_input


class _Dense:
    def __init__(self, layer: nn.Linear, rows: int, is_first: bool) -> None:
        self.layer, self.is_first = layer, is_first
        self.above: Tensor | None = None
        self.out_buffer = layer.weight.new_empty(rows, layer.out_features)
        self.in_buffer = layer.weight.new_empty(0 if is_first else rows, layer.in_features)

    def resize(self, rows: int) -> None:
        self.out, self.delta = self.out_buffer[:rows], self.in_buffer[:rows]
        self.weight = self.layer.weight.detach()
        self.weight_t = self.weight.t()
        self.bias = None if self.layer.bias is None else self.layer.bias.detach()
        assert self.layer.weight.grad is not None
        self.weight_grad = self.layer.weight.grad
        self.bias_grad = None if self.bias is None else self.layer.bias.grad

    def forward(self, x: Tensor) -> Tensor:
        self.x = x
        if self.bias is None:
            return torch.mm(x, self.weight_t, out=self.out)
        return torch.addmm(self.bias, x, self.weight_t, out=self.out)

    def backward(self, delta: Tensor) -> Tensor:
        if delta is not self.above:  # below a hidden layer it is the same buffer every time
            self.above, self.above_t = delta, delta.t()
        torch.mm(self.above_t, self.x, out=self.weight_grad)
        if self.bias_grad is not None:
            torch.sum(delta, 0, out=self.bias_grad)
        return delta if self.is_first else torch.mm(delta, self.weight, out=self.delta)


class Activation:
    """In place on the dense layer's output, which that layer does not need again."""

    def __init__(self, kind: type[nn.Module]) -> None:
        self.infer, self.derivative = _ACTIVATIONS[kind]

    def resize(self, rows: int) -> None:
        return

    def forward(self, x: Tensor) -> Tensor:
        self.out = self.infer(x)
        return self.out

    def backward(self, delta: Tensor) -> Tensor:
        return self.derivative(delta, self.out, grad_input=delta)


class _Dropout:
    def __init__(self, p: float, rows: int, width: int, like: Tensor) -> None:
        self.keep, self.mask_buffer = 1.0 - p, like.new_empty(rows, width)
        self.out_buffer = like.new_empty(rows, width)

    def resize(self, rows: int) -> None:
        self.mask, self.out = self.mask_buffer[:rows], self.out_buffer[:rows]

    def forward(self, x: Tensor) -> Tensor:
        self.mask.bernoulli_(self.keep).div_(self.keep)
        return torch.mul(x, self.mask, out=self.out)

    def backward(self, delta: Tensor) -> Tensor:
        return delta.mul_(self.mask)


def _relu_backward(delta: Tensor, out: Tensor, *, grad_input: Tensor) -> Tensor:
    return _threshold_backward(delta, out, 0, grad_input=grad_input)


_ACTIVATIONS: dict[type[nn.Module], tuple[Callable[[Tensor], Tensor], Callable[..., Tensor]]] = {
    nn.ReLU: (torch.relu_, _relu_backward),
    nn.Tanh: (torch.tanh_, _aten.tanh_backward.grad_input),
    nn.Sigmoid: (torch.sigmoid_, _aten.sigmoid_backward.grad_input),
}


def _is_watched(module: nn.Module) -> bool:
    hooks = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return any(getattr(module, name) for name in hooks) or hasattr(module, "parametrizations")


def is_walkable(model: nn.Module) -> bool:
    """Whether ``model`` is dense layers, each followed by at most one known activation, then dropout."""
    if not isinstance(model, nn.Sequential) or type(model) not in (nn.Sequential, MLP):
        return False
    if any(_is_watched(module) for module in model.modules()):
        return False
    layers = [m for m in model if not (type(m) is nn.Dropout and m.p == 0)]
    kinds = [type(layer) for layer in layers]
    parameters = [p for layer in layers for p in layer.parameters()]
    return (
        bool(kinds)
        and kinds[0] is nn.Linear
        and kinds[-1] is nn.Linear
        and all(kind in (nn.Linear, nn.Dropout) or kind in _ACTIVATIONS for kind in kinds)
        and all(a is nn.Linear for a, b in pairwise(kinds) if b in _ACTIVATIONS)
        and all(p.requires_grad and p.device.type == "cpu" for p in parameters)
        and len(set(map(id, parameters))) == len(parameters) == len(list(model.parameters()))
    )


class Walk:
    """Outputs of dense layers, and the gradients that belong to a derivative by them, in buffers that are reused.

    Args:
        model: A model for which :func:`is_walkable` is true, whose parameters have a ``.grad``.
        rows: Largest batch.
    """

    def __init__(self, model: nn.Sequential, rows: int) -> None:
        self.stages: list[_Dense | Activation | _Dropout] = []
        self.rows, self.multiplications = -1, 0
        width, like = 0, torch.empty(0)
        for layer in model:
            if isinstance(layer, nn.Linear):
                self.stages.append(_Dense(layer, rows, is_first=not self.stages))
                width, like = layer.out_features, layer.weight.detach()
                self.multiplications += rows * layer.weight.numel()
            elif isinstance(layer, nn.Dropout) and layer.p:
                self.stages.append(_Dropout(layer.p, rows, width, like))
            elif type(layer) in _ACTIVATIONS:
                self.stages.append(Activation(type(layer)))

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of a batch, and remember what the backward pass needs."""
        if x.shape[0] != self.rows:
            self.rows = x.shape[0]
            for stage in self.stages:
                stage.resize(self.rows)
        h = x if x.ndim == 2 else x.flatten(1)
        for stage in self.stages:
            h = stage.forward(h)
        return h

    def backward(self, delta: Tensor) -> None:
        """Fill the gradients of the batch last seen by :meth:`forward`, from the derivative by its outputs."""
        for stage in reversed(self.stages):
            delta = stage.backward(delta)
