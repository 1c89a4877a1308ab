"""Pairs that no edge joins: never an edge, never twice, all equally likely."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from gradatim.fitting.links.non_edges import count_pairs, draw_non_edges, pair_keys


def random_edges(rng, count, share, is_directed, sources=None):
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b and (is_directed or a < b)]  # fmt: skip
    if sources is not None:
        pairs = [(a, b) for a, b in pairs if (a in sources) != (b in sources) and (not is_directed or a in sources)]  # fmt: skip
    chosen = rng.permutation(len(pairs))[: int(share * len(pairs))]
    return np.array([pairs[k] for k in chosen], dtype=np.int64).reshape(-1, 2).T


@given(st.integers(0, 1000), st.integers(3, 12), st.floats(0.0, 1.0), st.booleans(), st.booleans())
def test_none_is_an_edge_itself_or_there_twice(seed, count, share, is_directed, is_sided):
    rng = np.random.default_rng(seed)
    sources = np.arange(count // 3 + 1) if is_sided else None
    index = random_edges(rng, count, share, is_directed, sources)
    total = count_pairs(count, sources, is_directed=is_directed)
    wanted = index.shape[1] + 1
    drawn = draw_non_edges(index, count, wanted, rng, is_directed=is_directed, sources=sources)
    found = drawn[:, drawn[0] >= 0]
    assert drawn.shape == (2, wanted)
    assert found.shape[1] == min(wanted, total - index.shape[1])
    assert (found[0] != found[1]).all()
    known = {(a, b) for a, b in index.T.tolist()}
    known |= set() if is_directed else {(b, a) for a, b in known}
    pairs = [(a, b) for a, b in found.T.tolist()]
    assert not known & set(pairs)
    assert len(set(pairs)) == len(pairs)
    if not is_directed:
        assert not {(b, a) for a, b in pairs} & set(pairs)
    if sources is not None:
        assert (np.isin(found, sources).sum(0) == 1).all()


@pytest.mark.parametrize("count", [6, 40])  # all pairs are looked through, or pairs are drawn again
def test_all_are_equally_likely(count):
    index = np.array([[0, 1, 2], [1, 2, 3]])
    seen: dict[tuple[int, int], int] = {}
    for seed in range(600):
        for pair in draw_non_edges(index, count, 3, np.random.default_rng(seed)).T.tolist():
            seen[tuple(pair)] = seen.get(tuple(pair), 0) + 1
    total = count * (count - 1) // 2 - 3
    assert len(seen) <= total
    counts = np.zeros(total)
    counts[: len(seen)] = list(seen.values())
    assert chisquare(counts).pvalue > 1e-3


def test_nodes_are_there_before_they_are_drawn():
    born, moments = np.arange(50), np.arange(50)
    index = np.array([[0, 1], [1, 2]])
    drawn = draw_non_edges(index, 50, 50, np.random.default_rng(0), born=born, moments=moments)
    is_found = drawn[0] >= 0
    assert is_found[4:].all()
    assert not is_found[:2].any()  # node 0 alone, and an edge
    assert (drawn[:, is_found].max(0) <= moments[is_found]).all()


def test_a_pair_has_one_number_in_both_directions():
    pairs = np.array([[3, 1, 2], [1, 3, 4]])
    assert pair_keys(pairs, 5).tolist() == [8, 8, 14]
    assert pair_keys(pairs, 5, is_directed=True).tolist() == [16, 8, 14]
