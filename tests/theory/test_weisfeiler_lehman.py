import networkx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.theory import wl_colours, wl_kernel, wl_test


def both_ways(pairs):
    edges = torch.tensor(pairs, dtype=torch.long).view(-1, 2).T
    return torch.cat([edges, edges.flip(0)], 1)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 8))
    pairs = [(i, j) for i in range(n) for j in range(i) if draw(st.booleans())]
    return n, pairs


def by_hand(n, pairs, rounds):
    """Colours as nested tuples, which need no names."""
    near = [[b if a == i else a for a, b in pairs if i in (a, b)] for i in range(n)]
    colour = [()] * n
    for _ in range(rounds):
        colour = [(colour[i], tuple(sorted(colour[j] for j in near[i]))) for i in range(n)]
    return colour


@given(graphs(), st.integers(0, 4))
def test_colours_split_as_nested_tuples_do(graph, rounds):
    n, pairs = graph
    found = wl_colours(both_ways(pairs), n, rounds=rounds)[-1].tolist()
    expected = by_hand(n, pairs, rounds)
    for i in range(n):
        for j in range(n):
            assert (found[i] == found[j]) == (expected[i] == expected[j])


@given(graphs(), st.randoms(use_true_random=False))
def test_a_renamed_graph_is_never_told_apart(graph, random):
    n, pairs = graph
    names = list(range(n))
    random.shuffle(names)
    renamed = [(names[a], names[b]) for a, b in pairs]
    assert not wl_test((both_ways(pairs), n), (both_ways(renamed), n))


@given(graphs(), graphs())
def test_what_is_told_apart_is_different(first, second):
    if wl_test((both_ways(first[1]), first[0]), (both_ways(second[1]), second[0])):
        A, B = networkx.Graph(first[1]), networkx.Graph(second[1])
        A.add_nodes_from(range(first[0]))
        B.add_nodes_from(range(second[0]))
        assert not networkx.is_isomorphic(A, B)


def test_decalin_and_bicyclopentyl_are_different_and_look_alike():
    ring = [(k, k + 1) for k in range(9)]
    decalin = [*ring, (9, 0), (0, 5)]
    bicyclopentyl = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5), (0, 5)]  # fmt: skip
    assert not networkx.is_isomorphic(networkx.Graph(decalin), networkx.Graph(bicyclopentyl))
    assert not wl_test((both_ways(decalin), 10), (both_ways(bicyclopentyl), 10))


def test_labels_are_first_colours():
    none = torch.zeros(2, 0, dtype=torch.long)
    assert wl_test((none, 2, torch.tensor([0, 1])), (none, 2, torch.tensor([0, 0])))
    rows = torch.tensor([[0.5, 1.0], [0.5, 1.0], [0.0, 1.0]])
    assert wl_colours(none, 3, labels=rows).tolist() == [[0, 0, 1]]


@given(st.lists(graphs(), min_size=1, max_size=5))
def test_the_kernel_counts_pairs_of_equal_colours(batch):
    found = wl_kernel([(both_ways(pairs), n) for n, pairs in batch], rounds=2)
    expected = [
        [
            sum(a == b for t in range(3) for a in by_hand(*g, t) for b in by_hand(*h, t))
            for h in batch
        ]
        for g in batch
    ]
    assert found.tolist() == expected
    assert torch.linalg.eigvalsh(found.double()).min() > -1e-6


def test_mistakes_are_refused():
    none = torch.zeros(2, 0, dtype=torch.long)
    with pytest.raises(InvalidValue, match="rounds must be at least 0, got -1"):
        wl_colours(none, 2, rounds=-1)
    with pytest.raises(InvalidValue, match="labels must be one for each of 2 nodes, got 3"):
        wl_colours(none, 2, labels=torch.zeros(3))
    with pytest.raises(InvalidValue, match="labels must be given for all graphs or for none"):
        wl_kernel([(none, 2, torch.zeros(2)), (none, 2)])
