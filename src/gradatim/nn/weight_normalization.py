r"""Weight normalization: length and direction of every unit's weights learn apart.

.. math::
    w=\frac{\gamma}{\lVert v\rVert}\,v, \qquad
    \frac{\partial E}{\partial\gamma}=\frac{\partial E}{\partial w}\cdot\frac{v}{\lVert v\rVert}, \qquad
    \frac{\partial E}{\partial v}=\frac{\gamma}{\lVert v\rVert}
    \Bigl(I-\frac{ww^\top}{\lVert w\rVert^2}\Bigr)\frac{\partial E}{\partial w}

The gradient of :math:`v` is orthogonal to :math:`w`, so :math:`\lVert v\rVert` never shrinks under
gradient descent.
"""

from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import weight_norm

from gradatim.errors import InvalidValue

LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)


def normalize_weights(model: nn.Module) -> nn.Module:
    """Reparametrize every dense and convolutional layer, in place; the function stays the same.

    Args:
        model: A layer or a whole network.

    Returns:
        The model, whose layers now learn ``parametrizations.weight.original0`` (:math:`\\gamma`) and
        ``original1`` (:math:`v`).

    Example:
        >>> model = normalize_weights(nn.Sequential(nn.Linear(3, 2), nn.ReLU()))
        >>> [name for name, _ in model.named_parameters()][1:]
        ['0.parametrizations.weight.original0', '0.parametrizations.weight.original1']
    """
    layers = [m for m in model.modules() if isinstance(m, LAYERS)]
    if not layers:
        raise InvalidValue(
            "normalize_weights: model must have a dense or convolutional layer, got none."
        )
    for layer in layers:
        if not parametrize.is_parametrized(layer, "weight"):
            weight_norm(layer, "weight", dim=0)
    return model


def bake_weights(model: nn.Module) -> nn.Module:
    """Turn every reparametrized weight of a model into a plain one, in place; the function stays the same.

    Args:
        model: A network whose weights were normalized or masked.

    Example:
        >>> [name for name, _ in bake_weights(normalize_weights(nn.Linear(3, 2))).named_parameters()]
        ['bias', 'weight']
    """
    for module in model.modules():
        if parametrize.is_parametrized(module, "weight"):
            parametrize.remove_parametrizations(module, "weight", leave_parametrized=True)
    return model
