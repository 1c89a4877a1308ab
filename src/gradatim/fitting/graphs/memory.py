"""Graphs that are in memory already."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data import GraphSet
from gradatim.errors import InvalidValue
from gradatim.fitting.graphs.raw import RawGraphs, make_raw


def are_graphs(data: object) -> bool:
    """Whether data in memory are graphs: objects with ``edge_index`` and ``x`` in a list.

    Args:
        data: Anything.
    """
    if isinstance(data, str | Path) or not isinstance(data, Iterable) or hasattr(data, "columns"):
        return False
    first = next(iter(data), None) if hasattr(data, "__len__") else None
    return hasattr(first, "edge_index") and hasattr(first, "x")


def read_memory(graphs: Any, name: str = "graphs", owner: str = "fit") -> RawGraphs:
    """Read graphs that are in memory, with tensors as :class:`gradatim.data.Graph` has them.

    Args:
        graphs: Graphs in a list, or a :class:`gradatim.data.GraphSet`; ``y`` is their class or value, where they have one.
        name: What to call them.
        owner: Who reads, for messages.
    """
    if isinstance(graphs, GraphSet) and (graphs.y is None or graphs.y.shape == (len(graphs),)):
        return _read_set(graphs, name)
    parts = list(graphs)
    if not parts:
        raise InvalidValue(f"{owner}: data must hold graphs, and are empty.")
    x = [np.asarray(g.x.to_dense() if hasattr(g.x, "to_dense") else g.x, dtype=np.float64) for g in parts]  # fmt: skip
    widths = sorted({own.shape[1] for own in x})
    if len(widths) > 1:
        raise InvalidValue(f"{owner}: x must have as many columns in every graph, got {widths[0]} and {widths[-1]}.")  # fmt: skip
    edges = [np.asarray(g.edge_index, dtype=np.int64) for g in parts]
    sizes = np.array([len(own) for own in x])
    starts = np.cumsum(sizes) - sizes
    columns = [_edge_columns(g, own.shape[1]) for g, own in zip(parts, edges, strict=True)]
    if len({own.shape[1] for own in columns}) > 1:
        raise InvalidValue(f"{owner}: edge_attr must have as many columns in every graph, and has not.")  # fmt: skip
    target = pd.Series([_target(getattr(g, "y", None), k, owner) for k, g in enumerate(parts, 1)])
    joined = np.concatenate([own + start for own, start in zip(edges, starts, strict=True)], axis=1)
    return make_raw(
        name, np.concatenate(x), joined, np.concatenate(columns), sizes, target if target.notna().any() else None
    )  # fmt: skip


def _read_set(graphs: GraphSet, name: str) -> RawGraphs:
    """All graphs at once: 130,000 of them one by one take their time."""
    whole = graphs[:]
    target = None if whole.y is None else pd.Series(whole.y.numpy())
    columns = _edge_columns(whole, whole.edge_index.shape[1])
    return make_raw(name, whole.x.to_dense().double().numpy(), whole.edge_index.numpy(), columns, graphs.sizes.numpy(), target)  # fmt: skip


def _edge_columns(graph: Any, count: int) -> np.ndarray:
    given = getattr(graph, "edge_attr", None)
    return np.zeros((count, 0)) if given is None else np.asarray(given, np.float64).reshape(count, -1)  # fmt: skip


def _target(y: Any, number: int, owner: str) -> Any:
    if y is None or isinstance(y, str):
        return y
    values = np.asarray(y).ravel()
    if len(values) != 1:
        raise InvalidValue(f"{owner}: y of graph {number:,} must be one class or number, got {len(values):,}.")  # fmt: skip
    return values[0].item()
