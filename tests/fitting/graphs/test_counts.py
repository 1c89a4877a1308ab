"""Counts of graphs: against networkx and the kernel of Weisfeiler and Lehman, under any renaming of the nodes."""

import networkx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.fitting.graphs.counts import (
    DEGREES,
    bag_of_counts,
    learn_colours,
    name_graphs,
)
from gradatim.fitting.graphs.encoding import Column, encoder_from, learn_encoder
from gradatim.fitting.graphs.raw import RawGraphs, make_raw, stretch_rows
from gradatim.fitting.graphs.twins import find_twins
from gradatim.theory import wl_kernel


def made_up(count=12, seed=0, labels=3):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, count)
    owner = np.repeat(np.arange(count), sizes)
    ends = rng.integers(0, len(owner), (2, 12 * len(owner)))
    ends = ends[:, (owner[ends[0]] == owner[ends[1]])]
    x = np.stack([rng.integers(0, labels, len(owner)), rng.normal(size=len(owner))], 1)
    return make_raw("made up", x, ends, np.zeros((ends.shape[1], 0)), sizes, None)


def renamed(raw: RawGraphs, seed: int) -> RawGraphs:
    rng = np.random.default_rng(seed)
    starts = np.cumsum(raw.sizes) - raw.sizes
    new = np.concatenate([rng.permutation(n) + s for n, s in zip(raw.sizes, starts, strict=True)])
    x = np.empty_like(raw.x)
    x[new] = raw.x
    return make_raw("renamed", x, new[raw.edges], raw.e, raw.sizes, None)


def labels_only(raw):
    return make_raw("labels", raw.x[:, :1], raw.edges, raw.e, raw.sizes, None)


def test_the_bag_counts_what_networkx_counts():
    raw = made_up()
    graphs = learn_encoder(raw).encode(raw)
    bag, starts = bag_of_counts(graphs), np.cumsum(raw.sizes) - raw.sizes
    for k, size in enumerate(raw.sizes):
        graph = networkx.Graph()
        graph.add_nodes_from(range(starts[k], starts[k] + size))
        graph.add_edges_from(e for e in raw.edges.T.tolist() if e[0] in graph)
        degrees = [d for _, d in graph.degree]
        assert bag[k, :3] == pytest.approx([size, graph.number_of_edges(), np.mean(degrees)])
        assert bag[k, 3 : 4 + DEGREES].tolist() == [degrees.count(d) for d in range(DEGREES + 1)]
        own = raw.x[stretch_rows(raw.sizes, np.array([k])), 0].tolist()
        assert bag[k, 4 + DEGREES : 7 + DEGREES].tolist() == [own.count(level) for level in (0, 1, 2)]  # fmt: skip


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_dot_products_of_counts_are_the_kernel(rounds):
    raw = labels_only(made_up(seed=2))
    graphs = learn_encoder(raw).encode(raw)
    counts = learn_colours(graphs, rounds, fewest=1).tally(graphs)
    starts = np.cumsum(raw.sizes) - raw.sizes
    owner = raw.owner
    parts = [
        (torch.from_numpy(raw.edges[:, owner[raw.edges[0]] == k] - starts[k]), int(n), torch.from_numpy(raw.x[owner == k]))
        for k, n in enumerate(raw.sizes)
    ]  # fmt: skip
    kernel = wl_kernel(parts, rounds=rounds).double().numpy()
    length = np.sqrt(np.diag(kernel))
    np.testing.assert_allclose(counts @ counts.T, kernel / np.outer(length, length), rtol=1e-6)


@given(st.integers(0, 10**6))
def test_renaming_nodes_changes_no_count(seed):
    raw = made_up(seed=seed % 50)
    encoder = learn_encoder(raw)
    first, second = (encoder.encode(own) for own in (raw, renamed(raw, seed)))
    np.testing.assert_allclose(bag_of_counts(first), bag_of_counts(second), rtol=1e-5, atol=1e-6)
    colours = learn_colours(first, 3)
    np.testing.assert_array_equal(colours.tally(first), colours.tally(second))
    assert name_graphs(first, 3).tolist() == name_graphs(second, 3).tolist()


def test_new_graphs_are_counted_as_those_of_training():
    raw = made_up(seed=4)
    graphs = learn_encoder(raw).encode(raw)
    colours = learn_colours(graphs, 2)
    for k in range(len(raw)):
        alone = graphs.take(np.array([k]))
        np.testing.assert_array_equal(colours.tally(alone)[0], colours.tally(graphs)[k])


def test_twins_are_what_networkx_calls_the_same():
    raw = labels_only(made_up(10, seed=5))
    both = RawGraphs("both", np.concatenate([raw.x, renamed(raw, 1).x]), np.concatenate([raw.edges, renamed(raw, 1).edges + len(raw.x)], 1), np.zeros((2 * raw.edges.shape[1], 0)), np.tile(raw.sizes, 2))  # fmt: skip
    found = find_twins(learn_encoder(both).encode(both))
    assert found is not None
    assert found.codes[:10].tolist() == found.codes[10:].tolist()
    assert found.same >= 10
    assert found.alike == 0


def test_graphs_that_colours_do_not_tell_apart_are_no_twins():
    hexagon = [(k, (k + 1) % 6) for k in range(6)]
    triangles = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    ends = np.array(hexagon + [(a + 6, b + 6) for a, b in triangles]).T
    raw = make_raw("pair", np.zeros((12, 0)), ends, np.zeros((12, 0)), np.array([6, 6]), None)
    graphs = learn_encoder(raw).encode(raw)
    assert len(set(name_graphs(graphs, 8).tolist())) == 1
    assert find_twins(graphs) is None


def test_labels_of_edges_tell_graphs_apart():
    ends, kinds = np.array([[0, 1, 3, 4], [1, 2, 4, 5]]), np.array([[1.0], [1.0], [1.0], [2.0]])
    raw = make_raw("pair", np.zeros((6, 0)), ends, kinds, np.array([3, 3]), None)
    names = name_graphs(learn_encoder(raw).encode(raw), 2)
    assert names[0] != names[1]


def test_columns_become_marks_or_measures():
    raw = make_raw("x", np.array([[0, 0.5], [2, 1.5], [7, np.nan]]), np.zeros((2, 0), int), np.zeros((0, 0)), np.array([3]), None)  # fmt: skip
    encoder = learn_encoder(raw)
    assert encoder.nodes[0].levels == (0.0, 2.0, 7.0)
    assert encoder.nodes[1][1:] == (1.0, 0.5)
    x = encoder.encode(raw).x
    assert x[:, :3].tolist() == np.eye(3).tolist()
    assert x[:, 3].tolist() == [-1.0, 1.0, 0.0]
    assert encoder_from(encoder.to_json()) == encoder
    assert Column((0.0, 2.0)).codes(np.array([2.0, 1.0, np.nan])).tolist() == [2, 0, 0]
