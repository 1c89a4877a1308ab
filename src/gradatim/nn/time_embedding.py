"""Time as features that a network can read: sines and cosines, from slow to fast."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.nn.positions import frequencies

SCALE = 1000.0  # so that times from 0 to 1 are told apart as finely as a thousand steps


@takes_arrays
def time_embedding(time: Tensor, dim: int) -> Tensor:
    r"""Sines and cosines of times from 0 to 1, as positions from 0 to 1000 are encoded.

    .. math:: e_{2i} = \sin(1000\,\omega_i\,t), \qquad e_{2i+1} = \cos(1000\,\omega_i\,t), \qquad \omega_i = 10^{-8i/d}

    Args:
        time: :math:`t`, shape ``(B,)``.
        dim: :math:`d`, even.

    Returns:
        Shape ``(B, dim)``, in the precision of ``time``.

    Example:
        >>> time_embedding(torch.tensor([0.0, 0.001]), 4).round(decimals=4)
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 1.0000]])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, appendix B.
    """
    speeds = SCALE * frequencies("time_embedding", dim).to(time)
    angles = time[:, None] * speeds  # (B, d/2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # (B, d)
