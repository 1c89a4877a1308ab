"""Squares and products by small ReLU networks: depth buys digits."""

import numpy as np
import torch

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.theory.constructions import mlp_with_weights

# From the state (u, v, s) = ((g)_+, (g - 1/2)_+, partial sum) of one layer to the next tooth 2u - 4v.
TOOTH = np.array([2.0, -4.0])
Layer = tuple[np.ndarray, np.ndarray]  # weight and bias


def _check_depth(owner: str, depth: int) -> None:
    if depth < 1:
        raise InvalidValue(f"{owner}: depth must be >= 1, got {depth}.")


def sawtooth_network(depth: int, *, dtype: torch.dtype = torch.float32) -> MLP:
    r"""The tooth function composed with itself: :math:`2^{m}` linear pieces from :math:`2m` units.

    .. math:: g_m = g \circ \dots \circ g, \qquad g(x) = 2\,(x)_+ - 4\,(x - \tfrac12)_+ \text{ on } [0, 1]

    A network with one hidden layer needs a unit for each of these :math:`2^m - 1` bends.

    Args:
        depth: :math:`m`, hidden layers of two units each.
        dtype: Of the parameters.

    Example:
        >>> sawtooth_network(2)(torch.tensor([[0.0], [0.25], [0.5], [0.75], [1.0]])).flatten().tolist()
        [0.0, 1.0, 0.0, 1.0, 0.0]

    Reference:
        Telgarsky, Benefits of Depth in Neural Networks, 2016.
    """
    _check_depth("sawtooth_network", depth)
    shift = np.array([0.0, -0.5])
    first, later = (np.ones((2, 1)), shift), (np.stack((TOOTH, TOOTH)), shift)
    return mlp_with_weights([first, *[later] * (depth - 1), (TOOTH[None], [0.0])], dtype=dtype)


def square_network(depth: int, *, dtype: torch.dtype = torch.float32) -> MLP:
    r"""A ReLU network for :math:`x^2` on [0, 1] whose error falls fourfold with every layer.

    .. math:: f_m(x) = x - \sum_{s=1}^{m} \frac{g_s(x)}{4^s}, \qquad 0 \le f_m(x) - x^2 \le 2^{-2(m+1)}

    :math:`f_m` is the interpolant of :math:`x^2` with :math:`2^m` equal pieces; :math:`g_s` is the
    sawtooth of :func:`sawtooth_network`.

    Args:
        depth: :math:`m`, hidden layers of three units each: two for the tooth, one carries the sum.
        dtype: Of the parameters.

    Example:
        >>> square_network(2)(torch.tensor([[0.0], [0.25], [0.5], [0.75]])).flatten().tolist()
        [0.0, 0.0625, 0.25, 0.5625]

    Reference:
        Yarotsky, Error Bounds for Approximations with Deep ReLU Networks, 2017, prop. 2. There a
        shortcut adds the teeth; here a third unit carries the sum, which is never negative.
    """
    _check_depth("square_network", depth)
    shift = np.array([0.0, -0.5, 0.0])
    layers = [(np.ones((3, 1)), shift)]
    layers += [(_next_state(s), shift) for s in range(1, depth)]
    layers.append((_next_state(depth)[2:], np.zeros(1)))
    return mlp_with_weights(layers, dtype=dtype)


def _next_state(s: int) -> np.ndarray:
    """The map from the state of layer ``s`` to the pre-activations of the next."""
    tooth = np.append(TOOTH, 0.0)
    return np.stack((tooth, tooth, np.array([0.0, 0.0, 1.0]) - tooth / 4.0**s))


def product_network(
    depth: int, *, factors: int = 2, bound: float = 1.0, dtype: torch.dtype = torch.float32
) -> MLP:
    r"""A ReLU network for :math:`x_1 x_2 \cdots x_n` on :math:`[-B, B]^n`: products of two by polarization, in a tree.

    .. math:: xy = \left(\frac{|x+y|}{2}\right)^2 - \left(\frac{|x-y|}{2}\right)^2 \text{ on } [-1, 1]^2

    Each square is :func:`square_network`, so a product of two is off by :math:`\delta = 2^{-2(m+1)}` at most and stays in
    [-1, 1]. Errors of factors add up: with :math:`n` factors, completed by ones to :math:`N = 2^k`, the error is at most
    :math:`(N-1)\,\delta\,B^n`, with layers and units that grow as :math:`\log n` and :math:`n`. A product with zero is exact.

    Args:
        depth: :math:`m` layers of six units for each product of two, after one of four that takes absolute values.
        factors: :math:`n`, at least 2.
        bound: :math:`B > 0`, the largest factor.
        dtype: Of the parameters.

    Example:
        >>> product_network(1)(torch.tensor([[1.0, 1.0], [-1.0, 1.0], [0.3, 0.0]])).flatten().tolist()
        [1.0, -1.0, 0.0]
        >>> product_network(9, factors=3)(torch.tensor([[-0.5, 0.5, 0.5]])).item()
        -0.125
    """
    _check_depth("product_network", depth)
    if factors < 2:
        raise InvalidValue(f"product_network: factors must be at least 2, got {factors}.")
    if not bound > 0.0:
        raise InvalidValue(f"product_network: bound must be positive, got {bound}.")
    places = 1 << (factors - 1).bit_length()  # N
    missing = np.arange(places) >= factors
    layers = [(np.eye(places, factors) / bound, missing.astype(float))]
    while places > 1:
        places //= 2
        layers = _follow(layers, _side_by_side(_pair(depth), places))
    weight, bias = layers[-1]
    return mlp_with_weights([*layers[:-1], (bound**factors * weight, bias)], dtype=dtype)


def _pair(depth: int) -> list[Layer]:
    """Layers that multiply two numbers of [-1, 1]."""
    sign = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    absolute = np.kron(np.eye(2), np.ones((3, 2)))  # both parts of |x+y|, then of |x-y|
    shift = np.tile([0.0, -0.5, 0.0], 2)
    layers = [(sign / 2.0, np.zeros(4)), (absolute, shift)]
    layers += [(np.kron(np.eye(2), _next_state(s)), shift) for s in range(1, depth)]
    return [*layers, (np.kron([[1.0, -1.0]], _next_state(depth)[2:]), np.zeros(1))]


def _side_by_side(layers: list[Layer], copies: int) -> list[Layer]:
    """The same network on several parts of the input."""
    return [(np.kron(np.eye(copies), weight), np.tile(bias, copies)) for weight, bias in layers]


def _follow(first: list[Layer], then: list[Layer]) -> list[Layer]:
    """One network after another: their layers that meet are linear, and become one."""
    (W1, b1), (W2, b2) = first[-1], then[0]
    return [*first[:-1], (W2 @ W1, W2 @ b1 + b2), *then[1:]]
