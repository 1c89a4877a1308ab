"""Graphs as dots and lines: what is drawn is what was given."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.graph_panels import count_bars, error_by_size, graph_panels


def test_every_node_and_edge_is_drawn():
    graphs = [(5, [(0, 1), (1, 2), (3, 4)], [0, 1, 0, 2, 9]), (1, [], [0])]
    figure = graph_panels(graphs, ["two parts", "one node"], is_right=[True, False])
    first, second = figure.axes
    lines, dots = first.collections
    assert (len(lines.get_segments()), len(dots.get_offsets())) == (3, 5)
    assert len({tuple(p) for p in np.round(dots.get_offsets(), 6)}) == 5  # none upon another
    assert len(second.collections) == 1
    assert first.title.get_color() != second.title.get_color()
    with pytest.raises(InvalidValue, match="graph_panels: graphs must have a title each, got 0 for 1"):  # fmt: skip
        graph_panels(graphs[:1], [])


def test_bars_count():
    figure = count_bars({"nodes": [3, 3, 4], "edges": np.arange(1000)})
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert [h for h in heights if h] == [2, 1]
    assert sum(bar.get_height() for bar in figure.axes[1].patches) == 1000
    assert len(figure.axes[1].patches) <= 26


def test_errors_by_size():
    figure = error_by_size([3, 3, 9, 9], [0, 1, 0, 0], label="error")
    points = sorted((line.get_xdata()[0], line.get_ydata()[0]) for line in figure.axes[0].lines if line.get_marker() == "o")  # fmt: skip
    assert points == [(3.0, 0.5), (9.0, 0.0)]
    with pytest.raises(InvalidValue, match="error_by_size: sizes and errors must be as many"):
        error_by_size([1, 2], [1], label="x")
