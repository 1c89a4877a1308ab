"""The lines along which the first hidden layer switches."""

import numpy as np
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.theory.relu_chain import read_chain


def enclosing_domain(model: nn.Module, *, input_dim: int = 2) -> tuple[tuple[float, float], ...]:
    r"""A box around the origin that meets every region of the first hidden layer.

    Half its side is twice the distance of the farthest point where units switch: a crossing
    :math:`w_i^\top x + b_i = w_j^\top x + b_j = 0` of two lines in the plane, a breakpoint on the line.

    Args:
        model: As for :func:`~gradatim.theory.count_regions`.
        input_dim: Number of inputs, 1 or 2.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1))
        >>> _ = nn.init.constant_(net[0].weight, 2.0), nn.init.constant_(net[0].bias, -3.0)
        >>> enclosing_domain(net, input_dim=1)
        ((-3.0, 3.0),)
    """
    if input_dim not in (1, 2):
        raise InvalidValue(f"enclosing_domain: input_dim must be 1 or 2, got {input_dim}.")
    layer = read_chain("enclosing_domain", model, input_dim).layers[0]
    norm = np.linalg.norm(layer.weight, axis=1)
    a, c = layer.weight[norm > 0] / norm[norm > 0, None], layer.bias[norm > 0] / norm[norm > 0]
    reach = np.abs(c)
    if input_dim == 2:
        i, j = np.triu_indices(len(a), k=1)
        sine = a[i, 0] * a[j, 1] - a[i, 1] * a[j, 0]
        meets = np.abs(sine) > 1e-12
        i, j, sine = i[meets], j[meets], sine[meets]
        crossing = np.stack((a[i, 1] * c[j] - a[j, 1] * c[i], a[j, 0] * c[i] - a[i, 0] * c[j]))
        reach = np.concatenate((reach, np.linalg.norm(crossing / sine, axis=0)))
    half = 2.0 * float(reach.max(initial=0.0)) or 1.0
    return ((-half, half),) * input_dim
