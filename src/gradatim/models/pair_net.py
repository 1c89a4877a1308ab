"""A network on pairs of nodes: it tells apart graphs that no exchange of messages between nodes does."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.nn.coupling import check_edges


class PairLayer(nn.Module):
    r"""Let the pair :math:`(i, j)` hear of both pairs that lead over each third node :math:`k`.

    .. math:: h_{ij}' = \operatorname{MLP}\Bigl(\hat h_{ij}, \widehat{\sum_k \alpha(\hat h_{ik}) \odot \beta(\hat h_{kj})}\Bigr)

    A hat brings each feature to mean 0 and variance 1 over the pairs of its graph: what all pairs share would else drown, in a
    sum over all of them, what tells them apart.

    Args:
        dim: Width of a pair.
        eps: Least variance.

    Example:
        >>> PairLayer(4)(torch.randn(2, 5, 5, 4), torch.ones(2, 5, 5, 1)).shape
        torch.Size([2, 5, 5, 4])
    """

    def __init__(self, dim: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.left, self.right = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    @takes_arrays
    def forward(self, h: Tensor, is_real: Tensor) -> Tensor:
        """Give every pair a new row.

        Args:
            h: Pairs, shape ``(B, n, n, dim)``.
            is_real: 1 for a pair of nodes, 0 at padding, shape ``(B, n, n, 1)``.
        """
        h = self._standard(h, is_real)
        left, right = torch.relu(self.left(h)) * is_real, torch.relu(self.right(h)) * is_real
        over = torch.einsum("bikf,bkjf->bijf", left, right)  # (B, n, n, dim)
        return self.update(torch.cat([h, self._standard(over, is_real)], -1))

    def _standard(self, h: Tensor, is_real: Tensor) -> Tensor:
        count = is_real.sum((1, 2), keepdim=True).clamp(min=1.0)
        centred = h - (h * is_real).sum((1, 2), keepdim=True) / count
        variance = (centred.square() * is_real).sum((1, 2), keepdim=True) / count
        return centred / (variance + self.eps).sqrt()


class PairNet(nn.Module):
    r"""Answer for whole graphs from all pairs of their nodes.

    .. math:: \hat y = \rho\Bigl(\sum_{i,j} h_{ij}, \sum_i h_{ii}\Bigr), \qquad
        h_{ij}^{(0)} = W [x_i, x_j, a_{ij}, \delta_{ij}]

    and :math:`h_{ij}' = \operatorname{MLP}\bigl(\hat h_{ij}, \sum_k \alpha(\hat h_{ik}) \odot \beta(\hat h_{kj})\bigr)` from layer to layer,
    with pairs and sums brought to mean 0 and variance 1 over their graph. It tells apart no graphs that the folklore form of the
    Weisfeiler-Lehman test on pairs does not, which sees triangles and the lengths of cycles. A graph of :math:`n` nodes costs
    :math:`n^2` of memory and :math:`n^3` of time.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of a pair.
        output_dim: Number of classes, or of values.
        num_layers: Layers.

    Example:
        >>> model = PairNet(5, 8, 2)
        >>> model(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 0, 1, 1])).shape
        torch.Size([2, 2])

    Reference:
        Maron et al., Provably Powerful Graph Networks, 2019. Their blocks multiply the same way, without
        norms.
    """

    def __init__(
        self, input_dim: int, hidden_dim: int, output_dim: int, *, num_layers: int = 2
    ) -> None:
        super().__init__()
        require_whole("PairNet", input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim, num_layers=num_layers)  # fmt: skip
        self.input_dim, self.hidden_dim, self.output_dim = input_dim, hidden_dim, output_dim
        self.num_layers = num_layers
        self.first = nn.Linear(2 * input_dim + 2, hidden_dim)
        self.layers = nn.ModuleList(PairLayer(hidden_dim) for _ in range(num_layers))
        self.readout = nn.Sequential(
            nn.Linear(2 * hidden_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, output_dim)
        )

    @takes_arrays
    def forward(
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None, num_graphs: int | None = None
    ) -> Tensor:  # fmt: skip
        """Answer for every graph.

        Args:
            x: Features of all nodes, shape ``(N, input_dim)``.
            edge_index: Sources and targets among all nodes, shape ``(2, E)``.
            batch: Graph of each node, from 0; one graph by default.
            num_graphs: Number of graphs; by default as many as ``batch`` names.
        """
        check_edges("PairNet", edge_index, x.shape[0])
        h, is_real = _pairs(x, edge_index.long(), batch, num_graphs)
        h = self.first(h)  # (B, n, n, hidden_dim)
        for layer in self.layers:
            h = layer(h, is_real)
        h = h * is_real
        own = h.diagonal(dim1=1, dim2=2).sum(-1)  # (B, hidden_dim)
        return self.readout(torch.cat([h.sum((1, 2)), own], -1))


def _pairs(x: Tensor, edge_index: Tensor, batch: Tensor | None, num_graphs: int | None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """All pairs of nodes of every graph, padded to the largest, and which of them are real."""
    count, width = x.shape
    place = torch.arange(count, device=x.device)
    size = count
    if batch is None:
        batch, num_graphs = torch.zeros_like(place), 1
    else:
        counts = torch.bincount(batch, minlength=num_graphs or 0)
        num_graphs, size = len(counts), int(counts.max()) if count else 0
        order = batch.argsort(stable=True)
        starts = counts.cumsum(0) - counts
        place = torch.empty_like(place).scatter(0, order, place - starts[batch[order]])
    nodes = x.new_zeros(num_graphs, size, width).index_put((batch, place), x)
    is_node = x.new_zeros(num_graphs, size).index_put((batch, place), x.new_ones(count))
    source, target = edge_index
    joined = x.new_zeros(num_graphs, size, size).index_put(
        (batch[target], place[target], place[source]), x.new_ones(len(source)), accumulate=True
    )  # (B, n, n)
    same = torch.eye(size, dtype=x.dtype, device=x.device).expand_as(joined)
    first, second = nodes[:, :, None].expand(-1, -1, size, -1), nodes[:, None].expand(-1, size, -1, -1)  # fmt: skip
    rows = torch.cat([first, second, joined[..., None], same[..., None]], -1)
    return rows, (is_node[:, :, None] * is_node[:, None])[..., None]
