r"""Numbers as ladders of bins, so that a dense layer can bend its answer at every edge."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole


@takes_arrays
def quantile_edges(x: Tensor, bins: int) -> Tensor:
    r"""Edges between which equally many rows lie, for every column.

    .. math:: b_t = Q_x\bigl(t / T\bigr), \qquad t = 0 \dots T

    Equal edges count once; the last one is repeated instead, which makes bins of no width.

    Args:
        x: Rows of numbers :math:`x`, shape ``(N, D)``.
        bins: :math:`T`.

    Returns:
        Edges, shape ``(D, bins + 1)``, none below the one before.

    Example:
        >>> quantile_edges(torch.tensor([[0.0], [1.0], [2.0], [3.0], [4.0]]), 2)
        tensor([[0., 2., 4.]])
        >>> quantile_edges(torch.tensor([[0.0], [1.0], [1.0], [1.0], [1.0]]), 2)
        tensor([[0., 1., 1.]])

    Reference:
        Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, 2022, section 3.2.1.
    """
    require_whole("quantile_edges", bins=bins)
    require(x.ndim == 2 and len(x) > 0, "quantile_edges: x must have shape (N, D)", tuple(x.shape))
    places = torch.linspace(0.0, len(x) - 1.0, bins + 1, dtype=torch.float64)
    ordered, below = (
        x.sort(dim=0).values,
        places.floor().long(),
    )  # torch.quantile ends at 16 million numbers
    share = (places - below).to(x.dtype).unsqueeze(1)
    edges = torch.lerp(ordered[below], ordered[places.ceil().long()], share).T  # (D, T + 1)
    repeats = torch.zeros_like(edges)
    repeats[:, 1:] = (edges[:, 1:] == edges[:, :-1]).to(edges.dtype)
    order = repeats.argsort(dim=1, stable=True)  # different edges first, in their order
    kept = edges.gather(1, order)
    return torch.where(repeats.gather(1, order) > 0, edges[:, -1:], kept)


@takes_arrays
def piecewise_linear(x: Tensor, edges: Tensor) -> Tensor:
    r"""How far each bin of a number is filled.

    .. math:: e_t = \frac{x - b_{t-1}}{b_t - b_{t-1}}\ \text{ limited to } [0, 1]

    The first bin is not limited below, the last not above, so that nothing is lost beyond the edges. A bin of no width
    stays empty. A linear function of :math:`e` is a continuous function of :math:`x` that is linear between edges.

    Args:
        x: Rows of numbers, shape ``(N, D)``.
        edges: Edges :math:`b_0 \le \dots \le b_T` of every column, shape ``(D, T + 1)``, as :func:`quantile_edges` gives them.

    Returns:
        Shape ``(N, D, T)``.

    Example:
        >>> piecewise_linear(torch.tensor([[3.0]]), torch.tensor([[0.0, 2.0, 4.0]]))
        tensor([[[1.0000, 0.5000]]])

    Reference:
        Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, 2022, eq. 1.
    """
    rule = "piecewise_linear: edges must have a row of at least two for each column of x"
    fits = edges.ndim == 2 and edges.shape[1] > 1 and x.ndim == 2 and x.shape[1] == len(edges)
    require(fits, rule, f"{tuple(edges.shape)} for {tuple(x.shape)}")
    width = edges[:, 1:] - edges[:, :-1]
    is_wide = width > 0
    filled = (x.unsqueeze(-1) - edges[:, :-1]) / torch.where(is_wide, width, 1.0)  # (N, D, T)
    none = torch.zeros_like(is_wide[:, :1])
    is_first = torch.cat([~none, torch.zeros_like(is_wide[:, 1:])], dim=1)
    is_last = is_wide & ~torch.cat([is_wide[:, 1:], none], dim=1)
    low, high = torch.where(is_first, -torch.inf, 0.0), torch.where(is_last, torch.inf, 1.0)
    limited = torch.minimum(torch.maximum(filled, low.to(x.dtype)), high.to(x.dtype))
    return limited * is_wide


class PiecewiseLinearEncoding(nn.Module):
    r"""Numbers beside their ladders, :math:`[x, e(x)]`, with edges that do not learn (:func:`piecewise_linear`).

    Args:
        edges: Edges of columns, shape ``(D, bins + 1)``, as :func:`quantile_edges` gives them.
        columns: Which columns these are, the others having no ladder; all of them by default.

    Example:
        >>> PiecewiseLinearEncoding([[0.0, 2.0, 4.0]], columns=[1])(torch.tensor([[7.0, 3.0]]))
        tensor([[7.0000, 3.0000, 1.0000, 0.5000]])

    Reference:
        Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, 2022, eq. 1. The number itself
        stands beside the ladder here.
    """

    table: Tensor

    def __init__(
        self, edges: Sequence[Sequence[float]], *, columns: Sequence[int] | None = None
    ) -> None:
        super().__init__()
        self.columns = None if columns is None else tuple(int(column) for column in columns)
        self.edges = tuple(tuple(float(edge) for edge in row) for row in edges)
        table = torch.tensor(self.edges)
        is_sorted = table.ndim == 2 and table.shape[1] > 1 and bool((table.diff(dim=1) >= 0).all())
        require(is_sorted, "PiecewiseLinearEncoding: edges must be at least two rising numbers a column", "others")  # fmt: skip
        self.register_buffer("table", table)

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        numbers = x if self.columns is None else x[:, self.columns]
        ladders = piecewise_linear(numbers, self.table.to(x.dtype))
        return torch.cat([x, ladders.flatten(1)], dim=1)  # (N, all + D T)
