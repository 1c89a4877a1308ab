"""The residual multi-layer perceptron."""

import itertools
from collections.abc import Sequence

from torch import nn

from gradatim.models.chains import RowChain
from gradatim.models.sizes import check_sizes
from gradatim.nn import default_scheme, initialize
from gradatim.nn.residual import ResidualLayer


class ResidualMLP(RowChain):
    r"""A chain of residual layers and a linear read-out.

    .. math::
        h_0 = x, \qquad h_\ell = S_\ell h_{\ell-1} + \phi(W_\ell h_{\ell-1} + b_\ell) - \phi(0), \qquad
        f(x) = W_L h_{L-1} + b_L

    :math:`S_\ell` is the identity between equal widths and a learned projection otherwise. Inputs of
    shape ``(B, ...)`` are flattened to ``(B, sizes[0])``.

    Args:
        sizes: Widths from input to output, such as ``(64, 32, 32, 10)``.
        activation: Name of :math:`\phi`.
        init: Name of the weight initialization; ``None`` picks by activation.

    Example:
        >>> [type(stage).__name__ for _, stage in ResidualMLP((64, 32, 32, 10)).stages()]
        ['Flatten', 'ResidualLayer', 'ResidualLayer', 'Linear']
    """

    def __init__(
        self, sizes: Sequence[int], *, activation: str = "relu", init: str | None = None
    ) -> None:
        sizes = check_sizes("ResidualMLP", sizes)
        readout = nn.Linear(sizes[-2], sizes[-1])
        initialize(readout, init or default_scheme(activation))
        hidden = [
            ResidualLayer(n_in, n_out, activation=activation, init=init)
            for n_in, n_out in itertools.pairwise(sizes[:-1])
        ]
        super().__init__(*hidden, readout)
        self.sizes, self.activation, self.init = sizes, activation, init
