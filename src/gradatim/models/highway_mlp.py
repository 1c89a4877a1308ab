"""The highway multi-layer perceptron."""

import itertools
from collections.abc import Sequence

from torch import nn

from gradatim.models.chains import RowChain
from gradatim.models.sizes import check_sizes
from gradatim.nn import activation as build_activation
from gradatim.nn import default_scheme, initialize
from gradatim.nn.highway import HighwayLayer


def _plain_layer(n_in: int, n_out: int, activation: str, init: str | None) -> nn.Module:
    layer = nn.Sequential(nn.Linear(n_in, n_out), build_activation(activation))
    return initialize(layer, init or default_scheme(activation))


class HighwayMLP(RowChain):
    r"""A chain of highway layers and a linear read-out.

    .. math::
        h_0 = x, \qquad
        h_\ell = T_\ell \odot \phi(W_\ell h_{\ell-1} + b_\ell) + (1 - T_\ell) \odot h_{\ell-1}, \qquad
        f(x) = W_L h_{L-1} + b_L

    with the gate :math:`T_\ell = \sigma(W_{T,\ell} h_{\ell-1} + b_{T,\ell})`. Between different widths,
    where nothing can be carried, the layer is the plain :math:`\phi(W_\ell h_{\ell-1} + b_\ell)`.
    Inputs of shape ``(B, ...)`` are flattened to ``(B, sizes[0])``.

    Args:
        sizes: Widths from input to output, such as ``(64, 32, 32, 10)``.
        activation: Name of :math:`\phi`.
        gate_bias: Initial bias of every gate; the more negative, the more is carried.
        init: Name of the weight initialization; ``None`` picks by activation.

    Example:
        >>> [type(stage).__name__ for _, stage in HighwayMLP((64, 32, 32, 10)).stages()]
        ['Flatten', 'Sequential', 'HighwayLayer', 'Linear']

    Reference:
        Srivastava et al., Training Very Deep Networks, 2015.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: str = "relu",
        gate_bias: float = -2.0,
        init: str | None = None,
    ) -> None:
        sizes = check_sizes("HighwayMLP", sizes)
        readout = nn.Linear(sizes[-2], sizes[-1])
        initialize(readout, init or default_scheme(activation))
        hidden = [
            HighwayLayer(n_in, activation=activation, gate_bias=gate_bias, init=init)
            if n_in == n_out
            else _plain_layer(n_in, n_out, activation, init)
            for n_in, n_out in itertools.pairwise(sizes[:-1])
        ]
        super().__init__(*hidden, readout)
        self.sizes, self.activation = sizes, activation
        self.gate_bias, self.init = gate_bias, init
