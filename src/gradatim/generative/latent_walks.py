"""Codes to look at: a plane of equal chances, and the way from one code to another."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole


def latent_plane(side: int) -> Tensor:
    r"""Codes of two entries on a grid that is dense where the prior is, shape ``(side * side, 2)``.

    .. math:: z_{ij} = \big(\Phi^{-1}(u_j),\ \Phi^{-1}(u_i)\big), \qquad u_k = \frac{k + 1/2}{\mathrm{side}}

    Each stands for an equal share of the prior. They come in the order of reading, from the top left corner, where the
    first entry is lowest and the second highest.

    Args:
        side: Codes along each axis.

    Example:
        >>> latent_plane(2).round(decimals=2)
        tensor([[-0.6700,  0.6700],
                [ 0.6700,  0.6700],
                [-0.6700, -0.6700],
                [ 0.6700, -0.6700]])

    Reference:
        Kingma, Welling, Auto-Encoding Variational Bayes, 2014, figure 4.
    """
    require_whole("latent_plane", side=side)
    places = torch.special.ndtri((torch.arange(side) + 0.5) / side)
    second, first = torch.meshgrid(places.flip(0), places, indexing="ij")
    return torch.stack([first.flatten(), second.flatten()], dim=1)


@takes_arrays
def interpolate(start: Tensor, end: Tensor, steps: int) -> Tensor:
    r"""Codes on the straight lines from ``start`` to ``end``, both included, shape ``(steps, ...)``.

    .. math:: z_k = (1 - t_k)\,z_0 + t_k\,z_1, \qquad t_k = \frac{k}{\mathrm{steps} - 1}

    Args:
        start: :math:`z_0`.
        end: :math:`z_1`, of the same shape.
        steps: Codes on the way, at least 2.

    Example:
        >>> interpolate(torch.zeros(1), torch.ones(1), 3)
        tensor([[0.0000],
                [0.5000],
                [1.0000]])
    """
    require(steps >= 2, "interpolate: steps must be at least 2", steps)
    require(start.shape == end.shape, "interpolate: start and end must have one shape", f"{tuple(start.shape)} and {tuple(end.shape)}")  # fmt: skip
    t = torch.linspace(0, 1, steps, dtype=start.dtype).view(-1, *[1] * start.ndim)
    return torch.lerp(start, end, t)
