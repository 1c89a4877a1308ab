"""Laws of a layered layout: arrows point down, boxes keep apart, chains run straight."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.backprop.layout import layered_layout


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 14))
    pairs = list(combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=25)) if pairs else []
    return draw(st.lists(st.floats(0.5, 2.0), min_size=count, max_size=count)), edges


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_arrows_point_down_and_boxes_keep_apart(graph):
    widths, edges = graph
    layout = layered_layout(widths, edges, gap=0.25)
    for (source, target), line in zip(edges, layout.edges, strict=True):
        assert line[0] == layout.nodes[source]
        assert line[-1] == layout.nodes[target]
        heights = [y for _, y in line]
        assert heights == list(range(int(heights[0]), int(heights[-1]) + 1))
        assert len(heights) > 1
    for a, b in combinations(range(len(widths)), 2):
        (xa, ya), (xb, yb) = layout.nodes[a], layout.nodes[b]
        if ya == yb:
            assert abs(xa - xb) >= (widths[a] + widths[b]) / 2 + 0.25 - 1e-9
    left = [x - w / 2 for (x, _), w in zip(layout.nodes, widths, strict=True)]
    right = [x + w / 2 for (x, _), w in zip(layout.nodes, widths, strict=True)]
    assert min(left) >= -1e-9
    assert max(right) <= layout.width + 1e-9
    assert 1 + max(y for _, y in layout.nodes) <= layout.layers


def test_a_chain_is_straight():
    layout = layered_layout([1.0, 2.0, 0.5], [(0, 1), (1, 2)])
    assert [x for x, _ in layout.nodes] == pytest.approx([1.0, 1.0, 1.0])
    assert [y for _, y in layout.nodes] == [0, 1, 2]


def test_leaves_stand_right_above_their_users():
    layout = layered_layout([1.0] * 4, [(0, 1), (1, 3), (2, 3)])
    assert [y for _, y in layout.nodes] == [0, 1, 1, 2]


def test_two_crossing_chains_are_untangled():
    edges = [(0, 3), (1, 2), (2, 4), (3, 5), (4, 6), (5, 6)]
    layout = layered_layout([1.0] * 7, edges)
    order = [layout.nodes[a][0] < layout.nodes[b][0] for a, b in [(0, 1), (3, 2), (5, 4)]]
    assert len(set(order)) == 1


def test_empty_graph():
    assert layered_layout([], []).nodes == []
