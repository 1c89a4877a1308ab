"""Read a model as a chain of affine maps and ReLU-like kinks."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import MLP

Array = NDArray[np.float64]
PASS_THROUGH = (nn.Identity, nn.Flatten, nn.Dropout)


class KinkedLayer(NamedTuple):
    r"""One layer :math:`h = z` where :math:`z > 0` and :math:`h = a z` elsewhere, :math:`z = Wx + b`."""

    weight: Array
    bias: Array
    slope: Array


class ReluChain(NamedTuple):
    """Kinked layers, then a last affine map."""

    layers: list[KinkedLayer]
    weight: Array
    bias: Array


def read_chain(owner: str, model: nn.Module, input_dim: int) -> ReluChain:
    r"""Fold ``model`` into kinked layers and a last affine map, in float64.

    Dense layers in a row are multiplied out; dropout, flattening and identity pass through; batch
    normalization enters as the affine map it is in evaluation mode.

    Args:
        owner: Who asks, for the error message.
        model: ``MLP`` or ``nn.Sequential`` of ``Linear``, ``ReLU``, ``LeakyReLU``, ``PReLU``,
            ``BatchNorm1d`` and what passes through, nested as you like.
        input_dim: Number of inputs.

    Example:
        >>> chain = read_chain("doctest", MLP((2, 5, 4, 1)), input_dim=2)
        >>> [layer.weight.shape for layer in chain.layers], chain.weight.shape
        ([(5, 2), (4, 5)], (1, 4))
    """
    weight, bias = np.eye(input_dim), np.zeros(input_dim)
    layers = []
    for module in _links(model):
        if isinstance(module, nn.Linear):
            if module.in_features != len(bias):
                raise InvalidValue(
                    f"{owner}: model must take {len(bias)} values where {module} stands, "
                    f"got {module.in_features}. Give one pair (low, high) of the domain per input."
                )
            W = _array(module.weight)
            b = np.zeros(len(W)) if module.bias is None else _array(module.bias)
            weight, bias = W @ weight, W @ bias + b
        elif isinstance(module, nn.BatchNorm1d) and module.running_var is not None:
            scale, shift = _batch_norm(module)
            weight, bias = scale[:, None] * weight, scale * bias + shift
        elif isinstance(module, nn.ReLU | nn.LeakyReLU | nn.PReLU):
            layers.append(KinkedLayer(weight, bias, np.broadcast_to(_slope(module), bias.shape)))
            weight, bias = np.eye(len(bias)), np.zeros(len(bias))
        elif not isinstance(module, PASS_THROUGH):
            raise InvalidType(
                f"{owner}: model must be a chain of Linear and ReLU, LeakyReLU or PReLU layers, "
                f"got {type(module).__name__}. Try MLP((2, 16, 16, 1))."
            )
    return ReluChain(layers, weight, bias)


def _links(model: nn.Module) -> Iterator[nn.Module]:
    if isinstance(model, MLP) or type(model) is nn.Sequential:
        for child in model:
            yield from _links(child)
    else:
        yield model


def _array(tensor: Tensor) -> Array:
    return tensor.detach().cpu().double().numpy()


def _slope(module: nn.Module) -> Array:
    if isinstance(module, nn.PReLU):
        return _array(module.weight)
    return np.array(module.negative_slope if isinstance(module, nn.LeakyReLU) else 0.0)


def _batch_norm(module: nn.BatchNorm1d) -> tuple[Array, Array]:
    assert module.running_mean is not None
    assert module.running_var is not None
    scale = 1.0 / np.sqrt(_array(module.running_var) + module.eps)
    if module.weight is not None:
        scale = scale * _array(module.weight)
    shift = -scale * _array(module.running_mean)
    return scale, shift if module.bias is None else shift + _array(module.bias)
