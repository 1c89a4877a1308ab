"""The multi-layer perceptron."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from torch import nn

from gradatim.errors import InvalidValue, choose
from gradatim.models.chains import RowChain
from gradatim.models.sizes import check_sizes
from gradatim.nn import activation as build_activation
from gradatim.nn import default_scheme, initialize, normalize_weights

NORMS = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm}  # a layer behind every hidden one
WEIGHT = "weight"  # no layer: the weights of all are learned as length and direction


class MLP(RowChain):
    r"""A chain of dense layers, for any depth.

    .. math:: h_0 = x, \qquad h_\ell = \phi(W_\ell h_{\ell-1} + b_\ell), \qquad f(x) = W_L h_{L-1} + b_L

    The order within a hidden layer is linear, norm, activation, dropout; the last layer is linear,
    so that losses work on logits. Inputs of shape ``(B, ...)`` are flattened to ``(B, sizes[0])``.

    Args:
        sizes: Widths from input to output, such as ``(784, 256, 128, 10)``.
        activation: Name of :math:`\phi`.
        dropout: Probability to *drop* a hidden unit.
        norm: ``None``, ``"batch"``, ``"layer"``, or ``"weight"``, which stands in no place of its own: the weights of
            every layer are learned as length and direction, as by :func:`~gradatim.nn.normalize_weights`.
        init: Name of the weight initialization; ``None`` picks He for the ReLU family, LeCun for SELU,
            Xavier otherwise.
        bias: Whether dense layers have a bias.

    Example:
        >>> model = MLP((784, 256, 128, 10))
        >>> sum(p.numel() for p in model.parameters())
        235146
    """

    def __init__(
        self,
        sizes: Sequence[int],
        *,
        activation: str = "relu",
        dropout: float = 0.0,
        norm: str | None = None,
        init: str | None = None,
        bias: bool = True,
    ) -> None:
        sizes = check_sizes("MLP", sizes)
        if not 0.0 <= dropout < 1.0:
            raise InvalidValue(f"MLP: dropout must be in [0, 1), got {dropout}. Try dropout=0.5.")
        if norm is not None:
            choose("MLP", "norm", norm, [*NORMS, WEIGHT])
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(sizes[:-1]):
            layers.append(nn.Linear(n_in, n_out, bias=bias))
            if norm in NORMS:
                layers.append(NORMS[norm](n_out))
            layers.append(build_activation(activation))
            if dropout:
                layers.append(nn.Dropout(dropout))
        layers.append(nn.Linear(sizes[-2], sizes[-1], bias=bias))
        super().__init__(*layers)
        self.sizes, self.activation, self.dropout = sizes, activation, dropout
        self.norm, self.init, self.bias = norm, init, bias
        initialize(self, init or default_scheme(activation))
        if norm == WEIGHT:
            normalize_weights(self)

    def __getitem__(self, index: Any) -> Any:
        """A layer, or a plain ``nn.Sequential`` of several: part of an MLP need not be one."""
        layers = list(self)[index]
        return nn.Sequential(*layers) if isinstance(index, slice) else layers
