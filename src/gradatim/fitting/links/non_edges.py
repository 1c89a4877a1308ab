"""Pairs of nodes that no edge joins, drawn at random."""

import numpy as np

ROUNDS = 40  # of drawing again what was joined, or drawn before
DENSE = 4  # all pairs are looked through where there are at most so many for each edge


def pair_keys(pairs: np.ndarray, count: int, *, is_directed: bool = False) -> np.ndarray:
    """A number for every pair, the same for both orders unless pairs have a direction.

    Args:
        pairs: Places of nodes, shape ``(2, P)``.
        count: Number of nodes.
        is_directed: Whether the order counts.

    Example:
        >>> pair_keys(np.array([[0, 2], [2, 0]]), 5).tolist()
        [2, 2]
    """
    a, b = pairs if is_directed else np.sort(pairs, axis=0)
    return a.astype(np.int64) * count + b


def count_pairs(count: int, sources: np.ndarray | None, *, is_directed: bool) -> int:
    """How many pairs of different nodes there are.

    Args:
        count: Number of nodes.
        sources: Nodes of one side, where pairs lead to the other side alone.
        is_directed: Whether the order counts.

    Example:
        >>> count_pairs(4, None, is_directed=False), count_pairs(4, np.array([0]), is_directed=False)
        (6, 3)
    """
    if sources is not None:
        return len(sources) * (count - len(sources))
    return count * (count - 1) // (1 if is_directed else 2)


def draw_non_edges(
    index: np.ndarray,
    count: int,
    wanted: int,
    rng: np.random.Generator,
    *,
    is_directed: bool = False,
    sources: np.ndarray | None = None,
    born: np.ndarray | None = None,
    moments: np.ndarray | None = None,
) -> np.ndarray:
    """Draw pairs of different nodes that no edge joins, each pair once and all equally likely.

    Args:
        index: All edges, shape ``(2, E)``; an edge without direction rules out both orders.
        count: Number of nodes.
        wanted: Pairs to draw.
        rng: Draws them.
        is_directed: Whether the order counts.
        sources: Nodes of one side, where pairs lead to the other side alone.
        born: Since when every node is there; always by default.
        moments: When each of the pairs is drawn: both of its nodes must be there.

    Returns:
        Shape ``(2, wanted)``; -1 where none was found.

    Example:
        >>> sorted(draw_non_edges(np.array([[0, 1, 0], [1, 2, 3]]), 4, 3, np.random.default_rng(0)).T.tolist())
        [[0, 2], [1, 3], [2, 3]]
    """
    total = count_pairs(count, sources, is_directed=is_directed)
    if moments is None and total <= DENSE * (index.shape[1] + wanted):
        found = _all_pairs(count, sources, is_directed)
        left = found[:, ~np.isin(pair_keys(found, count, is_directed=is_directed), pair_keys(index, count, is_directed=is_directed))]  # fmt: skip
        drawn = left[:, rng.permutation(left.shape[1])[:wanted]]
        return np.pad(drawn, ((0, 0), (0, wanted - drawn.shape[1])), constant_values=-1)
    born = np.zeros(count) if born is None else born
    moments = np.zeros(wanted) if moments is None else moments
    pools = _pools(count, sources, born)
    rooms = [np.searchsorted(born[own], moments, side="right") for own in pools]
    return _draw(index, count, pools, rooms, rng, is_directed)


def _all_pairs(count: int, sources: np.ndarray | None, is_directed: bool) -> np.ndarray:
    """All pairs of different nodes."""
    if sources is not None:
        others = np.setdiff1d(np.arange(count), sources)
        pairs = np.stack([a.ravel() for a in np.meshgrid(sources, others, indexing="ij")])
        return pairs if is_directed else np.sort(pairs, axis=0)
    a, b = np.triu_indices(count, 1)
    pairs = np.stack([a, b])
    return np.concatenate([pairs, pairs[::-1]], axis=1) if is_directed else pairs


def _pools(count: int, sources: np.ndarray | None, born: np.ndarray) -> list[np.ndarray]:
    """Nodes from which the first and the second end are drawn, the eldest first."""
    nodes = np.argsort(born, kind="stable")
    if sources is None:
        return [nodes, nodes]
    is_source = np.isin(nodes, sources)
    return [nodes[is_source], nodes[~is_source]]


def _draw(
    index: np.ndarray, count: int, pools: list[np.ndarray], rooms: list[np.ndarray], rng: np.random.Generator, is_directed: bool
) -> np.ndarray:  # fmt: skip
    """Draw pairs, and again those that an edge joins, that were drawn before, or that are one node."""
    taken = pair_keys(index, count, is_directed=is_directed)
    found = np.full((2, len(rooms[0])), -1)
    for _ in range(ROUNDS):
        open_ = np.flatnonzero((found[0] < 0) & (rooms[0] > 0) & (rooms[1] > 0))
        if not len(open_):
            break
        drawn = np.stack([own[rng.integers(0, room[open_])] for own, room in zip(pools, rooms, strict=True)])  # fmt: skip
        drawn = drawn if is_directed else np.sort(drawn, axis=0)
        keys = pair_keys(drawn, count, is_directed=is_directed)
        is_first = np.zeros(len(keys), dtype=bool)
        is_first[np.unique(keys, return_index=True)[1]] = True
        fits = is_first & (drawn[0] != drawn[1]) & ~np.isin(keys, taken)
        found[:, open_[fits]] = drawn[:, fits]
        taken = np.concatenate([taken, keys[fits]])
    return found
