"""Many graphs as one: their nodes behind each other, no edge between them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.data.graph import Graph
from gradatim.data.sparse_rows import join_rows, spans, take_rows
from gradatim.errors import InvalidType, InvalidValue, require


class GraphBatch(NamedTuple):
    """Graphs that are computed together.

    Attributes:
        x: Features of all nodes, shape ``(N, F)``.
        edge_index: Edges between them, shape ``(2, E)``.
        edge_weight: One number per edge, or ``None``.
        edge_attr: Features of the edges, or ``None``.
        y: Targets: a row per graph, or a row per node where graphs have such; or ``None``.
        batch: Graph of each node, shape ``(N,)``.
        num_graphs: Number of graphs.
    """

    x: Tensor
    edge_index: Tensor
    edge_weight: Tensor | None
    edge_attr: Tensor | None
    y: Tensor | None
    batch: Tensor
    num_graphs: int

    @property
    def rows(self) -> int:
        """Number of graphs, by which figures of a training run are weighted."""
        return self.num_graphs


class GraphSet:
    """Many graphs in few tensors, of which any batch is cut by index arithmetic.

    Args:
        graphs: Graphs that agree in the width of their features and in what they have: weights, features of edges, targets.

    Example:
        >>> graphs = GraphSet([Graph([[1.0]], []), Graph([[2.0], [3.0]], [[0, 1], [1, 0]])])
        >>> batch = graphs[[1, 0]]
        >>> batch.x.flatten(), batch.edge_index, batch.batch
        (tensor([2., 3., 1.]), tensor([[0, 1],
                [1, 0]]), tensor([0, 0, 1]))
    """

    def __init__(self, graphs: Sequence[Graph]) -> None:
        graphs = list(graphs)
        require(graphs, "GraphSet: graphs must be at least one", "none")
        for graph in graphs:
            if not isinstance(graph, Graph):
                raise InvalidType(f"GraphSet: graphs must be of Graph, got {type(graph).__name__}.")
        widths = sorted({graph.x.shape[1] for graph in graphs})
        require(len(widths) == 1, "GraphSet: graphs must agree in the width of x", widths)
        self._x = join_rows([graph.x for graph in graphs])
        self._edges = torch.cat([graph.edge_index.long() for graph in graphs], 1)
        self._weight = _join("edge_weight", graphs)
        self._attr = _join("edge_attr", graphs)
        self._nodes = _spans_of([graph.num_nodes for graph in graphs])
        self._links = _spans_of([graph.num_edges for graph in graphs])
        y = [graph.y for graph in graphs]
        self._has_node_targets = all(_is_of_nodes(graph) for graph in graphs) and any(graph.num_nodes != 1 for graph in graphs)  # fmt: skip
        if self._has_node_targets or all(part is None for part in y):
            self._y = _join("y", graphs)
        else:
            rows = [None if part is None else part.reshape(1, *part.shape[1:] if part.ndim and len(part) == 1 else part.shape) for part in y]  # fmt: skip
            self._y = _cat("y", rows)

    @classmethod
    def from_batch(cls, batch: GraphBatch) -> "GraphSet":
        """Take apart what stands together: the opposite of ``graphs[:]``.

        Args:
            batch: Graphs whose nodes and edges are listed graph by graph. ``y`` has a row per graph, or else one per node.

        Example:
            >>> edges, owner = torch.tensor([[1, 2], [2, 1]]), torch.tensor([0, 1, 1])
            >>> GraphSet.from_batch(GraphBatch(torch.eye(3), edges, None, None, None, owner, 2)).graph(1).edge_index
            tensor([[0, 1],
                    [1, 0]])
        """
        owner, ends = batch.batch, batch.batch[batch.edge_index]  # (N,), (2, E)
        is_ordered = bool((owner.diff() >= 0).all() and (ends[0].diff() >= 0).all())
        require(is_ordered, "GraphSet: batch must list nodes and edges graph by graph", "another order")  # fmt: skip
        require(bool((ends[0] == ends[1]).all()), "GraphSet: batch must join nodes of one graph", "an edge between two")  # fmt: skip
        made = cls.__new__(cls)
        made._nodes = _spans_of(torch.bincount(owner, minlength=batch.num_graphs))
        made._links = _spans_of(torch.bincount(ends[0], minlength=batch.num_graphs))
        made._x, made._edges = batch.x, batch.edge_index - made._nodes.starts[ends[0]]
        made._weight, made._attr, made._y = batch.edge_weight, batch.edge_attr, batch.y
        made._has_node_targets = batch.y is not None and len(batch.y) != batch.num_graphs
        return made

    def __len__(self) -> int:
        return len(self._nodes.counts)

    def __iter__(self) -> Iterator[Graph]:
        return (self.graph(i) for i in range(len(self)))

    @property
    def graphs(self) -> list[Graph]:
        """The graphs one by one."""
        return list(self)

    @property
    def y(self) -> Tensor | None:
        """All targets."""
        return self._y

    @property
    def sizes(self) -> Tensor:
        """Number of nodes of each graph."""
        return self._nodes.counts

    def graph(self, index: int) -> Graph:
        """One graph as it was."""
        cut = self[[index]]
        y = cut.y
        if y is not None and not self._has_node_targets:
            y = y[0]
        return Graph(
            cut.x, cut.edge_index, edge_weight=cut.edge_weight, edge_attr=cut.edge_attr, y=y
        )

    def __getitem__(self, rows: slice | Sequence[int] | Tensor) -> GraphBatch:
        chosen = self._rows(rows)
        sizes, links = _take(self._nodes.counts, chosen), _take(self._links.counts, chosen)
        nodes = spans(_take(self._nodes.starts, chosen), sizes)
        edges = spans(_take(self._links.starts, chosen), links)
        shift = torch.repeat_interleave(sizes.cumsum(0) - sizes, links)
        return GraphBatch(
            take_rows(self._x, nodes),
            self._edges.index_select(1, edges).add_(shift),
            None if self._weight is None else _take(self._weight, edges),
            None if self._attr is None else _take(self._attr, edges),
            None
            if self._y is None
            else _take(self._y, nodes if self._has_node_targets else chosen),
            torch.repeat_interleave(sizes),
            len(chosen),
        )

    def _rows(self, rows: slice | Sequence[int] | Tensor) -> Tensor:
        every = torch.arange(len(self), device=self._edges.device)
        if not isinstance(rows, slice | Tensor) and not len(rows):
            return every[:0]
        try:
            return every[rows if isinstance(rows, slice) else torch.as_tensor(rows, device=every.device)].reshape(-1)  # fmt: skip
        except (IndexError, TypeError, ValueError, RuntimeError):
            raise InvalidValue(f"GraphSet: rows must be places from 0 to {len(self) - 1}, got {rows!r}.") from None  # fmt: skip

    def __repr__(self) -> str:
        return f"GraphSet({len(self)} graphs, {len(self._x)} nodes, {self._edges.shape[1]} edges)"


def batch_graphs(graphs: Sequence[Graph]) -> GraphBatch:
    """Put graphs together as one without edges between them.

    Args:
        graphs: Graphs of one width of features.

    Example:
        >>> pair = Graph([[1.0], [2.0]], [[0], [1]])
        >>> batch_graphs([pair, pair]).edge_index
        tensor([[0, 2],
                [1, 3]])
    """
    return GraphSet(graphs)[:]


class _Spans(NamedTuple):
    starts: Tensor
    counts: Tensor


def _spans_of(counts: Sequence[int] | Tensor) -> _Spans:
    number = torch.as_tensor(counts, dtype=torch.long)
    return _Spans(number.cumsum(0) - number, number)


def _take(rows: Tensor, places: Tensor) -> Tensor:
    """Some rows; places that are known to be right are looked up without another check."""
    return rows.index_select(0, places)


def _is_of_nodes(graph: Graph) -> bool:
    return graph.y is not None and graph.y.ndim > 0 and len(graph.y) == graph.num_nodes


def _join(name: str, graphs: Sequence[Graph]) -> Tensor | None:
    return _cat(name, [getattr(graph, name) for graph in graphs])


def _cat(name: str, parts: Sequence[Tensor | None]) -> Tensor | None:
    given = [part for part in parts if part is not None]
    if not given:
        return None
    require(len(given) == len(parts), f"GraphSet: {name} must be given for all graphs or none", f"{len(given)} of {len(parts)}")  # fmt: skip
    shapes = sorted({tuple(part.shape[1:]) for part in given})
    require(len(shapes) == 1, f"GraphSet: {name} must have one shape beside its rows", shapes)
    return torch.cat(given)
