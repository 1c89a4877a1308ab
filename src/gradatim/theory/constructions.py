"""Networks with weights set by hand: XOR, and any piecewise linear function."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.randomness import seeded


def mlp_with_weights(
    layers: Sequence[tuple[ArrayLike, ArrayLike]], *, dtype: torch.dtype = torch.float32
) -> MLP:
    """A ReLU network with the given weights and biases, input side first.

    Args:
        layers: Pairs (weight of shape ``(out, in)``, bias of shape ``(out,)``).
        dtype: Of the parameters.

    Example:
        >>> net = mlp_with_weights([([[1.0]], [0.0]), ([[2.0]], [1.0])])  # 2 max(x, 0) + 1
        >>> net(torch.tensor([[3.0]])).item()
        7.0
    """
    pairs = [(torch.as_tensor(np.asarray(W)), torch.as_tensor(np.asarray(b))) for W, b in layers]
    with seeded(0):  # the weights drawn are overwritten
        model = MLP((pairs[0][0].shape[1], *(len(b) for _, b in pairs))).to(dtype)
    dense = [module for module in model if isinstance(module, nn.Linear)]
    with torch.no_grad():
        for module, (weight, bias) in zip(dense, pairs, strict=True):
            module.weight.copy_(weight)
            module.bias.copy_(bias)
    return model


def xor_network(*, output_bias: float = -0.5) -> MLP:
    r"""Exclusive or with two ReLU units: class 1 where :math:`f(x) > 0`.

    .. math:: f(x) = (x_1 + x_2)_+ - 2\,(x_1 + x_2 - 1)_+ + b_1

    On the four inputs :math:`f - b_1` is 0, 1, 1, 0, so every :math:`-1 < b_1 \le 0` decides correctly,
    no output bias (:math:`b_1 = 0`) included; -1/2 puts the classes equally far from the boundary.

    Args:
        output_bias: :math:`b_1` in (-1, 0].

    Example:
        >>> inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> xor_network()(inputs).flatten().tolist()
        [-0.5, 0.5, 0.5, -0.5]
        >>> xor_network(output_bias=0.0)(inputs).flatten().tolist()
        [0.0, 1.0, 1.0, 0.0]
    """
    if not -1.0 < output_bias <= 0.0:
        raise InvalidValue(
            f"xor_network: output_bias must be in (-1, 0], got {output_bias}. Try -0.5."
        )
    hidden = ([[1.0, 1.0], [1.0, 1.0]], [0.0, -1.0])
    return mlp_with_weights([hidden, ([[1.0, -2.0]], [output_bias])])


def relu_interpolant(
    knots: ArrayLike, values: ArrayLike, *, dtype: torch.dtype = torch.float32
) -> MLP:
    r"""One hidden ReLU layer that passes through all knots and is linear between them.

    .. math:: g(x) = v_0 + \sum_{i=0}^{m-1} (s_i - s_{i-1})\,(x - x_i)_+, \qquad
        s_i = \frac{v_{i+1} - v_i}{x_{i+1} - x_i}, \quad s_{-1} = 0

    ``m`` pieces take ``m`` units. Left of the first knot the function is constant, right of the last
    it continues with the last slope.

    Args:
        knots: :math:`x_0 < \dots < x_m`, two or more.
        values: :math:`v_0, \dots, v_m`.
        dtype: Of the parameters; float64 keeps many knots exact to twelve digits or more.

    Example:
        >>> hat = relu_interpolant([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
        >>> hat(torch.tensor([[0.0], [0.5], [1.0], [1.75], [2.0]])).flatten().tolist()
        [0.0, 0.5, 1.0, 0.25, 0.0]
    """
    x, v = np.asarray(knots, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not (np.diff(x) > 0).all():
        raise InvalidValue(
            f"relu_interpolant: knots must be two or more increasing numbers, got {knots!r}. Sort them."
        )
    if v.shape != x.shape:
        raise InvalidValue(
            f"relu_interpolant: values must be one number per knot, {x.shape}, got {v.shape}."
        )
    slopes = np.diff(v) / np.diff(x)
    bends = np.diff(slopes, prepend=0.0)
    hidden = (np.ones((len(bends), 1)), -x[:-1])
    return mlp_with_weights([hidden, (bends[None], v[:1])], dtype=dtype)
