"""Which pairs of nodes are joined."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import choose, require_whole

DECODERS = ("product", "mlp")


class LinkPredictor(nn.Module):
    r"""Read all nodes of a graph, then compare the two of a pair.

    .. math:: s_{ij} = \langle u_i, v_j \rangle + b \quad\text{or}\quad s_{ij} = \operatorname{MLP}(u_i \odot v_j),
        \qquad z = \operatorname{encoder}(X, A)

    with :math:`u = v = z` where edges have no direction, so that :math:`s_{ij} = s_{ji}`, and :math:`u = Uz`, :math:`v = Vz`
    where they have one. An edge that is asked for must not be among those that pass messages, in neither direction: it would
    tell its own answer.

    Args:
        encoder: A network on graphs with outputs of width ``hidden_dim``, such as :class:`GCN`.
        hidden_dim: Width of what the encoder gives.
        decoder: ``"product"`` or ``"mlp"``.
        is_directed: Whether edges lead from their first node to their second alone.

    Example:
        >>> from gradatim.models import GCN
        >>> model = LinkPredictor(GCN(5, 8, 8), 8)
        >>> model(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]]), torch.tensor([[0, 2, 3], [2, 1, 1]])).shape
        torch.Size([3])

    Reference:
        Kipf and Welling, Variational Graph Auto-Encoders, 2016, whose decoder is the product, without :math:`b`.
    """

    def __init__(
        self, encoder: nn.Module, hidden_dim: int, *, decoder: str = "product", is_directed: bool = False
    ) -> None:  # fmt: skip
        super().__init__()
        require_whole("LinkPredictor", hidden_dim=hidden_dim)
        choose("LinkPredictor", "decoder", decoder, DECODERS)
        self.encoder, self.hidden_dim, self.decoder, self.is_directed = encoder, hidden_dim, decoder, is_directed  # fmt: skip
        self.source, self.target = (
            nn.Linear(hidden_dim, hidden_dim, bias=False) if is_directed else None for _ in range(2)
        )
        self.readout: nn.Module | None = None
        if decoder == "mlp":
            self.readout = nn.Sequential(nn.Linear(hidden_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, 1))  # fmt: skip
        else:
            self.bias = nn.Parameter(torch.zeros(()))

    @takes_arrays
    def forward(
        self, x: Tensor, edge_index: Tensor, pairs: Tensor, edge_weight: Tensor | None = None
    ) -> Tensor:
        """Log-odds that pairs are joined, shape ``(P,)``.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets of the edges that pass messages, shape ``(2, E)``.
            pairs: Nodes of each pair that is asked for, shape ``(2, P)``.
            edge_weight: Weights of the edges, where the encoder takes them; 1 by default.
        """
        check_edges("LinkPredictor", pairs, x.shape[0])
        given = () if edge_weight is None else (edge_weight,)
        z = self.encoder(x, edge_index, *given)  # (N, hidden_dim)
        u = z if self.source is None else self.source(z)
        v = z if self.target is None else self.target(z)
        product = u[pairs[0]] * v[pairs[1]]  # (P, hidden_dim)
        return product.sum(1) + self.bias if self.readout is None else self.readout(product)[:, 0]
