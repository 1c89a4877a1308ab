r"""What a nonlinearity makes of two jointly Gaussian numbers, on average.

.. math::
    \hat\phi = E[\phi(u)\phi(v)], \qquad \hat\phi' = E[\phi'(u)\phi'(v)], \qquad
    (u, v) \sim N\Bigl(0, \begin{pmatrix}a & c\\ c & b\end{pmatrix}\Bigr)

With :math:`\rho=c/\sqrt{ab}=\cos\theta`:

========  ==========================================================================  ========================================
name      :math:`\hat\phi`                                                            :math:`\hat\phi'`
========  ==========================================================================  ========================================
relu      :math:`\sqrt{ab}\,(\sin\theta+(\pi-\theta)\cos\theta)/2\pi`                 :math:`(\pi-\theta)/2\pi`
erf       :math:`\frac2\pi\arcsin\frac{2c}{\sqrt{(1+2a)(1+2b)}}`                      :math:`\frac4\pi/\sqrt{(1+2a)(1+2b)-4c^2}`
identity  :math:`c`                                                                   1
========  ==========================================================================  ========================================

All others by quadrature in polar coordinates, where a kink or jump at 0 lies on four rays: between these the integrand is
smooth. (Gauss-Hermite nodes lie too far apart for the poles of tanh, and miss it in the fifth digit.)

Reference:
    Cho and Saul, Kernel Methods for Deep Learning, 2009; Williams, Computing with Infinite Networks, 1997.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.nn import activation, value_and_derivative

# Radii: panels that double, so that they are fine where a steep nonlinearity turns; beyond 9 the Gaussian has 1e-18.
EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.4, 3.2, 4.8, 6.4, 9.0)
RADII, ANGLES = 8, 20  # nodes of a panel, of an arc
VALUES = 4_000_000  # evaluated at once


class Duals(NamedTuple):
    """Means of the products of values and of derivatives."""

    values: Tensor
    derivatives: Tensor


def dual_activation(name: str, a: Tensor, b: Tensor, c: Tensor) -> Duals:
    r"""Return :math:`E[\phi(u)\phi(v)]` and :math:`E[\phi'(u)\phi'(v)]`.

    Args:
        name: Of the activation :math:`\phi`.
        a: Variance of :math:`u`, double precision; broadcasts with the others.
        b: Variance of :math:`v`.
        c: Covariance, at most :math:`\sqrt{ab}` in size.

    Example:
        >>> one = torch.ones((), dtype=torch.float64)
        >>> dual_activation("relu", one, one, one)
        Duals(values=tensor(0.5000, dtype=torch.float64), derivatives=tensor(0.5000, dtype=torch.float64))
    """
    a, b, c = torch.broadcast_tensors(a, b, c)
    closed = CLOSED.get(name)
    return closed(a, b, c) if closed else _by_quadrature(name, a, b, c)


def angle(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    r"""The angle :math:`\theta` between the two, 0 where one of them is nothing."""
    size = (a * b).sqrt()
    return (c / size.where(size > 0, torch.ones_like(size))).clamp(-1, 1).arccos()


def _relu(a: Tensor, b: Tensor, c: Tensor) -> Duals:
    theta = angle(a, b, c)
    values = (a * b).sqrt() * (theta.sin() + (math.pi - theta) * theta.cos()) / (2 * math.pi)
    return Duals(values, (math.pi - theta) / (2 * math.pi))


def _erf(a: Tensor, b: Tensor, c: Tensor) -> Duals:
    size = (1 + 2 * a) * (1 + 2 * b)
    values = 2 / math.pi * (2 * c / size.sqrt()).arcsin()
    return Duals(values, 4 / math.pi / (size - 4 * c**2).sqrt())


def _identity(a: Tensor, b: Tensor, c: Tensor) -> Duals:
    return Duals(c.clone(), torch.ones_like(c))


CLOSED: dict[str, Callable[[Tensor, Tensor, Tensor], Duals]] = {
    "relu": _relu,
    "erf": _erf,
    "identity": _identity,
}


def _by_quadrature(name: str, a: Tensor, b: Tensor, c: Tensor) -> Duals:
    pairs = torch.stack([a.flatten(), b.flatten(), c.flatten()])  # (3, pairs)
    chunk = max(1, VALUES // (4 * ANGLES * RADII * (len(EDGES) - 1)))
    parts = [_integrate(name, *part) for part in pairs.split(chunk, 1)]
    values, derivatives = (torch.cat(column).view(a.shape) for column in zip(*parts, strict=True))
    return Duals(values, derivatives)


def _integrate(name: str, a: Tensor, b: Tensor, c: Tensor) -> Duals:
    r"""Sum :math:`\frac1{2\pi}\int\!\!\int g(u)g(v)\,re^{-r^2/2}\,dr\,d\alpha` with
    :math:`u=\sqrt a\,r\cos\alpha`, :math:`v=\sqrt b\,r\cos(\alpha-\theta)`."""
    theta = angle(a, b, c)
    # u is 0 at ±π/2, v at θ ± π/2: four arcs, of lengths θ and π - θ in turn
    starts = torch.stack([theta * 0 - math.pi / 2, theta - math.pi / 2, theta * 0 + math.pi / 2, theta + math.pi / 2])  # fmt: skip
    lengths = torch.stack([theta, math.pi - theta, theta, math.pi - theta])
    nodes, weights = _arc(a)
    alpha = (starts[..., None] + lengths[..., None] * nodes).movedim(0, 1).flatten(1)  # (B, 4A)
    measure = (lengths[..., None] * weights).movedim(0, 1).flatten(1)
    radii, density = _radii(a)
    u = a.sqrt()[:, None, None] * alpha.cos()[..., None] * radii  # (B, 4A, R)
    v = b.sqrt()[:, None, None] * (alpha - theta[:, None]).cos()[..., None] * radii
    module = activation(name).to(a)
    (at_u, slope_u), (at_v, slope_v) = (value_and_derivative(module, z) for z in (u, v))
    means = [torch.einsum("bar,r,ba->b", product, density, measure) / (2 * math.pi) for product in (at_u * at_v, slope_u * slope_v)]  # fmt: skip
    return Duals(*means)


def _arc(like: Tensor) -> tuple[Tensor, Tensor]:
    """Gauss-Legendre nodes and weights of [0, 1], drawn towards both ends, where the nonlinearity turns."""
    x, w = np.polynomial.legendre.leggauss(ANGLES)
    t = torch.from_numpy((x + 1) / 2).to(like)
    return t**2 * (3 - 2 * t), torch.from_numpy(w / 2).to(like) * 6 * t * (1 - t)


def _radii(like: Tensor) -> tuple[Tensor, Tensor]:
    r"""Gauss-Legendre nodes of all panels, and their weights times :math:`re^{-r^2/2}`."""
    x, w = np.polynomial.legendre.leggauss(RADII)
    low, high = np.array(EDGES[:-1])[:, None], np.array(EDGES[1:])[:, None]
    r, w = (low + (high - low) * (x + 1) / 2).ravel(), ((high - low) * w / 2).ravel()
    return torch.from_numpy(r).to(like), torch.from_numpy(w * r * np.exp(-(r**2) / 2)).to(like)
