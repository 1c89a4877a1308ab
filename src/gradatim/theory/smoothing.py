"""How alike the nodes of a graph have become, and how much one hears of another."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import require
from gradatim.nn import evaluation_mode


@takes_arrays
def dirichlet_energy(x: Tensor, edge_index: Tensor) -> Tensor:
    r"""How much features differ along the edges, :math:`\sum_{\{i,j\}\in E}\lVert x_i - x_j\rVert^2 = \operatorname{tr}(X^\top LX)`.

    Args:
        x: Features, shape ``(N, F)``.
        edge_index: Sources and targets, shape ``(2, E)``; an edge that is listed both ways counts once.

    Example:
        >>> dirichlet_energy(torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
        tensor(5.)
    """
    check_edges("dirichlet_energy", edge_index, x.shape[0])
    pairs = torch.unique(torch.sort(edge_index, dim=0).values, dim=1)
    return (x[pairs[0]] - x[pairs[1]]).square().sum()


@takes_arrays
def node_influence(model: nn.Module, x: Tensor, edge_index: Tensor, source: int, target: int) -> float:  # fmt: skip
    r"""How much the output of one node depends on the features of another: :math:`\lVert\partial y_t/\partial x_s\rVert_F`.

    It is 0 where the nodes lie further apart than the network has layers, and falls with every bottleneck between them.

    Args:
        model: A network on graphs, called ``model(x, edge_index)``; it is looked at in evaluation mode.
        x: Features, shape ``(N, F)``.
        edge_index: Sources and targets, shape ``(2, E)``.
        source: Node :math:`s` whose features are moved.
        target: Node :math:`t` whose output is watched.

    Example:
        >>> from gradatim.models import SGC
        >>> node_influence(SGC(2, 1), torch.zeros(3, 2), torch.tensor([[0, 1], [1, 0]]), source=2, target=0)
        0.0

    Reference:
        Topping et al., Understanding Over-Squashing and Bottlenecks on Graphs via Curvature, 2022.
    """
    for name, node in (("source", source), ("target", target)):
        require(0 <= node < len(x), f"node_influence: {name} must be a node from 0 to {len(x) - 1}", node)  # fmt: skip

    def answer(own: Tensor) -> Tensor:
        moved = torch.where(torch.arange(len(x), device=x.device)[:, None] == source, own, x)
        out: Tensor = model(moved, edge_index)[target]
        return out

    with evaluation_mode(model):
        return float(torch.func.jacrev(answer)(x[source]).detach().norm())
