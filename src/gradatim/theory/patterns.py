"""Activation patterns: which hidden units of a ReLU network are active at a point."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.theory.relu_chain import Array, ReluChain, read_chain

BATCH = 8192


def activation_patterns(model: nn.Module, x: ArrayLike) -> NDArray[np.bool_]:
    r"""Which hidden units are active, :math:`\mathbb{1}\{z_j(x) > 0\}`, first layer first.

    Args:
        model: ``MLP`` or ``nn.Sequential`` of dense layers and ReLU, leaky ReLU or PReLU.
        x: Points, shape ``(N, inputs)``.

    Returns:
        Shape ``(N, hidden units)``.

    Example:
        >>> net = nn.Sequential(nn.Linear(1, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> activation_patterns(net, np.zeros((5, 1))).shape
        (5, 3)
    """
    points = np.asarray(x, dtype=np.float64)
    if points.ndim != 2:
        raise InvalidValue(
            f"activation_patterns: x must have shape (N, inputs), got {points.shape}. Reshape it."
        )
    return chain_patterns(read_chain("activation_patterns", model, points.shape[1]), points)


def chain_patterns(chain: ReluChain, x: Array) -> NDArray[np.bool_]:
    """:func:`activation_patterns` of a chain that is already read."""
    h, active = x, [np.zeros((len(x), 0), dtype=bool)]
    for layer in chain.layers:
        z = h @ layer.weight.T + layer.bias
        active.append(z > 0.0)
        h = np.where(active[-1], z, layer.slope * z)
    return np.concatenate(active, axis=1)


def sample_patterns(
    chain: ReluChain, domain: tuple[tuple[float, float], ...], *, num_samples: int, seed: int
) -> NDArray[np.bool_]:
    """The distinct patterns met at points drawn uniformly from a box, shape ``(found, hidden units)``."""
    rng, (low, high) = np.random.default_rng(seed), np.array(domain).T
    units = sum(len(layer.bias) for layer in chain.layers)
    found: set[bytes] = set()
    for start in range(0, num_samples, BATCH):
        x = rng.uniform(low, high, size=(min(BATCH, num_samples - start), len(domain)))
        found.update(map(bytes, np.packbits(chain_patterns(chain, x), axis=1)))
    packed = np.array([np.frombuffer(key, dtype=np.uint8) for key in sorted(found)])
    return np.unpackbits(packed, axis=1, count=units).astype(bool)
