"""The residual layer."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.initialization import default_scheme, initialize


class ResidualLayer(nn.Module):
    r"""A dense layer that learns a change of its input instead of a new representation.

    .. math::
        F(x) = x + \phi(Wx + b) - \phi(0) \quad (\text{equal widths}), \qquad
        F(x) = Vx + \phi(Wx + b) - \phi(0) \quad (\text{projection form})

    Subtracting :math:`\phi(0)` makes the layer the identity at :math:`W = 0, b = 0` for every
    activation, the sigmoid (:math:`\phi(0) = 1/2`) included.

    Args:
        input_dim: Width of the input.
        output_dim: Width of the output, ``input_dim`` by default; where it differs, the shortcut is the
            learned projection :math:`V`.
        activation: Name of :math:`\phi`.
        init: Name of the initialization of :math:`V` and :math:`W`; ``None`` picks by activation.

    Example:
        >>> layer = ResidualLayer(3, activation="sigmoid")
        >>> _ = torch.nn.init.zeros_(layer.linear.weight)
        >>> layer(torch.tensor([[1.0, -2.0, 3.0]])).tolist()
        [[1.0, -2.0, 3.0]]

    Reference:
        He et al., Deep Residual Learning for Image Recognition, 2016. There the branch has two layers
        and a further activation follows the sum; here it has one and the shortcut stays clear.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int | None = None,
        *,
        activation: str = "relu",
        init: str | None = None,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim = input_dim, input_dim if output_dim is None else output_dim
        self.activation, self.init = activation, init
        self.linear = nn.Linear(input_dim, self.output_dim)
        self.phi = build_activation(activation)
        self.shortcut = (
            nn.Identity()
            if self.output_dim == input_dim
            else nn.Linear(input_dim, self.output_dim, bias=False)
        )
        with torch.device("cpu"):  # a number, wherever the layer is built
            zero = torch.zeros(1, dtype=torch.float64)
            self.phi_at_zero = build_activation(activation).double()(zero).item()
        initialize(self, init or default_scheme(activation))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        return self.shortcut(x) + (self.phi(self.linear(x)) - self.phi_at_zero)  # (..., output_dim)
