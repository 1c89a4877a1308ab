r"""An ensemble of perceptrons for tables, with ladders for numbers and vectors for categories."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.nn import BatchEnsembleLinear, PiecewiseLinearEncoding


class TabMLP(nn.Module):
    r"""K perceptrons that share weights, on encoded numbers and embedded categories.

    .. math::
        h_0 = [x, e(x), v_{c_1}, \dots], \qquad h_\ell^k = \mathrm{ReLU}(L_\ell(h_{\ell-1}^k)), \qquad f^k = W^k h^k + b^k

    with the ladders :math:`e` of :class:`~gradatim.nn.PiecewiseLinearEncoding`, the learned vector :math:`v_c` of a category
    :math:`c`, and layers :math:`L_\ell` of :class:`~gradatim.nn.BatchEnsembleLinear`; the last layer is each member's own.
    Members are to be trained each by its own loss (:func:`~gradatim.losses.over_members`) and to be averaged after the
    softmax, by :meth:`predict`.

    Args:
        input_dim: Columns of numbers, which come first.
        output_dim: Classes, or values.
        hidden: Widths of the hidden layers.
        num_members: :math:`K`.
        edges: Edges of the numbers' bins, as :func:`~gradatim.nn.quantile_edges` gives them; without, numbers stay as they are.
        levels: Number of categories of each further column, which holds their codes from 0.
        level_dim: Width of a category's vector.
        dropout: Probability to *drop* a hidden unit.

    Example:
        >>> model = TabMLP(2, 3, num_members=4, levels=(5,))
        >>> model(torch.tensor([[0.1, -0.3, 4.0]])).shape, model.predict(torch.zeros(6, 3)).shape
        (torch.Size([1, 4, 3]), torch.Size([6, 3]))

    Reference:
        Gorishniy et al., TabM: Advancing Tabular Deep Learning with Parameter-Efficient Ensembling, 2025.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        hidden: Sequence[int] = (128, 128),
        num_members: int = 16,
        edges: Sequence[Sequence[float]] | None = None,
        levels: Sequence[int] = (),
        level_dim: int = 8,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        require_whole("TabMLP", input_dim=input_dim, output_dim=output_dim, num_members=num_members, level_dim=level_dim)  # fmt: skip
        require(len(hidden) > 0, "TabMLP: hidden must name a layer at least", hidden)
        require(0.0 <= dropout < 1.0, "TabMLP: dropout must be in [0, 1)", dropout)
        require(edges is None or len(edges) == input_dim, "TabMLP: edges must have a row for each number", 0 if edges is None else len(edges))  # fmt: skip
        self.input_dim, self.output_dim, self.hidden = input_dim, output_dim, tuple(hidden)
        self.num_members, self.levels, self.level_dim = num_members, tuple(levels), level_dim
        self.dropout = dropout
        self.encoding = None if edges is None else PiecewiseLinearEncoding(edges)
        self.edges = None if self.encoding is None else self.encoding.edges
        self.vectors = nn.ModuleList(nn.Embedding(count, level_dim) for count in self.levels)
        width = input_dim * (1 if self.edges is None else len(self.edges[0])) + level_dim * len(self.levels)  # fmt: skip
        layers: list[nn.Module] = []
        for size in self.hidden:
            start = "ones" if layers else "signs"
            layers += [BatchEnsembleLinear(width, size, num_members=num_members, start=start)]
            layers += [nn.ReLU(), nn.Dropout(dropout)]
            width = size
        self.layers = nn.Sequential(*layers)
        bound = width**-0.5
        self.weight = nn.Parameter(torch.empty(num_members, width, output_dim).uniform_(-bound, bound))  # fmt: skip
        self.bias = nn.Parameter(torch.empty(num_members, output_dim).uniform_(-bound, bound))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        """Outputs of every member, shape ``(N, num_members, output_dim)``."""
        rule = f"TabMLP: x must have shape (N, {self.input_dim + len(self.levels)})"
        require(x.ndim == 2 and x.shape[1] == self.input_dim + len(self.levels), rule, tuple(x.shape))  # fmt: skip
        numbers = x[:, : self.input_dim]
        parts = [numbers if self.encoding is None else self.encoding(numbers)]
        for k, vectors in enumerate(self.vectors):
            parts.append(vectors(x[:, self.input_dim + k].long()))
        h = self.layers(torch.cat(parts, dim=1))  # (N, K, hidden)
        return torch.einsum("nkh,kho->nko", h, self.weight) + self.bias

    @takes_arrays
    def predict(self, x: Tensor, *, is_classification: bool = True) -> Tensor:
        """The mean of the members' probabilities, or of their values, shape ``(N, output_dim)``."""
        outputs = self(x)
        return (outputs.softmax(-1) if is_classification else outputs).mean(1)
