r"""Barron's theorem at work on the Gaussian bump :math:`f(x) = e^{-\lVert x \rVert^2/2}`.

A function whose Fourier transform has a finite first moment :math:`C_f = \int \lVert\omega\rVert\,|\hat f(\omega)|\,d\omega`
is a mean of ridge steps, so ``m`` steps drawn at random miss it by :math:`O(1/m)` in squared
:math:`L_2(\mu)`, whatever the dimension.
"""

from math import lgamma, log

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.models import MLP
from gradatim.randomness import seeded


@takes_arrays
def gaussian_bump(x: Tensor) -> Tensor:
    r"""The target :math:`f(x) = e^{-\lVert x \rVert^2/2}`, from ``(N, d)`` to ``(N,)``.

    Args:
        x: Points, shape ``(N, d)``.

    Example:
        >>> gaussian_bump(torch.zeros(1, 5))
        tensor([1.])
    """
    return torch.exp(-x.square().sum(dim=1) / 2)


def barron_constant(dim: int) -> float:
    r"""First moment of the bump's Fourier transform, the mean length of a standard normal vector.

    .. math:: C_f = \mathbb{E}\lVert\omega\rVert = \sqrt2\,\frac{\Gamma((d+1)/2)}{\Gamma(d/2)} \le \sqrt d

    Args:
        dim: :math:`d`.

    Example:
        >>> round(barron_constant(1), 4), round(barron_constant(100), 4)
        (0.7979, 9.975)
    """
    _check("barron_constant", dim=dim)
    return float(torch.tensor(log(2) / 2 + lgamma((dim + 1) / 2) - lgamma(dim / 2)).exp())


def barron_bound(num_units: int, dim: int, radius: float) -> float:
    r"""Barron's bound on the mean squared error, :math:`(2 r C_f)^2 / m`.

    Args:
        num_units: :math:`m`.
        dim: Of the inputs, on which :math:`C_f` depends.
        radius: :math:`r` of the ball on which the error is measured.

    Example:
        >>> barron_bound(4, 1, 1.0) == barron_bound(1, 1, 1.0) / 4
        True
    """
    _check("barron_bound", num_units=num_units, radius=radius)
    return (2 * radius * barron_constant(dim)) ** 2 / num_units


def barron_network(
    num_units: int, dim: int, *, radius: float = 1.0, generator: torch.Generator | None = None
) -> MLP:
    r"""A network of threshold units drawn from the bump's own representation as a mean of steps.

    .. math::
        f_m(x) = 1 - \frac{2 r C_f}{m} \sum_{k=1}^{m} \sin(s_k)\,\mathbb{1}\{\omega_k^\top x > s_k\}, \qquad
        s_k \sim U(0, r\lVert\omega_k\rVert)

    with :math:`\omega_k` of uniform direction and of length :math:`\chi_{d+1}`, which is the Gaussian
    weighted by length. On :math:`\lVert x \rVert \le r` its mean is :math:`f(x)`, and no unit exceeds
    :math:`2 r C_f`, so the mean squared error is at most :math:`(2 r C_f)^2/m`.

    Args:
        num_units: :math:`m`.
        dim: :math:`d`, number of inputs.
        radius: :math:`r`, of the ball on which the bump is to be met.
        generator: Source of the draw.

    Example:
        >>> net = barron_network(8, 3, generator=torch.Generator().manual_seed(0))
        >>> net(torch.zeros(5, 3)).shape
        torch.Size([5, 1])

    Reference:
        Barron, Universal Approximation Bounds for Superpositions of a Sigmoidal Function, 1993, thm. 1.
    """
    _check("barron_network", num_units=num_units, dim=dim, radius=radius)
    with seeded(0):  # the weights drawn here are overwritten
        model = MLP((dim, num_units, 1), activation="step")
    direction = torch.randn(num_units, dim, generator=generator)
    direction /= direction.norm(dim=1, keepdim=True)
    length = torch.randn(num_units, dim + 1, generator=generator).norm(dim=1)
    threshold = radius * length * torch.rand(num_units, generator=generator)
    hidden, readout = (module for module in model if isinstance(module, nn.Linear))
    with torch.no_grad():
        hidden.weight.copy_(direction * length[:, None])
        hidden.bias.copy_(-threshold)
        scale = 2 * radius * barron_constant(dim) / num_units
        readout.weight.copy_(-scale * torch.sin(threshold)[None])
        readout.bias.fill_(1.0)
    return model


def sample_ball(
    num_samples: int, dim: int, *, radius: float = 1.0, generator: torch.Generator | None = None
) -> Tensor:
    r"""Points drawn uniformly from the ball :math:`\lVert x \rVert \le r`, shape ``(num_samples, dim)``.

    Args:
        num_samples: How many.
        dim: Their dimension.
        radius: :math:`r`.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> bool((sample_ball(100, 3, radius=2.0).norm(dim=1) <= 2.0).all())
        True
    """
    _check("sample_ball", num_samples=num_samples, dim=dim, radius=radius)
    x = torch.randn(num_samples, dim, generator=generator)
    length = radius * torch.rand(num_samples, 1, generator=generator) ** (1 / dim)
    return x * (length / x.norm(dim=1, keepdim=True))


def _check(owner: str, **positive: float) -> None:
    for name, value in positive.items():
        if not value > 0:
            raise InvalidValue(f"{owner}: {name} must be positive, got {value}.")
