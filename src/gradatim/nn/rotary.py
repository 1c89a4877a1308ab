"""Rotary positions: queries and keys are turned, so that their product sees only the distance."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.positions import BASE, frequencies


@takes_arrays
def rotate_pairs(x: Tensor, angles: Tensor) -> Tensor:
    r"""Turn every pair of coordinates by its angle.

    .. math::
        (x_i, x_{i+d/2}) \mapsto (x_i\cos\theta_i - x_{i+d/2}\sin\theta_i,\;
        x_i\sin\theta_i + x_{i+d/2}\cos\theta_i)

    Coordinate :math:`i` is paired with :math:`i+d/2`, as in most implementations; the paper pairs
    neighbours, which is the same after a permutation of the coordinates.

    Args:
        x: Shape ``(..., T, d)``.
        angles: :math:`\theta`, shape ``(T, d/2)``.

    Returns:
        Shape of ``x``; lengths are kept.

    Example:
        >>> rotate_pairs(torch.tensor([[1.0, 0.0]]), torch.tensor([[torch.pi / 2]])).round(decimals=4).abs()
        tensor([[0., 1.]])
    """
    first, second = x.chunk(2, dim=-1)  # (..., T, d/2) each
    sin, cos = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


class Rotary(nn.Module):
    r"""Turn the vector at position :math:`t` by :math:`\theta_i = t\,b^{-2i/d}`.

    .. math:: (R_s q)^\top(R_t k) = q^\top R_{t-s}\,k

    Scores then depend on the distance :math:`t-s`, not on where in the text a pair stands, and nothing
    is learned.

    Args:
        dim: :math:`d`, width of a head, even.
        base: :math:`b`.

    Example:
        >>> rotary, q, k = Rotary(4), torch.randn(4), torch.randn(4)
        >>> Q, K = rotary(q.expand(9, 4)), rotary(k.expand(9, 4))
        >>> torch.allclose(Q[1] @ K[3], Q[6] @ K[8], atol=1e-5)
        True

    Reference:
        Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, eq. 16.
    """

    def __init__(self, dim: int, *, base: float = BASE) -> None:
        super().__init__()
        self.dim, self.base = dim, base
        self.omega = frequencies(
            "Rotary", dim, base
        )  # no buffer: it keeps its precision in any other

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Turn ``x``, shape ``(..., T, dim)``, whose first position is ``start``."""
        dtype = torch.promote_types(x.dtype, torch.float32)  # bfloat16 cannot tell 256 from 257
        positions = torch.arange(start, start + x.shape[-2], device=x.device, dtype=dtype)
        return rotate_pairs(x, torch.outer(positions, self.omega.to(positions)))
