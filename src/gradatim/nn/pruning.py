r"""Magnitude pruning: keep the largest weights, hold the others at zero.

A mask :math:`m` enters as the parametrization :math:`w = m\odot w_0`, so that pruned weights stay zero
in every forward pass and receive no gradient, whatever the optimizer.
"""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from gradatim.errors import InvalidValue, choose, require

SCOPES = ("global", "layer")
LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
Masks = dict[str, Tensor]


class WeightMask(nn.Module):
    """The parametrization ``weight = mask · original``."""

    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, original: Tensor) -> Tensor:
        return self.mask * original


def prunable_layers(model: nn.Module) -> dict[str, nn.Module]:
    """Dense and convolutional layers by name; their biases are never pruned.

    >>> list(prunable_layers(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))))
    ['0', '2']
    """
    return {name: module for name, module in model.named_modules() if isinstance(module, LAYERS)}


def magnitude_masks(model: nn.Module, sparsity: float, *, scope: str = "global") -> Masks:
    """Mask the smallest weights, so that exactly ``round(sparsity · weights)`` are zero.

    Args:
        model: A network; weights already pruned count among the smallest.
        sparsity: Share of weights to remove, in [0, 1].
        scope: ``"global"`` ranks all weights together; ``"layer"`` removes the same share of each.

    Returns:
        For every prunable layer, a mask of zeros and ones.

    Example:
        >>> layer = nn.Linear(4, 1)
        >>> layer.weight.data = torch.tensor([[0.1, -3.0, 2.0, -0.2]])
        >>> magnitude_masks(layer, 0.5)
        {'': tensor([[0., 1., 1., 0.]])}
    """
    choose("magnitude_masks", "scope", scope, SCOPES)
    if not 0.0 <= sparsity <= 1.0:
        raise InvalidValue(
            f"magnitude_masks: sparsity must be in [0, 1], got {sparsity}. Try sparsity=0.5."
        )
    layers = prunable_layers(model)
    if not layers:
        raise InvalidValue(
            "magnitude_masks: model must have a dense or convolutional layer, got none."
        )
    sizes = {name: _size(layer) for name, layer in layers.items()}
    if scope == "layer":
        return {name: _keep_largest(size, sparsity) for name, size in sizes.items()}
    kept = _keep_largest(torch.cat([size.flatten() for size in sizes.values()]), sparsity)
    parts = kept.split([size.numel() for size in sizes.values()])
    return {
        name: part.view_as(size) for (name, size), part in zip(sizes.items(), parts, strict=True)
    }


def _weight(layer: nn.Module) -> Tensor:
    weight = layer.weight
    assert isinstance(weight, Tensor)
    return weight.detach()


def _size(layer: nn.Module) -> Tensor:
    """Absolute weights; −1 where a mask already holds one at zero, so that it is never revived."""
    size = _weight(layer).abs()
    if parametrize.is_parametrized(layer, "weight"):
        size = size.where(_mask(layer) > 0, -1.0)
    return size


def _mask(layer: nn.Module) -> Tensor:
    mask = layer.get_submodule("parametrizations.weight.0")
    if not isinstance(mask, WeightMask):
        raise InvalidValue(
            "pruning: weights must be plain or masked, got another parametrization. "
            "Call bake_weights first."
        )
    return mask.mask


def _keep_largest(size: Tensor, sparsity: float) -> Tensor:
    removed = size.flatten().argsort(stable=True)[: round(sparsity * size.numel())]
    mask = torch.ones_like(size).flatten()
    mask[removed] = 0.0
    return mask.view_as(size)


def apply_masks(model: nn.Module, masks: Mapping[str, Tensor]) -> nn.Module:
    """Hold the masked weights of a model at zero, in place, from now on; a second call replaces the masks.

    Args:
        model: The network.
        masks: Masks by layer name, such as from :func:`magnitude_masks`.

    Example:
        >>> layer = apply_masks(nn.Linear(3, 1), {"": torch.tensor([[1.0, 0.0, 1.0]])})
        >>> bool(layer.weight[0, 1] == 0)
        True
    """
    layers = prunable_layers(model)
    for name, mask in masks.items():  # all are looked at before one is changed
        weight = _weight(layers[choose("apply_masks", "masks", name, layers)])
        rule = f"apply_masks: the mask of {name!r} must have the shape of its weight, {tuple(weight.shape)}"
        require(mask.shape == weight.shape, rule, tuple(mask.shape))
    for name, mask in masks.items():
        layer = layers[name]
        if parametrize.is_parametrized(layer, "weight"):
            _mask(layer).copy_(mask)
        else:
            parametrize.register_parametrization(layer, "weight", WeightMask(mask.clone()))
    return model


def weight_sparsity(model: nn.Module) -> float:
    """Share of a model's prunable weights that are zero.

    Args:
        model: With linear or convolutional layers.

    Example:
        >>> weight_sparsity(apply_masks(nn.Linear(2, 1), {"": torch.tensor([[1.0, 0.0]])}))
        0.5
    """
    weights = [_weight(layer) for layer in prunable_layers(model).values()]
    zeros = sum(int((weight == 0).sum()) for weight in weights)
    return zeros / max(sum(weight.numel() for weight in weights), 1)
