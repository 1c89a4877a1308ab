"""Many networks of one shape, computed together with their Jacobians."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor


def layer_views(params: Tensor, sizes: Sequence[int]) -> list[tuple[Tensor, Tensor]]:
    """Cut flat parameters ``(R, p)`` into weights ``(R, out, in)`` and biases ``(R, out)`` of the layers.

    >>> [(W.shape, b.shape) for W, b in layer_views(torch.zeros(5, 7), (1, 2, 1))]
    [(torch.Size([5, 2, 1]), torch.Size([5, 2])), (torch.Size([5, 1, 2]), torch.Size([5, 1]))]
    """
    layers, start = [], 0
    for n_in, n_out in pairwise(sizes):
        weight = params[:, start : start + n_out * n_in].unflatten(1, (n_out, n_in))
        start += n_out * n_in
        layers.append((weight, params[:, start : start + n_out]))
        start += n_out
    return layers


def outputs_and_jacobian(
    params: Tensor, sizes: Sequence[int], phi: Callable[[Tensor], Tensor], x: Tensor
) -> tuple[Tensor, Tensor]:
    r"""Outputs of ``R`` networks with one output at all points, and the Jacobian in their parameters.

    One pass forward, one back: with :math:`\delta_L = 1` and
    :math:`\delta_{\ell} = W_{\ell+1}^\top \delta_{\ell+1} \odot \phi'(z_\ell)`, the row of the Jacobian is
    :math:`\partial f / \partial W_\ell = \delta_\ell h_{\ell-1}^\top`,
    :math:`\partial f / \partial b_\ell = \delta_\ell`.

    Args:
        params: Flat parameters in the order of ``MLP.parameters()``, shape ``(R, p)``.
        sizes: Widths from input to the one output.
        phi: Activation, applied elementwise.
        x: Points, shape ``(N, sizes[0])``.

    Returns:
        Outputs ``(R, N)`` and Jacobian ``(R, N, p)``.
    """
    layers = layer_views(params, sizes)
    hidden, slopes = [x.expand(len(params), *x.shape)], []
    for weight, bias in layers[:-1]:
        z = torch.baddbmm(bias[:, None], hidden[-1], weight.transpose(1, 2))  # (R, N, out)
        value, slope = _with_slope(phi, z)
        hidden.append(value)
        slopes.append(slope)
    weight, bias = layers[-1]
    outputs = torch.baddbmm(bias[:, None], hidden[-1], weight.transpose(1, 2))  # (R, N, 1)
    delta, blocks = torch.ones_like(outputs), []
    for index in reversed(range(len(layers))):
        outer = (delta[..., :, None] * hidden[index][..., None, :]).flatten(2)  # (R, N, out * in)
        blocks += [delta, outer]
        if index:
            delta = (delta @ layers[index][0]) * slopes[index - 1]
    return outputs.squeeze(2), torch.cat(blocks[::-1], dim=2)


def _with_slope(phi: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    with torch.enable_grad():
        z = z.detach().requires_grad_()
        value = phi(z)
        (slope,) = torch.autograd.grad(value, z, torch.ones_like(value))
    return value.detach(), slope
