"""Graphs that repeat another one: found by colours, confirmed node by node where that is quick.

Graphs whose colours differ are different. Equal colours prove nothing, so that networkx looks for a renaming of the nodes that makes
one graph the other; where graphs are large, or too many are alike, that is left undone and said.
"""

from typing import NamedTuple

import networkx
import numpy as np

from gradatim.fitting.graphs.counts import colour_rounds, name_graphs
from gradatim.fitting.graphs.encoding import Graphs

ROUNDS = 8
MOST_NODES = 80  # of graphs that are compared node by node
MOST_PAIRS = 2_000  # that are compared
MOST = 0.5  # share of graphs with twins, past which they are no accident


class Twins(NamedTuple):
    """Which graphs repeat each other.

    Args:
        codes: A number for every graph, the same for twins.
        same: Graphs that repeat an earlier one, node for node.
        alike: Graphs that colours do not tell from an earlier one, and that were not compared.
    """

    codes: np.ndarray
    same: int
    alike: int

    @property
    def is_rule(self) -> bool:
        """Whether most graphs have twins, so that these are no accident."""
        return bool((np.bincount(self.codes)[self.codes] > 1).mean() > MOST)

    @property
    def words(self) -> str:
        """What was found, in words."""
        found = ((self.same, "repeats another one", "repeat another one"), (self.alike, "cannot be told from another one", "cannot be told from another one"))  # fmt: skip
        return " and ".join(f"{n:,} {f'graph {one}' if n == 1 else f'graphs {several}'}" for n, one, several in found if n)  # fmt: skip


def find_twins(graphs: Graphs) -> Twins | None:
    """Find graphs that repeat each other, labels and measures of their nodes included.

    Args:
        graphs: All graphs.

    Returns:
        ``None`` where none does.
    """
    names = name_graphs(_with_measures(graphs), ROUNDS)
    _, codes, counts = np.unique(names, return_inverse=True, return_counts=True)
    codes = codes.astype(np.int64)
    if counts.max() < 2:
        return None
    colours, starts = colour_rounds(_with_measures(graphs), ROUNDS)[-1], np.cumsum(graphs.sizes) - graphs.sizes  # fmt: skip
    edges_at = np.concatenate([[0], np.cumsum(graphs.num_edges)])
    same = alike = pairs = 0
    fresh = len(counts)
    for code in np.flatnonzero(counts > 1):
        rows = np.flatnonzero(codes == code)
        if graphs.sizes[rows[0]] > MOST_NODES or pairs + len(rows) > MOST_PAIRS:
            alike += len(rows) - 1
            continue
        kinds: list[tuple[networkx.Graph, int]] = []
        for row in rows.tolist():
            own = _to_networkx(graphs, row, colours, starts, edges_at)
            pairs += max(len(kinds), 1)
            twin = next((k for other, k in kinds if _is_same(own, other)), None)
            same += twin is not None
            if twin is None:
                twin = int(code) if not kinds else fresh
                fresh += bool(kinds)
                kinds.append((own, twin))
            codes[row] = twin
    codes = np.unique(codes, return_inverse=True)[1]
    return Twins(codes, same, alike) if same or alike else None


def _with_measures(graphs: Graphs) -> Graphs:
    """Graphs whose first colours tell every different row of numbers apart."""
    rows = np.unique(graphs.x, axis=0, return_inverse=True)[1] if graphs.x.size else np.zeros(len(graphs.x), np.int64)  # fmt: skip
    return Graphs(graphs.x, graphs.colours ^ rows.ravel().astype(np.uint64), graphs.edges, graphs.edge_colours, graphs.sizes)  # fmt: skip


def _is_same(first: networkx.Graph, second: networkx.Graph) -> bool:
    match = networkx.algorithms.isomorphism
    return bool(
        networkx.is_isomorphic(
            first, second, node_match=match.categorical_node_match("colour", 0), edge_match=match.categorical_edge_match("colour", 0)
        )
    )  # fmt: skip


def _to_networkx(graphs: Graphs, row: int, colours: np.ndarray, starts: np.ndarray, edges_at: np.ndarray) -> networkx.Graph:  # fmt: skip
    graph = networkx.Graph()
    start, size = int(starts[row]), int(graphs.sizes[row])
    graph.add_nodes_from((k, {"colour": c}) for k, c in enumerate(colours[start : start + size].tolist()))  # fmt: skip
    part = slice(int(edges_at[row]), int(edges_at[row + 1]))
    ends, own = (graphs.edges[:, part] - start).T.tolist(), graphs.edge_colours[part].tolist()
    graph.add_edges_from((a, b, {"colour": c}) for (a, b), c in zip(ends, own, strict=True))
    return graph
