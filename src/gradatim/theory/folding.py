"""Networks that fold the cube onto itself and so reach Montúfar's number of regions."""

import numpy as np
import torch

from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.theory.constructions import mlp_with_weights


def folding_network(n: int, width: int, depth: int, *, dtype: torch.dtype = torch.float64) -> MLP:
    r"""A ReLU network with at least :func:`~gradatim.theory.montufar` regions in :math:`[0, 1]^n`.

    Each layer but the last folds every coordinate :math:`p = \lfloor m/n \rfloor` times,

    .. math:: \operatorname{zig}(x) = p\,(x)_+ + 2p \sum_{k=1}^{p-1} (-1)^k\,(x - k/p)_+,

    which lays :math:`p^n` copies of the cube on one another. The last layer cuts the folded cube by
    ``width`` hyperplanes in general position, and each cut appears in every copy.

    Args:
        n: Number of inputs, 1 or 2.
        width: Units in each hidden layer, ``>= n``; those left over by the folds never fire.
        depth: Number of hidden layers.
        dtype: Of the parameters.

    Example:
        >>> from gradatim.theory import count_regions, montufar
        >>> count_regions(folding_network(2, 4, 2), ((0, 1), (0, 1))).count, montufar(2, 4, 2)
        (44, 44)
    """
    if n not in (1, 2) or width < n or depth < 1:
        raise InvalidValue(
            "folding_network: n must be 1 or 2, width >= n and depth >= 1, "
            f"got n={n}, width={width}, depth={depth}."
        )
    folds, zig = width // n, _zig(n, width)
    layers, unfold = [], np.eye(n)
    for _ in range(depth - 1):
        select = np.zeros((width, n))
        select[: n * folds] = np.kron(np.eye(n), np.ones((folds, 1)))
        bias = np.full(width, -1.0)
        bias[: n * folds] = np.tile(-np.arange(folds) / folds, n)
        layers.append((select @ unfold, bias))
        unfold = zig
    weight, bias = _general_position(n, width)
    layers.append((weight @ unfold, bias))
    signs = (-1.0) ** np.arange(width)
    return mlp_with_weights([*layers, (signs[None], [0.0])], dtype=dtype)


def _zig(n: int, width: int) -> np.ndarray:
    """Read each folded coordinate from its units, shape ``(n, width)``."""
    folds = width // n
    heights = 2.0 * folds * (-1.0) ** np.arange(folds)
    heights[0] = folds
    return np.pad(np.kron(np.eye(n), heights), ((0, 0), (0, width - n * folds)))


def _general_position(n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Hyperplanes no n+1 of which meet, with all regions inside the unit cube."""
    if n == 1:
        return np.ones((width, 1)), -(np.arange(width) + 1.0) / (width + 1.0)
    angle = np.pi * (np.arange(width) + 0.5) / width
    normal = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    # tangents to a circle: three never meet, and neighbours of opposite ends meet within 0.4 of its centre
    radius = 0.4 * np.sin(np.pi / (2 * width))
    return normal, -normal @ np.full(2, 0.5) - radius
