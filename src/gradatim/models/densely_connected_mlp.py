"""The densely connected multi-layer perceptron."""

from collections.abc import Sequence
from itertools import accumulate

from torch import nn

from gradatim.models.chains import RowChain
from gradatim.models.sizes import check_sizes
from gradatim.nn import activation as build_activation
from gradatim.nn import default_scheme, initialize
from gradatim.nn.dense_connection import DenseConnection


class DenselyConnectedMLP(RowChain):
    r"""An MLP whose layers read the input and the outputs of all layers before them.

    .. math::
        x_\ell = \phi(W_\ell [x, x_1, \ldots, x_{\ell-1}] + b_\ell), \qquad
        f(x) = W_L [x, x_1, \ldots, x_{L-1}] + b_L

    Inputs of shape ``(B, ...)`` are flattened to ``(B, sizes[0])``.

    Args:
        sizes: Input width, the features that each layer adds, output width.
        activation: Name of :math:`\phi`.
        init: Name of the weight initialization; ``None`` picks by activation.

    Example:
        >>> model = DenselyConnectedMLP((64, 8, 8, 10))
        >>> model[-1].in_features  # 64 + 8 + 8
        80
    """

    def __init__(
        self, sizes: Sequence[int], *, activation: str = "relu", init: str | None = None
    ) -> None:
        sizes = check_sizes("DenselyConnectedMLP", sizes)
        widths = list(accumulate(sizes[:-1]))  # what each layer reads
        hidden = [
            DenseConnection(nn.Sequential(nn.Linear(n_in, n_out), build_activation(activation)))
            for n_in, n_out in zip(widths, sizes[1:-1], strict=False)
        ]
        super().__init__(*hidden, nn.Linear(widths[-1], sizes[-1]))
        self.sizes, self.activation, self.init = sizes, activation, init
        initialize(self, init or default_scheme(activation))
