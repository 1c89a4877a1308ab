r"""Numbers of whole graphs that tell nothing of the order of nodes: bags of degrees and labels, and counts of colours.

The colour of a node after round :math:`t` of Weisfeiler and Lehman names its colour before and those around it, with the labels of
the edges between:

.. math:: c_i^{(t+1)} = h\bigl(c_i^{(t)}, \sum_{j \sim i} g(c_j^{(t)}, e_{ij})\bigr)

Colours are hashes of 64 bits: they depend on nothing but the graph, so that new graphs are counted as those of training were. The
dot product of counts over all rounds is the kernel of :func:`gradatim.theory.wl_kernel`.
"""

from typing import NamedTuple

import numpy as np

from gradatim.fitting.graphs.encoding import Graphs, scramble

DEGREES = 12  # told apart; more count as so many
ROUNDS = 4  # of colours, at the most
MOST_COLOURS = 6_000  # of all rounds together, those of most graphs first
SALTS = (np.uint64(0x5851F42D4C957F2D), np.uint64(0x14057B7EF767814F))


def sum_by(owner: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Sums of rows by their owner, shape ``(count, columns)``.

    Args:
        owner: Whose each row is.
        values: Shape ``(N, columns)``.
        count: How many owners there are.

    Example:
        >>> sum_by(np.array([0, 0, 2]), np.array([[1.0], [2.0], [5.0]]), 3).ravel().tolist()
        [3.0, 0.0, 5.0]
    """
    columns = [np.bincount(owner, values[:, k], minlength=count) for k in range(values.shape[1])]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def bag_of_counts(graphs: Graphs) -> np.ndarray:
    """How many nodes, edges, nodes of each degree and label a graph has, and means of what nodes measure.

    Args:
        graphs: Any.

    Returns:
        Shape ``(N, 3 + 13 + 2 F)``.
    """
    count, owner = len(graphs), graphs.owner
    sizes, ties = graphs.sizes.astype(float), graphs.num_edges / 2.0
    degree = np.minimum(graphs.degrees, DEGREES)
    histogram = np.bincount(owner * (DEGREES + 1) + degree, minlength=count * (DEGREES + 1))
    sums = sum_by(owner, graphs.x.astype(np.float64), count)
    shape = np.stack([sizes, ties, 2.0 * ties / np.maximum(sizes, 1.0)], axis=1)
    return np.concatenate([shape, histogram.reshape(count, -1), sums, sums / np.maximum(sizes, 1.0)[:, None]], axis=1)  # fmt: skip


def refine(graphs: Graphs, colours: np.ndarray) -> np.ndarray:
    """Colours after one round more.

    Args:
        graphs: The graphs.
        colours: Colours of their nodes.
    """
    source, target = graphs.edges
    around = np.zeros(len(colours), np.uint64)
    np.add.at(around, target, scramble(colours[source] ^ scramble(graphs.edge_colours + SALTS[0])))
    return scramble(scramble(colours + SALTS[1]) + around)


def colour_rounds(graphs: Graphs, rounds: int) -> list[np.ndarray]:
    """Colours of all nodes before the first round and after each.

    Args:
        graphs: Any.
        rounds: How many.

    Example:
        >>> path = Graphs(np.zeros((3, 1)), np.zeros(3, np.uint64), np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), np.zeros(4, np.uint64), np.array([3]))
        >>> [len(np.unique(c)) for c in colour_rounds(path, 2)]
        [1, 2, 2]
    """
    found = [scramble(graphs.colours)]
    for _ in range(rounds):
        found.append(refine(graphs, found[-1]))
    return found


class Colours(NamedTuple):
    """Colours that are counted.

    Args:
        known: Hashes in order; those of different rounds never meet.
        rounds: Rounds after the first colours.
    """

    known: np.ndarray
    rounds: int

    def tally(self, graphs: Graphs) -> np.ndarray:
        r"""How many nodes of each graph have each known colour, scaled to length 1, shape ``(N, colours)``.

        Args:
            graphs: Any; colours that are not known are not counted.
        """
        counts = np.zeros((len(graphs), len(self.known)))
        owner = graphs.owner
        for colours in _named(graphs, self.rounds):
            place = np.minimum(np.searchsorted(self.known, colours), max(len(self.known) - 1, 0))
            hit = self.known[place] == colours if len(self.known) else np.zeros(len(colours), bool)
            np.add.at(counts, (owner[hit], place[hit]), 1.0)
        return counts / np.maximum(np.sqrt((counts**2).sum(1)), 1.0)[:, None]


def _named(graphs: Graphs, rounds: int) -> list[np.ndarray]:
    """Colours with their round in their name."""
    return [scramble(c ^ scramble(np.full_like(c, k))) for k, c in enumerate(colour_rounds(graphs, rounds))]  # fmt: skip


def learn_colours(graphs: Graphs, rounds: int, *, fewest: int = 2) -> Colours:
    """Colours that several training graphs have; one that a single graph has says nothing of others.

    Args:
        graphs: The training graphs.
        rounds: Rounds after the first colours.
        fewest: Graphs that must have a colour.
    """
    pairs = [np.unique(np.stack([c, graphs.owner.astype(np.uint64)]), axis=1)[0] for c in _named(graphs, rounds)]  # fmt: skip
    known, have = np.unique(np.concatenate(pairs), return_counts=True)
    order = np.argsort(-have, kind="stable")[:MOST_COLOURS]
    return Colours(np.sort(known[order[have[order] >= fewest]]), rounds)


def name_graphs(graphs: Graphs, rounds: int) -> np.ndarray:
    """A number for every graph, the same for graphs that the test of Weisfeiler and Lehman does not tell apart.

    Args:
        graphs: Any.
        rounds: Rounds of the test.
    """
    total = scramble(graphs.sizes.astype(np.uint64))
    for colours in colour_rounds(graphs, rounds):
        own = np.zeros(len(graphs), np.uint64)
        np.add.at(own, graphs.owner, scramble(colours))
        total = scramble(total + own)
    return total
