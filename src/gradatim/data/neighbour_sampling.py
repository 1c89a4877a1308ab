"""A part of a large graph that suffices for some of its nodes, or nearly."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.data.sparse_rows import spans
from gradatim.errors import InvalidValue, require
from gradatim.made_once import made_once


class Sample(NamedTuple):
    """Nodes around seeds, with edges between them.

    Attributes:
        nodes: Their numbers in the whole graph, the seeds first.
        edge_index: Edges that were drawn, by places in ``nodes``, shape ``(2, E)``.
        num_seeds: Number of seeds.
    """

    nodes: Tensor
    edge_index: Tensor
    num_seeds: int


@takes_arrays
def sample_neighbours(
    edge_index: Tensor,
    seeds: Tensor,
    fanouts: Sequence[int],
    *,
    num_nodes: int,
    generator: torch.Generator | None = None,
) -> Sample:
    """Draw neighbours of seeds, then neighbours of these, one round for each layer of a network.

    Every node that is met keeps at most so many of the edges that lead to it, drawn without replacement, each equally often.
    A network of as many layers as rounds sees at the seeds what it would see in the whole graph, if no edge was left out. The
    order of the edges by target is found once for the same ``edge_index``.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.
        seeds: Nodes whose answers are wanted, each once.
        fanouts: Most edges per node in each round, the seeds' first; −1 takes all.
        num_nodes: Number of nodes of the graph.
        generator: Source of the draws.

    Example:
        >>> sample_neighbours([[1, 2, 3], [0, 0, 1]], [0], [-1, -1], num_nodes=4)
        Sample(nodes=tensor([0, 1, 2, 3]), edge_index=tensor([[1, 2, 3],
                [0, 0, 1]]), num_seeds=1)

    Reference:
        Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs, 2017.
    """
    starts, sources = made_once(edge_index, ("by target", num_nodes), lambda: _by_target(edge_index, num_nodes))  # fmt: skip
    seeds = seeds.long().reshape(-1)
    _check(seeds, fanouts, num_nodes)
    place = torch.full((num_nodes,), -1, device=seeds.device)
    place[seeds] = torch.arange(len(seeds), device=seeds.device)
    require(bool((place[seeds] == torch.arange(len(seeds), device=seeds.device)).all()), "sample_neighbours: seeds must be named once", f"{len(seeds)} with repeats")  # fmt: skip
    nodes, edges, frontier = [seeds], [], seeds
    for fanout in fanouts:
        taken, target = _draw(starts, frontier, fanout, generator)
        source = sources[taken]
        new = torch.unique(source[place[source] < 0])
        place[new] = torch.arange(len(new), device=new.device) + sum(map(len, nodes))
        edges.append(torch.stack([place[source], place[target]]))
        nodes.append(new)
        frontier = new
    every = torch.cat(edges, 1) if edges else seeds.new_zeros(2, 0)
    return Sample(torch.cat(nodes), every, len(seeds))


def _by_target(edge_index: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
    """Where the edges to each node begin, and their sources."""
    check_edges("sample_neighbours", edge_index, num_nodes)
    source, target = edge_index.long()
    counts = torch.bincount(target, minlength=num_nodes)
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return starts, source[torch.argsort(target, stable=True)]


def _draw(starts: Tensor, frontier: Tensor, fanout: int, generator: torch.Generator | None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Places of at most ``fanout`` edges to each node of the frontier, and the node."""
    counts = starts[frontier + 1] - starts[frontier]
    edges, owner = spans(starts[frontier], counts), torch.repeat_interleave(counts)
    if fanout >= 0 and len(edges) and int(counts.max()) > fanout:
        # a random order within each node: its place plus a fraction, sorted
        chance = torch.rand(
            len(edges), dtype=torch.float64, generator=generator, device=edges.device
        )
        order = torch.argsort(owner + chance)
        rank = torch.arange(len(edges), device=edges.device) - (counts.cumsum(0) - counts)[owner]
        kept = torch.sort(order[rank < fanout]).values
        edges, owner = edges[kept], owner[kept]
    return edges, frontier[owner]


def _check(seeds: Tensor, fanouts: Sequence[int], num_nodes: int) -> None:
    bad = [fanout for fanout in fanouts if not isinstance(fanout, int) or fanout < -1]
    if bad:
        raise InvalidValue(f"sample_neighbours: fanouts must be whole numbers from 0, or -1 for all, got {bad[0]!r}.")  # fmt: skip
    if len(seeds) and not (int(seeds.min()) >= 0 and int(seeds.max()) < num_nodes):
        raise InvalidValue(
            f"sample_neighbours: seeds must name nodes from 0 to {num_nodes - 1}, got {int(seeds.min())} to {int(seeds.max())}."
        )
