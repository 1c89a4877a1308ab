"""Places for the nodes of a directed acyclic graph, layer by layer."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

SWEEPS = 12


class Layout(NamedTuple):
    """Where to draw nodes and edges; x grows to the right, y counts layers downwards.

    Args:
        nodes: Centre ``(x, y)`` of each node.
        edges: For each edge, the points its line passes, from source to target.
        width: Extent of all boxes in x; the leftmost begins at 0.
        layers: Number of layers.
    """

    nodes: list[tuple[float, float]]
    edges: list[list[tuple[float, float]]]
    width: float
    layers: int


def layered_layout(
    widths: Sequence[float], edges: Sequence[tuple[int, int]], *, gap: float = 0.3
) -> Layout:
    """Place nodes so that every edge points downwards and few edges cross.

    The layers are those of Sugiyama: each node as close above its users as it can be. Long edges get a
    point in every layer they cross; layers are sorted by the mean position of their neighbours, in
    alternating sweeps; then boxes are pulled towards their neighbours without touching.

    Args:
        widths: Width of each node's box.
        edges: Pairs of positions ``(source, target)``; sources come before targets.
        gap: Free space between boxes of a layer.

    Example:
        >>> layered_layout([1.0, 1.0, 1.0], [(0, 2), (1, 2)], gap=1.0).nodes
        [(0.5, 0.0), (2.5, 0.0), (1.5, 1.0)]

    Reference:
        Sugiyama, Tagawa and Toda, Methods for Visual Understanding of Hierarchical System Structures, 1981.
    """
    level = _levels(len(widths), edges)
    sizes, chains = list(widths), []
    for source, target in edges:
        between = list(range(level[source] + 1, level[target]))
        points = list(range(len(sizes), len(sizes) + len(between)))
        sizes += [0.0] * len(between)
        level += between
        chains.append([source, *points, target])
    neighbours: list[list[int]] = [[] for _ in sizes]
    for chain in chains:
        for a, b in pairwise(chain):
            neighbours[a].append(b)
            neighbours[b].append(a)
    layers: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for node, its in enumerate(level):
        layers[its].append(node)
    weights = _weights(len(widths), edges, len(sizes))
    x = _sort_layers(layers, level, neighbours, _Boxes(sizes, weights, gap))
    left = min((x[n] - sizes[n] / 2 for n in range(len(sizes))), default=0.0)
    right = max((x[n] + sizes[n] / 2 for n in range(len(sizes))), default=0.0)
    places = [(place - left, float(its)) for place, its in zip(x, level, strict=True)]
    lines = [[places[point] for point in chain] for chain in chains]
    return Layout(places[: len(widths)], lines, right - left, len(layers))


def _levels(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Layer of each node: as far up from the bottom as its longest way down demands."""
    below = [0] * count
    for source, target in sorted(edges, reverse=True):
        below[source] = max(below[source], below[target] + 1)
    deepest = max(below, default=0)
    return [deepest - way for way in below]


def _weights(count: int, edges: Sequence[tuple[int, int]], total: int) -> list[float]:
    """How firmly a node holds its place: the longer the way from the leaves to it, the firmer.

    So the trunk of a deep network stays straight and its parameters stand aside.
    """
    above = [0] * count
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        above[target] = max(above[target], above[source] + 1)
    return [(1.0 + way) ** 2 for way in above] + [1.0] * (total - count)


class _Boxes(NamedTuple):
    sizes: list[float]
    weights: list[float]
    gap: float


def _sort_layers(
    layers: list[list[int]], level: list[int], neighbours: list[list[int]], boxes: _Boxes
) -> list[float]:
    x = [0.0] * len(boxes.sizes)
    for layer in layers:
        _pack(layer, x, boxes, dict.fromkeys(layer, 0.0))
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            wish = {}
            for node in layer:
                side = [n for n in neighbours[node] if (level[n] < level[node]) == downwards]
                weight = sum(boxes.weights[n] for n in side)
                wish[node] = (
                    sum(boxes.weights[n] * x[n] for n in side) / weight if side else x[node]
                )
            layer.sort(key=wish.__getitem__)
            _pack(layer, x, boxes, wish)
    return x


def _pack(layer: list[int], x: list[float], boxes: _Boxes, wish: dict[int, float]) -> None:
    """Put the boxes of a layer side by side, as near to their wishes as order and gap allow.

    Boxes that would touch form a block, whose place is the weighted mean of its members' wishes.
    """
    blocks: list[tuple[list[int], list[float], float]] = []
    for node in layer:
        members, offsets, centre = [node], [0.0], wish[node]
        while blocks:
            others, places, middle = blocks[-1]
            reach = places[-1] + (boxes.sizes[others[-1]] + boxes.sizes[members[0]]) / 2 + boxes.gap
            if middle + reach <= centre:
                break
            blocks.pop()
            offsets = [*places, *(reach + offset for offset in offsets)]
            members = [*others, *members]
            pull = sum(
                boxes.weights[m] * (wish[m] - offset)
                for m, offset in zip(members, offsets, strict=True)
            )
            centre = pull / sum(boxes.weights[m] for m in members)
        blocks.append((members, offsets, centre))
    for members, offsets, centre in blocks:
        for member, offset in zip(members, offsets, strict=True):
            x[member] = centre + offset
