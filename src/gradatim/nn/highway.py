"""The highway layer."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.initialization import default_scheme, initialize
from gradatim.nn.mixing import interpolate


@takes_arrays
def carry_or_transform(x: Tensor, h: Tensor, gate: Tensor) -> Tensor:
    r"""Mix the input and its transform, unit by unit.

    .. math:: y = T \odot h + (1 - T) \odot x

    Args:
        x: The input, carried where the gate is 0.
        h: Its transform, taken where the gate is 1.
        gate: :math:`T` in [0, 1], shape of ``x``.

    Example:
        >>> carry_or_transform(torch.zeros(3), torch.ones(3), torch.tensor([0.0, 0.25, 1.0]))
        tensor([0.0000, 0.2500, 1.0000])
    """
    return interpolate(x, h, gate)


class HighwayLayer(nn.Module):
    r"""A dense layer with a learned gate between its input and its transform.

    .. math::
        y = T(x) \odot \phi(Wx + b) + (1 - T(x)) \odot x, \qquad T(x) = \sigma(W_T x + b_T)

    Args:
        dim: Width of input and output.
        activation: Name of :math:`\phi`.
        gate_bias: Initial :math:`b_T`; negative, so that a deep stack starts by carrying its input.
        init: Name of the weight initialization; ``None`` picks by activation.

    Example:
        >>> layer = HighwayLayer(2, gate_bias=-100.0)
        >>> layer(torch.tensor([[0.5, -1.5]])).tolist()
        [[0.5, -1.5]]

    Reference:
        Srivastava et al., Highway Networks, 2015, eq. 3.
    """

    def __init__(
        self,
        dim: int,
        *,
        activation: str = "relu",
        gate_bias: float = -2.0,
        init: str | None = None,
    ) -> None:
        super().__init__()
        self.dim, self.activation = dim, activation
        self.gate_bias, self.init = gate_bias, init
        self.linear = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.phi = build_activation(activation)
        initialize(self, init or default_scheme(activation))
        nn.init.constant_(self.gate.bias, gate_bias)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.gate(x))  # (..., dim)
        return carry_or_transform(x, self.phi(self.linear(x)), gate)
