r"""Different weights, same function: permuted hidden units and collapsed linear layers.

.. math::
    \text{permutation: } W_2\,\phi(W_1x+b_1) = (W_2P^\top)\,\phi(PW_1x+Pb_1) \qquad
    \text{collapse: } W_2(W_1x+b_1)+b_2 = (W_2W_1)\,x + (W_2b_1+b_2)
"""

from collections.abc import Sequence
from copy import deepcopy

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidType, InvalidValue


def _chain(owner: str, model: nn.Module) -> nn.Sequential:
    if not isinstance(model, nn.Sequential):
        raise InvalidType(
            f"{owner}: model must be an nn.Sequential, such as MLP, got {type(model).__name__}. "
            "Wrap its layers in nn.Sequential."
        )
    return model


def _permute_units(module: nn.Module, order: Tensor) -> None:
    """Reorder everything that ``module`` keeps per hidden unit: biases, scales, running statistics."""
    for values in (*module.parameters(recurse=False), *module.buffers(recurse=False)):
        if values.ndim and values.shape[0] == len(order):
            values.copy_(values[order])


@torch.no_grad()
def permute_hidden(
    model: nn.Sequential, layer: int, permutation: Sequence[int] | Tensor
) -> nn.Sequential:
    """Renumber the units of one hidden layer; the returned model computes the same function.

    Args:
        model: Chain of dense layers with element-wise modules and norms between them.
        layer: Which hidden layer, from 0.
        permutation: Unit ``permutation[i]`` becomes unit ``i``.

    Returns:
        A copy with the rows of one weight and the columns of the next in the new order.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        >>> swapped = permute_hidden(model, 0, [2, 0, 1])
        >>> x = torch.ones(1, 2)
        >>> torch.allclose(model(x), swapped(x)), torch.equal(model[0].weight, swapped[0].weight)
        (True, False)
    """
    model = deepcopy(_chain("permute_hidden", model))
    modules = list(model)
    dense = [(place, m) for place, m in enumerate(modules) if isinstance(m, nn.Linear)]
    if not 0 <= layer < len(dense) - 1:
        raise InvalidValue(
            f"permute_hidden: layer must be in 0..{len(dense) - 2}, the hidden layers, got {layer}."
        )
    (first, hidden), (second, following) = dense[layer], dense[layer + 1]
    order = torch.as_tensor(permutation)
    width = hidden.out_features
    if order.shape != (width,) or not torch.equal(order.sort().values, torch.arange(width)):
        raise InvalidValue(
            f"permute_hidden: permutation must hold each of 0..{width - 1} once, "
            f"got {order.tolist()}. Try torch.randperm({width})."
        )
    for module in modules[first:second]:
        _permute_units(module, order)
    following.weight.copy_(following.weight[:, order])
    return model


@torch.no_grad()
def _compose(first: nn.Linear, second: nn.Linear) -> nn.Linear:
    weight = second.weight @ first.weight
    bias = torch.zeros(len(weight), dtype=weight.dtype, device=weight.device)
    bias = bias if first.bias is None else second.weight @ first.bias
    bias = bias if second.bias is None else bias + second.bias
    has_bias = first.bias is not None or second.bias is not None
    merged = nn.utils.skip_init(
        nn.Linear, first.in_features, second.out_features, has_bias, dtype=weight.dtype
    ).to(weight.device)
    merged.weight.copy_(weight)
    if has_bias:
        merged.bias.copy_(bias)
    return merged


def collapse_linear(model: nn.Sequential) -> nn.Sequential:
    """Merge every run of dense layers with nothing but identities between them into one dense layer.

    Depth without an activation adds no functions: a chain of dense layers alone becomes one layer.

    Args:
        model: Chain of modules; those that are not dense are kept as they are.

    Returns:
        A chain that computes the same function.

    Example:
        >>> collapse_linear(nn.Sequential(nn.Linear(2, 9), nn.Identity(), nn.Linear(9, 1)))
        Sequential(
          (0): Linear(in_features=2, out_features=1, bias=True)
        )
    """
    layers: list[nn.Module] = []
    for module in deepcopy(_chain("collapse_linear", model)):
        if isinstance(module, nn.Identity):
            continue
        if isinstance(module, nn.Linear) and layers and isinstance(layers[-1], nn.Linear):
            layers[-1] = _compose(layers[-1], module)
        else:
            layers.append(module)
    return nn.Sequential(*layers)
