r"""What depth does to the angle between two signals in a wide random network.

With :math:`q^*` the variance at which layers leave signals, :math:`q^*=\sigma_w^2E[\phi(\sqrt{q^*}z)^2]+\sigma_b^2`, a correlation
goes from layer to layer as

.. math:: c_{\ell+1} = \frac{\sigma_w^2\,E[\phi(u)\phi(v)]+\sigma_b^2}{q^*}, \qquad
    (u, v) \sim N\Bigl(0, q^*\begin{pmatrix}1 & c_\ell\\ c_\ell & 1\end{pmatrix}\Bigr)

whose slope at 1 is :math:`\chi_1=\sigma_w^2E[\phi'(\sqrt{q^*}z)^2]`: below 1 all signals become alike (order), above 1 neighbours part
(chaos), and at 1 depth does neither.

Reference:
    Poole et al., Exponential expressivity in deep neural networks through transient chaos, 2016;
    Schoenholz et al., Deep Information Propagation, 2017.
"""

import math

import torch
from torch import Tensor

from gradatim.theory.dual_activations import dual_activation

NODES = torch.linspace(-9, 9, 601, dtype=torch.float64)
WEIGHTS = torch.exp(-(NODES**2) / 2) * (NODES[1] - NODES[0]) / math.sqrt(2 * math.pi)


def fixed_variance(weight_variance: Tensor, bias_variance: Tensor, *, layers: int = 500) -> Tensor:
    """The variance q* of tanh networks, for many pairs of variances at once."""
    q = torch.ones_like(weight_variance + bias_variance)
    for _ in range(layers):
        squares = torch.tanh(q.sqrt()[..., None] * NODES).square() @ WEIGHTS
        q = weight_variance * squares + bias_variance
    return q


def slope_at_one(weight_variance: Tensor, bias_variance: Tensor) -> Tensor:
    """The slope χ₁ of tanh networks."""
    q = fixed_variance(weight_variance, bias_variance)
    slopes = 1 - torch.tanh(q.sqrt()[..., None] * NODES).square()
    return weight_variance * (slopes.square() @ WEIGHTS)


def edge_of_chaos(bias_variance: float) -> float:
    """The variance of weights at which χ₁ = 1, by halving."""
    low, high, b = 0.5, 5.0, torch.tensor(bias_variance, dtype=torch.float64)
    for _ in range(40):
        middle = (low + high) / 2
        is_chaos = float(slope_at_one(torch.tensor(middle, dtype=torch.float64), b)) > 1
        low, high = (low, middle) if is_chaos else (middle, high)
    return (low + high) / 2


def correlations(activation: str, weight_variance: float, bias_variance: float, q: float, first: float, layers: int) -> list[float]:  # fmt: skip
    """The correlation of two signals of variance q after 0, 1, … layers."""
    seen, size = [first], torch.tensor(q, dtype=torch.float64)
    for _ in range(layers):
        mean = dual_activation(activation, size, size, q * torch.tensor(seen[-1])).values
        seen.append((weight_variance * float(mean) + bias_variance) / q)
    return seen


def measured_correlations(
    weight_variance: float, bias_variance: float, q: float, first: float, *, layers: int, width: int, networks: int, generator: torch.Generator
) -> Tensor:  # fmt: skip
    """The same in random tanh networks of finite width, shape ``(networks, layers + 1)``."""
    z = math.sqrt(q) * torch.randn(networks, 2, width, generator=generator)
    z[:, 1] = first * z[:, 0] + math.sqrt(1 - first**2) * z[:, 1]
    seen = [torch.cosine_similarity(z[:, 0], z[:, 1])]
    for _ in range(layers):
        W = torch.randn(networks, width, width, generator=generator)
        b = torch.randn(networks, 1, width, generator=generator)
        z = math.sqrt(weight_variance / width) * torch.tanh(z) @ W + math.sqrt(bias_variance) * b
        seen.append(torch.cosine_similarity(z[:, 0], z[:, 1]))
    return torch.stack(seen, 1)
