r"""All points within ``eps`` of a sample, and inside the bounds: :math:`\lVert z-x\rVert_p\le\epsilon`.

What a ball returns is inside it in exact arithmetic, not only up to rounding: sums are rounded towards
the sample, so that :math:`|z_k-x_k|\le|\delta_k|` holds for the numbers that the machine stores.
"""

import math
from typing import Protocol

import torch
from torch import Tensor

from gradatim.robust.victim import Bounds

NO_RADIUS = 1e-140  # squares of such numbers are lost, and with them the size of a step


class Ball(Protocol):
    """A set of points around each row of a batch."""

    def project(self, z: Tensor) -> Tensor:
        """Bring every row of ``z`` into the set."""

    def random(self, generator: torch.Generator | None) -> Tensor:
        """Draw a point for every row, uniformly, before the bounds cut some off."""


def add_towards(x: Tensor, delta: Tensor) -> Tensor:
    r"""Return :math:`x+\delta` rounded towards :math:`x`.

    The rounding error of a sum is itself a number that can be computed (Knuth, The Art of Computer
    Programming, volume 2, 4.2.2, theorem B).

    >>> x, step = torch.tensor([0.7]), torch.tensor([0.1])
    >>> (x + step - x).double() <= step, (add_towards(x, step) - x).double() <= step
    (tensor([False]), tensor([True]))
    """
    total = x + delta
    part = total - x
    error = (x - (total - part)) + (delta - part)  # x + delta = total + error
    return torch.where(error * delta.sign() < 0, torch.nextafter(total, x), total)


def _budget(eps: float, x: Tensor) -> Tensor:
    """``eps`` in the type of ``x``, rounded down."""
    rounded = torch.full((), eps, dtype=x.dtype, device=x.device)
    return torch.where(rounded.double() > eps, torch.nextafter(rounded, -rounded), rounded)


class CubeBall:
    r""":math:`p=\infty`: together with the bounds, a box."""

    def __init__(self, x: Tensor, eps: float, bounds: Bounds | None) -> None:
        radius = _budget(eps, x).expand_as(x)
        self.low, self.high = add_towards(x, -radius), add_towards(x, radius)
        if bounds is not None:
            self.low, self.high = self.low.clamp(*bounds), self.high.clamp(*bounds)

    def project(self, z: Tensor) -> Tensor:
        return torch.clamp(z, self.low, self.high)

    def random(self, generator: torch.Generator | None) -> Tensor:
        share = torch.empty_like(self.low).uniform_(generator=generator)
        return self.project(torch.lerp(self.low, self.high, share))


class RoundBall:
    """:math:`p=2`. Bounds come second: they bring every entry closer to the sample, never farther away."""

    def __init__(self, x: Tensor, eps: float, bounds: Bounds | None) -> None:
        self.x, self.eps, self.bounds = x, eps, bounds
        self.shrink = 1 - 16 * torch.finfo(x.dtype).eps  # norms are rounded, too

    def project(self, z: Tensor) -> Tensor:
        if self.eps < NO_RADIUS:
            return self.x if self.bounds is None else self.x.clamp(*self.bounds)
        delta = (z - self.x).flatten(1)
        size = torch.linalg.vector_norm(delta, dim=1, keepdim=True, dtype=torch.float64)
        scale = self.shrink * (self.eps / size).clamp(max=1.0)
        delta = delta * torch.where(size > self.shrink * self.eps, scale, 1.0).to(delta.dtype)
        inside = add_towards(self.x, delta.reshape(z.shape))
        return inside if self.bounds is None else inside.clamp(*self.bounds)

    def random(self, generator: torch.Generator | None) -> Tensor:
        direction = torch.empty_like(self.x).normal_(generator=generator).flatten(1)
        direction /= torch.linalg.vector_norm(direction, dim=1, keepdim=True)
        share = torch.empty_like(direction[:, :1]).uniform_(generator=generator)
        share **= 1 / direction.shape[1]
        return self.project(self.x + self.eps * (share * direction).reshape(self.x.shape))


def make_ball(x: Tensor, eps: float, p: float, bounds: Bounds | None) -> Ball:
    """The ball of radius ``eps`` around every row of ``x``, cut off at ``bounds``."""
    return (CubeBall if p == math.inf else RoundBall)(x, eps, bounds)
