"""A stack of graph layers, as all networks on graphs have it."""

from collections.abc import Sequence

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
        layers: From features and edges to features.
        widths: Width of what each layer gives.
        output_dim: Width of the output; the last of ``widths`` where nothing is read out.
        dropout: Probability to drop a feature before each layer.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"`` gives what the last layer gives; ``"concatenate"`` and ``"max"`` read the output from all layers, so
            that near and far neighbours are seen apart.
    """

    def __init__(
        self,
        layers: Sequence[nn.Module],
        widths: Sequence[int],
        output_dim: int,
        *,
        dropout: float,
        residual: bool,
        jumping: str,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        require(0.0 <= dropout < 1.0, f"{owner}: dropout must be from 0 to below 1", dropout)
        choose(owner, "jumping", jumping, JUMPS)
        self.layers = nn.ModuleList(layers)
        self.output_dim, self.dropout, self.residual, self.jumping = output_dim, dropout, residual, jumping  # fmt: skip
        self.readout = None
        if jumping != "last":
            self.readout = nn.Linear(sum(widths) if jumping == "concatenate" else widths[-1], output_dim)  # fmt: skip

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


def stack_widths(
    owner: str, input_dim: int, hidden_dim: int, output_dim: int, num_layers: int, jumping: str
) -> list[int]:
    """Widths from input to output; with jumps every layer is a hidden one.

    Example:
        >>> stack_widths("GCN", 5, 8, 3, 2, "last"), stack_widths("GCN", 5, 8, 3, 2, "max")
        ([5, 8, 3], [5, 8, 8])
    """
    require_whole(owner, input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim, num_layers=num_layers)  # fmt: skip
    return [
        input_dim,
        *[hidden_dim] * (num_layers - 1),
        output_dim if jumping == "last" else hidden_dim,
    ]
