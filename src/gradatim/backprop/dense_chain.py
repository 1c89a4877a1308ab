"""Backpropagation of a dense network written out by hand, without automatic differentiation."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose

# phi(z), and phi'(z) as a function of z and h = phi(z).
RULES: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]] = {
    "sigmoid": (torch.sigmoid, lambda z, h: h * (1 - h)),
    "tanh": (torch.tanh, lambda z, h: 1 - h**2),
    "relu": (torch.relu, lambda z, h: (z > 0).to(z.dtype)),
    "identity": (torch.clone, lambda z, h: torch.ones_like(z)),
}


class DenseChain(NamedTuple):
    r"""Everything :func:`delta_recursion` computes; list entry :math:`\ell-1` belongs to layer :math:`\ell`.

    Args:
        loss: :math:`E`, summed over the batch.
        z: Net inputs :math:`z_\ell`, shape ``(B, n_l)``.
        h: Activations :math:`h_\ell`, shape ``(B, n_l)``; the last is the output of the network.
        delta: Errors :math:`\delta_\ell=\partial E/\partial z_\ell`, shape ``(B, n_l)``.
        weight_gradients: :math:`\partial E/\partial W_\ell`, shape ``(n_l, n_{l-1})``.
        bias_gradients: :math:`\partial E/\partial b_\ell`, shape ``(n_l,)``.
    """

    loss: Tensor
    z: list[Tensor]
    h: list[Tensor]
    delta: list[Tensor]
    weight_gradients: list[Tensor]
    bias_gradients: list[Tensor]


def half_squared_error(output: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    r"""Return :math:`\tfrac12\sum\|o-y\|^2` and its gradient :math:`o-y`."""
    return (output - y).square().sum() / 2, output - y


def softmax_cross_entropy(output: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    r"""Return :math:`-\sum_k y_k\log\mathrm{softmax}(o)_k` and its gradient :math:`\mathrm{softmax}(o)-y`."""
    log_probability = torch.log_softmax(output, dim=-1)
    return -(y * log_probability).sum(), log_probability.exp() - y


LOSSES = {"half_squared_error": half_squared_error, "cross_entropy": softmax_cross_entropy}


@takes_arrays
def delta_recursion(
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    x: Tensor,
    y: Tensor,
    *,
    activation: str = "sigmoid",
    loss: str = "half_squared_error",
) -> DenseChain:
    r"""Compute all gradients of a dense network by the textbook recursion for the errors δ.

    .. math::
        h_0 = x, \qquad z_\ell = W_\ell h_{\ell-1} + b_\ell, \qquad
        h_\ell = \phi(z_\ell)\ \ (\ell<L), \qquad h_L = z_L,

        \delta_L = h_L - y \quad\text{or}\quad \mathrm{softmax}(h_L) - y, \qquad
        \delta_\ell = (W_{\ell+1}^\top \delta_{\ell+1}) \odot \phi'(z_\ell),

        \frac{\partial E}{\partial W_\ell} = \delta_\ell h_{\ell-1}^\top, \qquad
        \frac{\partial E}{\partial b_\ell} = \delta_\ell .

    The output layer is linear. Loss and gradients are summed over the batch; divide by its size for means.

    Args:
        weights: :math:`W_1 \dots W_L`, shapes ``(n_l, n_{l-1})``.
        biases: :math:`b_1 \dots b_L`, shapes ``(n_l,)``.
        x: Inputs, shape ``(B, n_0)``.
        y: Targets, shape ``(B, n_L)``; for ``"cross_entropy"`` rows are probabilities such as one-hot.
        activation: Name of :math:`\phi`: sigmoid, tanh, relu or identity.
        loss: ``"half_squared_error"``, :math:`E=\tfrac12\sum\|h_L-y\|^2`, or ``"cross_entropy"``,
            :math:`E=-\sum_k y_k\log\mathrm{softmax}(h_L)_k`.

    Example:
        A net of one sigmoid unit and one linear unit, input 1, target 0.5:

        >>> values = [[0.4]], [0.3], [[0.5]], [0.1]
        >>> w1, b1, w2, b2 = (torch.tensor(value, dtype=torch.float64) for value in values)
        >>> one = torch.ones(1, 1).double()
        >>> chain = delta_recursion([w1, w2], [b1, b2], one, one / 2)
        >>> [round(delta.item(), 6) for delta in chain.delta]
        [-0.007306, -0.065906]

    Reference:
        Rumelhart, Hinton and Williams, Learning representations by back-propagating errors, 1986.
    """
    phi, slope = RULES[choose("delta_recursion", "activation", activation, RULES)]
    error = LOSSES[choose("delta_recursion", "loss", loss, LOSSES)]
    _check_shapes(weights, biases, x, y)
    depth = len(weights)
    z, h = [], [x]
    for layer, (W, b) in enumerate(zip(weights, biases, strict=True), start=1):
        z.append(h[-1] @ W.T + b)  # (B, n_l)
        h.append(phi(z[-1]) if layer < depth else z[-1])
    energy, last = error(h[-1], y)
    delta = [last]  # (B, n_L)
    for layer in range(depth - 1, 0, -1):
        delta.insert(0, (delta[0] @ weights[layer]) * slope(z[layer - 1], h[layer]))  # (B, n_l)
    gradients = [d.T @ before for d, before in zip(delta, h, strict=False)]  # (n_l, n_{l-1})
    return DenseChain(energy, z, h[1:], delta, gradients, [d.sum(0) for d in delta])


def _check_shapes(
    weights: Sequence[Tensor], biases: Sequence[Tensor], x: Tensor, y: Tensor
) -> None:
    if not weights or len(weights) != len(biases):
        raise InvalidValue(
            "delta_recursion: weights and biases must be equally many, at least one of each, "
            f"got {len(weights)} and {len(biases)}."
        )
    if x.ndim != 2:
        raise InvalidValue(
            f"delta_recursion: x must have shape (B, n_0), got {tuple(x.shape)}. Try x[None] for one sample."
        )
    for layer, (n_in, W, b) in enumerate(
        zip([x.shape[1], *(W.shape[0] for W in weights)], weights, biases, strict=False), start=1
    ):
        if W.ndim != 2 or W.shape[1] != n_in or b.shape != W.shape[:1]:
            raise InvalidValue(
                f"delta_recursion: weights and biases of layer {layer} must have shapes (n, {n_in}) and (n,), "
                f"got {tuple(W.shape)} and {tuple(b.shape)}."
            )
    if y.shape != (len(x), len(weights[-1])):
        raise InvalidValue(
            f"delta_recursion: y must have shape {(len(x), len(weights[-1]))}, got {tuple(y.shape)}."
        )
