r"""The mass of a Hamiltonian: momenta, velocities and kinetic energy for :math:`M^{-1}` as one, a diagonal or a matrix.

:math:`M^{-1}` should resemble the covariance of the density: then every direction is as wide as the others.
"""

import torch
from torch import Tensor

from gradatim.errors import InvalidValue


def draw_momentum(
    inverse_mass: Tensor | None, like: Tensor, generator: torch.Generator | None
) -> Tensor:
    r"""Draw :math:`v\sim N(0, M)` for each row of ``like``; with :math:`M^{-1}=LL^\top` it is :math:`L^{-\top}z`."""
    noise = torch.randn(like.shape, dtype=like.dtype, device=like.device, generator=generator)
    if inverse_mass is None:
        return noise
    if inverse_mass.ndim == 1:
        return noise / inverse_mass.sqrt()
    factor = torch.linalg.cholesky(inverse_mass)
    return torch.linalg.solve_triangular(factor, noise, upper=False, left=False)


def velocity(inverse_mass: Tensor | None, momentum: Tensor) -> Tensor:
    r""":math:`M^{-1}v` for each row."""
    if inverse_mass is None:
        return momentum
    return momentum * inverse_mass if inverse_mass.ndim == 1 else momentum @ inverse_mass


def kinetic_energy(inverse_mass: Tensor | None, momentum: Tensor) -> Tensor:
    r""":math:`\tfrac12 v^\top M^{-1}v` for each row."""
    return 0.5 * (momentum * velocity(inverse_mass, momentum)).sum(1)


def drift_(
    position: Tensor, momentum: Tensor, step_size: float, inverse_mass: Tensor | None
) -> None:
    r"""Change the position to :math:`\theta+\epsilon M^{-1}v`, in place."""
    if inverse_mass is None:
        position.add_(momentum, alpha=step_size)
    elif inverse_mass.ndim == 1:
        position.addcmul_(momentum, inverse_mass, value=step_size)
    else:
        position.addmm_(momentum, inverse_mass, alpha=step_size)


def check_mass(owner: str, inverse_mass: Tensor | None, position: Tensor) -> None:
    """Raise unless the inverse mass fits the positions."""
    d = position.shape[1]
    if inverse_mass is not None and tuple(inverse_mass.shape) not in ((d,), (d, d)):
        raise InvalidValue(
            f"{owner}: inverse_mass must have shape ({d},) or ({d}, {d}), got {tuple(inverse_mass.shape)}."
        )
