"""A stack of graph layers, as all networks on graphs have it."""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_whole
from gradatim.nn.gcn_layer import Features, drop_features

JUMPS = ("last", "concatenate", "max")


class GraphStack(nn.Module):
    r"""Layers one after the other, with a ramp and dropout between them.

    .. math:: h_0 = x, \qquad h_\ell = \bigl[h_{\ell-1} +\bigr]\,\phi\bigl(f_\ell(\operatorname{drop}(h_{\ell-1}), A)\bigr)

    Args:
        build: Makes a layer, from features and edges to features, from its widths and whether it is the last.
        input_dim: Width of the node features.
        hidden_dim: Width of hidden layers.
        output_dim: Width of the output.
        num_layers: Layers.
        dropout: Probability to drop a feature before each layer.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"`` gives what the last layer gives; ``"concatenate"`` and ``"max"`` read the output from all layers, so
            that near and far neighbours are seen apart.
    """

    def __init__(
        self,
        build: Callable[[int, int, bool], nn.Module],
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        *,
        num_layers: int,
        dropout: float,
        residual: bool,
        jumping: str,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        require_whole(owner, input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim, num_layers=num_layers)  # fmt: skip
        require(0.0 <= dropout < 1.0, f"{owner}: dropout must be from 0 to below 1", dropout)
        choose(owner, "jumping", jumping, JUMPS)
        self.input_dim, self.hidden_dim, self.output_dim = input_dim, hidden_dim, output_dim
        self.num_layers, self.dropout, self.residual, self.jumping = num_layers, dropout, residual, jumping  # fmt: skip
        reads_last = jumping == "last"
        widths = [input_dim, *[hidden_dim] * (num_layers - 1), output_dim if reads_last else hidden_dim]  # fmt: skip
        self.layers = nn.ModuleList(
            build(a, b, reads_last and k == num_layers - 1) for k, (a, b) in enumerate(pairwise(widths))
        )  # fmt: skip
        self.readout = None
        if not reads_last:
            seen = sum(widths[1:]) if jumping == "concatenate" else hidden_dim
            self.readout = nn.Linear(seen, output_dim)

    @takes_arrays
    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node an output.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
            edge_weight: Weights of the edges, shape ``(E,)``, where the layers take them; 1 by default.
        """
        given = () if edge_weight is None else (edge_weight,)
        h: Features = x
        seen: list[Tensor] = []
        for k, layer in enumerate(self.layers):
            out = layer(drop_features(h, self.dropout, self.training), edge_index, *given)
            if k < len(self.layers) - 1 or self.readout is not None:
                out = torch.relu(out)
            if self.residual and isinstance(h, Tensor) and h.layout == torch.strided and h.shape == out.shape:  # fmt: skip
                out = out + h
            h = out
            seen.append(out)
        if self.readout is None:
            return seen[-1]
        all_seen = torch.cat(seen, 1) if self.jumping == "concatenate" else torch.stack(seen).amax(0)  # fmt: skip
        return self.readout(nn.functional.dropout(all_seen, self.dropout, self.training))
