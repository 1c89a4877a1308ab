"""The gradients of dense and convolutional layers for every row and output, kept as outer products where that is smaller."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.models.ntk_mlp import NTKLinear

Layer = nn.Linear | nn.Conv2d | NTKLinear


class Piece(NamedTuple):
    """A part of the gradients of a block of rows: all of it, or two factors of an outer product.

    Args:
        left: Gradients, or what came back, shape ``(B, K, P)``.
        right: What came in, shape ``(B, Q)``, where there are two factors.
    """

    left: Tensor
    right: Tensor | None = None


class Seen(NamedTuple):
    """What a layer saw of a block of rows."""

    inputs: Tensor
    outputs: Tensor


def run_layers(model: nn.Module, layers: list[Layer], x: Tensor) -> tuple[Tensor, list[list[Seen]]]:
    """Run the model with a graph of gradients and note what every layer sees at every call."""
    seen: list[list[Seen]] = [[] for _ in layers]

    def note(calls: list[Seen]) -> Any:
        def hook(_: nn.Module, inputs: tuple[Tensor], outputs: Tensor) -> Tensor:
            calls.append(Seen(inputs[0].detach(), outputs))
            return outputs.clone()  # an activation in place must not overwrite what was noted

        return hook

    hooks = [layer.register_forward_hook(note(calls)) for layer, calls in zip(layers, seen, strict=True)]  # fmt: skip
    try:
        return model(x), seen
    finally:
        for hook in hooks:
            hook.remove()


@torch.enable_grad()
def find_layers(model: nn.Module, x: Tensor) -> list[Layer]:
    """The layers that hold all trainable parameters, or none where some are held otherwise or used more than once.

    Args:
        model: Network.
        x: Two rows to try it with.
    """
    layers = [m for m in model.modules() if isinstance(m, Layer) and any(p.requires_grad for p in m.parameters())]  # fmt: skip
    held = [id(p) for layer in layers for p in layer.parameters() if p.requires_grad]
    wanted = [id(p) for p in model.parameters() if p.requires_grad]
    if sorted(held) != sorted(wanted) or not all(map(_is_plain, layers)):
        return []
    _, seen = run_layers(model, layers, x)
    once = all(len(calls) == 1 and len(calls[0].outputs) == len(x) for calls in seen)
    return layers if once else []


def _is_plain(layer: Layer) -> bool:
    if not isinstance(layer, nn.Conv2d):
        return True
    return layer.groups == 1 and layer.padding_mode == "zeros" and not isinstance(layer.padding, str)  # fmt: skip


@torch.enable_grad()
def layer_pieces(model: nn.Module, layers: list[Layer], x: Tensor) -> list[Piece]:
    r"""The gradients of all outputs by the parameters of all layers, for a block of rows.

    Args:
        model: Network with outputs of shape ``(B,)`` or ``(B, K)``.
        layers: From :func:`find_layers`.
        x: Inputs, shape ``(B, ...)``.
    """
    outputs, seen = run_layers(model, layers, x)
    noted = [calls[0] for calls in seen]
    columns = outputs.reshape(len(x), -1).sum(
        0
    )  # rows are independent: the sum has the gradient of each
    back = [torch.autograd.grad(column, [one.outputs for one in noted], retain_graph=True, materialize_grads=True) for column in columns]  # fmt: skip
    pieces = []
    for layer, one, deltas in zip(layers, noted, zip(*back, strict=True), strict=True):
        h, delta = _by_place(layer, one.inputs, torch.stack(deltas, 1))  # (B, P, I), (B, K, P, O)
        pieces.append(_piece(layer, h, delta))
    return pieces


def _by_place(layer: Layer, h: Tensor, delta: Tensor) -> tuple[Tensor, Tensor]:
    """Inputs and errors at every place that the layer's weights are used at."""
    if isinstance(layer, nn.Conv2d):
        assert not isinstance(layer.padding, str)
        patches = functional.unfold(h, layer.kernel_size, layer.dilation, layer.padding, layer.stride)  # fmt: skip
        return patches.transpose(1, 2), delta.flatten(3).transpose(2, 3)
    return h.reshape(len(h), -1, h.shape[-1]), delta.reshape(*delta.shape[:2], -1, delta.shape[-1])


def _piece(layer: Layer, h: Tensor, delta: Tensor) -> Piece:
    weight_scale, bias_scale = (getattr(layer, f"{name}_scale", 1.0) for name in ("weight", "bias"))
    weight_scale *= layer.weight.requires_grad
    has_bias = layer.bias is not None and layer.bias.requires_grad
    scaled = [weight_scale * h, h.new_full((*h.shape[:2], 1), bias_scale)] if has_bias else [weight_scale * h]  # fmt: skip
    h = torch.cat(scaled, 2)  # the bias is the weight of a constant input
    if h.shape[1] == 1:
        return Piece(delta[:, :, 0], h[:, 0])
    return Piece(torch.einsum("bkpo,bpi->bkoi", delta, h).flatten(2))
