"""One graph: features of its nodes, and its edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from gradatim.data.edges import check_edges
from gradatim.errors import InvalidValue, require

if TYPE_CHECKING:
    import networkx

_PARTS = ("x", "edge_index", "edge_weight", "edge_attr", "y")


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A graph as tensors, in the convention of PyTorch Geometric.

    Args:
        x: Features of the nodes, shape ``(N, F)``; may be in compressed sparse rows.
        edge_index: Sources in row 0, targets in row 1, shape ``(2, E)``; an undirected edge is listed both ways.
        edge_weight: One number per edge, shape ``(E,)``.
        edge_attr: Features of the edges, shape ``(E, ...)``.
        y: Targets of the nodes, one row for each, or of the whole graph.

    Example:
        >>> Graph([[1.0], [2.0], [3.0]], [[0, 1], [1, 0]])
        Graph(3 nodes, 2 edges, x (3, 1))
    """

    x: Tensor
    edge_index: Tensor
    edge_weight: Tensor | None = field(default=None, kw_only=True)
    edge_attr: Tensor | None = field(default=None, kw_only=True)
    y: Tensor | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in _PARTS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, Tensor):
                object.__setattr__(self, name, _as_tensor(name, value))
        if not self.edge_index.numel() and self.edge_index.ndim < 2:
            object.__setattr__(self, "edge_index", torch.zeros(2, 0, dtype=torch.long))
        shape = tuple(self.x.shape)
        require(self.x.ndim == 2, "Graph: x must have one row of features for each node", f"shape {shape}")  # fmt: skip
        check_edges("Graph", self.edge_index, self.num_nodes, self.edge_weight)
        if self.edge_attr is not None:
            fits = self.edge_attr.ndim and len(self.edge_attr) == self.num_edges
            require(fits, f"Graph: edge_attr must have a row for each of {self.num_edges} edges", f"shape {tuple(self.edge_attr.shape)}")  # fmt: skip

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.x.shape[0]

    @property
    def num_edges(self) -> int:
        """Number of directed edges: an undirected one counts twice."""
        return self.edge_index.shape[1]

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph,
        *,
        features: str | None = None,
        target: str | None = None,
        weight: str = "weight",
    ) -> Graph:
        """Take over a graph of networkx, its nodes in their order.

        Args:
            graph: Directed or undirected.
            features: Attribute of the nodes that holds a number or several; by default a node's only feature is 1.
            target: Attribute of the nodes that holds what is to be predicted: numbers, or texts, which are numbered in
                their order.
            weight: Attribute of the edges that weighs them; left out where no edge has it.

        Example:
            >>> import networkx
            >>> Graph.from_networkx(networkx.path_graph(3)).edge_index
            tensor([[0, 1, 1, 2],
                    [1, 0, 2, 1]])
        """
        nodes = list(graph.nodes)
        place = {node: i for i, node in enumerate(nodes)}
        directed = graph if graph.is_directed() else graph.to_directed()
        found = sorted((place[a], place[b], data.get(weight)) for a, b, data in directed.edges(data=True))  # fmt: skip
        edges = torch.tensor([(a, b) for a, b, _ in found], dtype=torch.long).reshape(-1, 2).T.contiguous()  # fmt: skip
        weighs = any(w is not None for *_, w in found)
        weights = torch.tensor([1.0 if w is None else float(w) for *_, w in found]) if weighs else None  # fmt: skip
        rows = None if features is None else [_attribute(graph, node, features) for node in nodes]
        x = torch.ones(len(nodes), 1) if rows is None else torch.as_tensor(rows, dtype=torch.get_default_dtype())  # fmt: skip
        y = None if target is None else _targets([_attribute(graph, node, target) for node in nodes])  # fmt: skip
        return cls(x[:, None] if x.ndim == 1 else x, edges, edge_weight=weights, y=y)

    @classmethod
    def from_pyg(cls, data: Any) -> Graph:
        """Take over a ``Data`` of PyTorch Geometric, or whatever has its attributes.

        Args:
            data: With ``x`` and ``edge_index``; ``edge_weight``, ``edge_attr`` and ``y`` where it has them. Without ``x``, a
                node's only feature is 1.

        Example:
            >>> from types import SimpleNamespace
            >>> Graph.from_pyg(SimpleNamespace(x=None, edge_index=torch.tensor([[0], [1]]), num_nodes=3))
            Graph(3 nodes, 1 edges, x (3, 1))
        """
        edges = getattr(data, "edge_index", None)
        if not isinstance(edges, Tensor):
            raise InvalidValue(
                f"Graph.from_pyg: data must have an edge_index, got {type(data).__name__}."
            )
        x = getattr(data, "x", None)
        if x is None:
            x = torch.ones(int(data.num_nodes), 1)
        rest = {name: getattr(data, name, None) for name in _PARTS[2:]}
        return cls(x, edges, **rest)

    def to_networkx(self) -> networkx.DiGraph:
        """Give the graph to networkx: features as ``x``, targets as ``y``, weights as ``weight``.

        Example:
            >>> Graph([[1.0], [2.0]], [[0], [1]]).to_networkx().edges
            OutEdgeView([(0, 1)])
        """
        import networkx

        graph = networkx.DiGraph()
        x = self.x.to_dense().tolist()
        of_nodes = self.y is not None and self.y.ndim > 0 and len(self.y) == self.num_nodes
        targets = self.y.tolist() if of_nodes and self.y is not None else None
        for i in range(self.num_nodes):
            graph.add_node(i, x=x[i], **({"y": targets[i]} if targets is not None else {}))
        weights = None if self.edge_weight is None else self.edge_weight.tolist()
        for k, (a, b) in enumerate(self.edge_index.T.tolist()):
            graph.add_edge(a, b, **({} if weights is None else {"weight": weights[k]}))
        return graph

    def __repr__(self) -> str:
        parts = [f"{self.num_nodes} nodes", f"{self.num_edges} edges"]
        shown = {name: getattr(self, name) for name in ("x", "edge_weight", "edge_attr", "y")}
        parts += [f"{name} {tuple(v.shape)}" for name, v in shown.items() if v is not None]
        return f"Graph({', '.join(parts)})"


def _as_tensor(name: str, value: object) -> Tensor:
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InvalidValue(
            f"Graph: {name} must be numbers, got {type(value).__name__}. {error}"
        ) from None


def _attribute(graph: networkx.Graph, node: object, name: str) -> Any:
    known = graph.nodes[node]
    require(name in known, f"Graph.from_networkx: {name!r} must be an attribute of every node", f"node {node!r} with {sorted(map(str, known))}")  # fmt: skip
    return known[name]


def _targets(values: list[Any]) -> Tensor:
    if all(isinstance(value, str) for value in values):
        names = {name: i for i, name in enumerate(sorted(set(values)))}
        return torch.tensor([names[value] for value in values])
    return torch.as_tensor(values)
