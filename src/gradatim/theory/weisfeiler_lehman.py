r"""The Weisfeiler-Lehman test: colours of nodes, refined by the colours around them.

.. math:: c_i^{(t+1)} = \operatorname{name}\bigl(c_i^{(t)}, \{\!\{c_j^{(t)} : j \to i\}\!\}\bigr)

Two graphs whose colours are not equally many are different. Equal counts prove nothing: the test never shows that two graphs are
the same, and no network that passes messages tells apart what it does not.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import require

GraphLike = (
    tuple[Tensor, int] | tuple[Tensor, int, Tensor | None]
)  # edges, number of nodes, and labels


@takes_arrays
def wl_colours(
    edge_index: Tensor, num_nodes: int, *, labels: Tensor | None = None, rounds: int | None = None
) -> Tensor:
    """Refine the colours of nodes by those of their neighbours.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.
        num_nodes: Number of nodes.
        labels: First colours: whole numbers ``(N,)``, or rows ``(N, F)`` of which equal ones are one colour; all alike by default.
        rounds: How often; until no colour splits by default.

    Returns:
        Colours after every round, the first among them, shape ``(rounds + 1, N)``, numbered from 0.

    Example:
        >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> wl_colours(path, 3)
        tensor([[0, 0, 0],
                [0, 1, 0]])

    Reference:
        Weisfeiler and Lehman, A Reduction of a Graph to a Canonical Form, 1968.
    """
    check_edges("wl_colours", edge_index, num_nodes)
    require(rounds is None or rounds >= 0, "wl_colours: rounds must be at least 0", rounds)
    source, target = edge_index.long()
    found = [first_colours(num_nodes, labels)]
    while rounds is None or len(found) <= rounds:
        moved = _refine(found[-1], source, target)
        if rounds is None and moved.unique().numel() == found[-1].unique().numel():
            break
        found.append(moved)
    return torch.stack(found)


def first_colours(num_nodes: int, labels: Tensor | None) -> Tensor:
    """Colours before any round: one for each different label."""
    if labels is None or not num_nodes:
        return torch.zeros(num_nodes, dtype=torch.long)
    require(len(labels) == num_nodes, f"wl_colours: labels must be one for each of {num_nodes} nodes", len(labels))  # fmt: skip
    return _numbered(labels.view(num_nodes, -1))


def _refine(colours: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """One round. A multiset is named by two sums of scrambled colours: equal ones never differ, others nearly always."""
    around = torch.stack([_scrambled(colours + 1, salt) for salt in (1, 2)], 1)  # (N, 2)
    sums = torch.zeros_like(around).index_add(0, target, around[source])
    return _numbered(torch.cat([colours[:, None], sums], 1))


def _numbered(rows: Tensor) -> Tensor:
    """Number different rows in the order in which they first stand."""
    unique, place = torch.unique(rows, dim=0, return_inverse=True)
    every = torch.arange(len(rows))
    first = every.new_full((len(unique),), len(rows)).scatter_reduce(0, place, every, "amin")
    return first.argsort().argsort()[place]


def _scrambled(x: Tensor, salt: int) -> Tensor:
    """Whole numbers of 64 bits that look random (SplitMix64)."""
    x = x * -7046029254386353131 + salt * 1442695040888963407
    for shift, factor in ((30, -4658895280553007687), (27, -7723592293110705685)):
        x = (x ^ ((x >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return x ^ ((x >> 31) & ((1 << 33) - 1))


def wl_counts(graphs: Sequence[GraphLike], rounds: int) -> list[Tensor]:
    """How many nodes of each graph have each colour, one matrix ``(graphs, colours)`` for every round from 0 on.

    Args:
        graphs: Edges and number of nodes of each, and first colours as in :func:`wl_colours`.
        rounds: Rounds after the first colours.
    """
    sizes = [int(graph[1]) for graph in graphs]
    starts = torch.tensor([0, *sizes]).cumsum(0)
    edges = torch.cat([graph[0].long() + start for graph, start in zip(graphs, starts[:-1], strict=True)], 1)  # fmt: skip
    given = [graph[2] if len(graph) > 2 else None for graph in graphs]
    labels = None
    if any(own is not None for own in given):
        require(all(own is not None for own in given), "wl_kernel: labels must be given for all graphs or for none", "some")  # fmt: skip
        labels = torch.cat([own.view(size, -1) for own, size in zip(given, sizes, strict=True) if own is not None])  # fmt: skip
    batch = torch.repeat_interleave(torch.tensor(sizes))
    counts = []
    for colours in wl_colours(edges, sum(sizes), labels=labels, rounds=rounds):
        num_colours = int(colours.max()) + 1 if colours.numel() else 0
        places = batch * num_colours + colours
        counts.append(torch.bincount(places, minlength=len(graphs) * num_colours).view(len(graphs), num_colours))  # fmt: skip
    return counts


def wl_test(first: GraphLike, second: GraphLike) -> bool:
    """Whether the test tells two graphs apart; ``False`` means that it cannot, not that they are the same.

    Args:
        first: Edges and number of nodes, and first colours if there are any.
        second: The same of the other.

    Example:
        >>> hexagon = torch.tensor([[0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 0, 1, 2, 3, 4, 5]])
        >>> triangles = torch.tensor([[0, 1, 2, 3, 4, 5, 1, 2, 0, 4, 5, 3], [1, 2, 0, 4, 5, 3, 0, 1, 2, 3, 4, 5]])
        >>> wl_test((hexagon, 6), (triangles, 6))  # different, and nobody notices
        False
    """
    rounds = max(int(first[1]), int(second[1]))  # no graph splits its colours more often
    return any(not torch.equal(counts[0], counts[1]) for counts in wl_counts([first, second], rounds))  # fmt: skip


def wl_kernel(graphs: Sequence[GraphLike], *, rounds: int = 3) -> Tensor:
    r"""How alike graphs are: the dot product of their counts of colours, over rounds 0 to :math:`h`.

    .. math:: k(G, G') = \sum_{t=0}^{h}\sum_c n_c^{(t)}(G)\,n_c^{(t)}(G')

    Args:
        graphs: Edges and number of nodes of each, and first colours as in :func:`wl_colours`.
        rounds: :math:`h`.

    Returns:
        Shape ``(graphs, graphs)``, positive semidefinite.

    Example:
        >>> edge = (torch.tensor([[0, 1], [1, 0]]), 2)
        >>> wl_kernel([edge, (torch.zeros(2, 0, dtype=torch.long), 2)], rounds=1)
        tensor([[8., 4.],
                [4., 8.]])

    Reference:
        Shervashidze et al., Weisfeiler-Lehman Graph Kernels, 2011.
    """
    return (
        torch.stack([n.double() @ n.double().T for n in wl_counts(graphs, rounds)]).sum(0).float()
    )
