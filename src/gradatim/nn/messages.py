r"""What nodes of a graph tell their neighbours.

.. math:: x_i' = \phi\Bigl(x_i, \bigoplus_{j \to i} \psi(x_i, x_j, e_{ji})\Bigr)

with a sum, a mean or a maximum :math:`\bigoplus` over the edges that lead to :math:`i`. Whatever :math:`\phi` and
:math:`\psi` are, renaming the nodes renames the result and changes nothing else: :math:`f(PX, PAP^\top) = P f(X, A)`.
"""

from collections.abc import Callable

from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import choose

AGGREGATES = ("sum", "mean", "max")
Message = Callable[[Tensor, Tensor, Tensor | None], Tensor]
Update = Callable[[Tensor, Tensor], Tensor]


@takes_arrays
def message_passing(
    x: Tensor,
    edge_index: Tensor,
    *,
    message: Message | None = None,
    aggregate: str = "sum",
    update: Update | None = None,
    edge_attr: Tensor | None = None,
) -> Tensor:
    r"""Let every node gather what its neighbours send.

    Args:
        x: Features of the nodes, shape ``(N, F)``.
        edge_index: Sources :math:`j` and targets :math:`i`, shape ``(2, E)``.
        message: :math:`\psi(x_i, x_j, e)`, each of one row per edge; :math:`x_j` by default.
        aggregate: ``"sum"``, ``"mean"`` or ``"max"``; a node to which no edge leads gets 0.
        update: :math:`\phi(x, m)`; what was gathered by default.
        edge_attr: Features :math:`e` of the edges, shape ``(E, ...)``.

    Returns:
        One row per node.

    Example:
        >>> import torch
        >>> star = torch.tensor([[1, 2, 3], [0, 0, 0]])
        >>> message_passing(torch.tensor([[0.0], [1.0], [2.0], [6.0]]), star, aggregate="mean").flatten()
        tensor([3., 0., 0., 0.])

    Reference:
        Gilmer et al., Neural Message Passing for Quantum Chemistry, 2017.
    """
    check_edges("message_passing", edge_index, x.shape[0])
    source, target = edge_index.long()
    sent = x[source] if message is None else message(x[target], x[source], edge_attr)  # (E, M)
    gathered = gather_messages(sent, target, x.shape[0], aggregate)
    return gathered if update is None else update(x, gathered)


def gather_messages(sent: Tensor, target: Tensor, num_nodes: int, aggregate: str = "sum") -> Tensor:
    """Aggregate one row per edge to one row per node.

    Args:
        sent: Messages, shape ``(E, ...)``.
        target: Node that each is sent to.
        num_nodes: Number of nodes.
        aggregate: ``"sum"``, ``"mean"`` or ``"max"``; 0 where nothing is sent.

    Example:
        >>> import torch
        >>> gather_messages(torch.tensor([[1.0], [5.0]]), torch.tensor([1, 1]), 3, "max").flatten()
        tensor([0., 5., 0.])
    """
    choose("message_passing", "aggregate", aggregate, AGGREGATES)
    empty = sent.new_zeros(num_nodes, *sent.shape[1:])
    if aggregate == "max":
        places = target.view(-1, *[1] * (sent.ndim - 1)).expand_as(sent)
        return empty.scatter_reduce(0, places, sent, "amax", include_self=False)
    total = empty.index_add(0, target, sent)
    if aggregate == "sum":
        return total
    count = sent.new_zeros(num_nodes).index_add(0, target, sent.new_ones(len(target)))
    return total / count.clamp(min=1.0).view(-1, *[1] * (sent.ndim - 1))
