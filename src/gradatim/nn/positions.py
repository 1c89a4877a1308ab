r"""Where a token stands: encodings that are added to embeddings, since attention ignores order."""

import math

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue

BASE = 10_000.0


def frequencies(owner: str, dim: int, base: float = BASE) -> Tensor:
    r"""Angular frequencies :math:`\omega_i = b^{-2i/d}`, ``(dim / 2,)``, in double precision."""
    if dim < 2 or dim % 2:
        raise InvalidValue(f"{owner}: dim must be even and positive, got {dim}. Try {dim + 1}.")
    return base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)


def sinusoidal_positions(length: int, dim: int, *, base: float = BASE) -> Tensor:
    r"""Sines and cosines of geometrically falling frequencies.

    .. math::
        P_{t,2i} = \sin\frac{t}{b^{2i/d}}, \qquad P_{t,2i+1} = \cos\frac{t}{b^{2i/d}}

    Args:
        length: Positions :math:`t = 0, 1, \dots`.
        dim: :math:`d`, even.
        base: :math:`b`; wavelengths run from :math:`2\pi` to nearly :math:`2\pi b`.

    Returns:
        :math:`P`, shape ``(length, dim)``.

    Example:
        >>> sinusoidal_positions(2, 4).round(decimals=4)
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 1.0000]])

    Reference:
        Vaswani et al., Attention Is All You Need, 2017, section 3.5.
    """
    positions = torch.arange(length, dtype=torch.float64)
    angles = torch.outer(positions, frequencies("sinusoidal_positions", dim, base))  # (T, d/2)
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (T, d/2, 2)
    return pairs.flatten(1).to(torch.get_default_dtype())


def shift_matrix(offset: float, dim: int, *, base: float = BASE) -> Tensor:
    r"""The linear map from any position's encoding to that of the position ``offset`` further.

    .. math::
        P_{t+k} = R_k P_t, \qquad R_k = \operatorname{diag}_i
        \begin{pmatrix}\cos k\omega_i & \sin k\omega_i\\ -\sin k\omega_i & \cos k\omega_i\end{pmatrix}

    It depends on :math:`k` alone and is a rotation: :math:`R_jR_k=R_{j+k}`.

    Args:
        offset: :math:`k`.
        dim: :math:`d`, even.
        base: :math:`b` of :math:`\omega_i = b^{-2i/d}`.

    Returns:
        :math:`R_k`, shape ``(dim, dim)``, in double precision.

    Example:
        >>> P = sinusoidal_positions(9, 6).double()
        >>> torch.allclose(P[2:] @ torch.eye(6).double(), P[:-2] @ shift_matrix(2, 6).T, atol=1e-6)
        True
    """
    angles = offset * frequencies("shift_matrix", dim, base)  # (d/2,)
    sin, cos = angles.sin(), angles.cos()
    blocks = torch.stack((cos, sin, -sin, cos), dim=-1).view(-1, 2, 2)  # (d/2, 2, 2)
    return torch.block_diag(*blocks)


def check_span(owner: str, context: int, start: int, length: int) -> None:
    """Raise unless positions ``start`` to ``start + length`` exist."""
    if start + length > context:
        raise InvalidValue(
            f"{owner}: positions must lie below context={context}, got {start + length} tokens. "
            "Shorten the sequence or build the model with a larger context."
        )


class SinusoidalPositions(nn.Module):
    """Add :func:`sinusoidal_positions` to embeddings; nothing is learned.

    Args:
        context: Most positions.
        dim: Width of an embedding, even.

    Example:
        >>> SinusoidalPositions(8, 4)(torch.zeros(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    table: Tensor

    def __init__(self, context: int, dim: int) -> None:
        super().__init__()
        self.context, self.dim = context, dim
        self.register_buffer("table", sinusoidal_positions(context, dim), persistent=False)

    @takes_arrays
    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Encode ``x``, shape ``(B, T, dim)``, whose first position is ``start``."""
        check_span("SinusoidalPositions", self.context, start, x.shape[1])
        return x + self.table[start : start + x.shape[1]]


class LearnedPositions(nn.Module):
    """Add a learned vector per position to embeddings.

    Args:
        context: Most positions.
        dim: Width of an embedding.

    Example:
        >>> LearnedPositions(8, 4)(torch.zeros(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(self, context: int, dim: int) -> None:
        super().__init__()
        self.context, self.dim = context, dim
        self.table = nn.Parameter(torch.empty(context, dim))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the vectors anew."""
        self.table.copy_(torch.randn(self.context, self.dim) / math.sqrt(self.dim))

    @takes_arrays
    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Encode ``x``, shape ``(B, T, dim)``, whose first position is ``start``."""
        check_span("LearnedPositions", self.context, start, x.shape[1])
        return x + self.table[start : start + x.shape[1]]
