"""Figures of neurons show what they were given."""

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from gradatim.linear import cover_count, separate
from gradatim.neurons import Perceptron, binary_inputs, boolean_network, hebbian_learning
from gradatim.plots.neurons import (
    BLUE,
    ORANGE,
    cover_fraction,
    decision_regions,
    hebbian_errors,
    mistakes_against_bound,
    perceptron_path,
    separability_grid,
    threshold_network,
    version_space,
)

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def words(axes):
    return [text.get_text() for text in axes.texts]


def test_network_shows_connections_thresholds_and_firing_units():
    network = boolean_network((binary_inputs(3).sum(dim=1) % 2).int())
    axes = threshold_network(network, (1, 0, 0), inputs=("a", "b", "c"), outputs=("odd",)).axes[0]
    assert words(axes) == ["a", "b", "c", "≥ 1", "≥ 1", "≥ 1", "≥ 3", "≥ 1", "odd"]
    wires = [line for line in axes.lines if len(line.get_xdata()) == 2]
    colours = [line.get_color() for line in wires]
    weights = torch.cat([w.flatten() for w, _ in network.layers])
    assert colours.count(BLUE) == int((weights > 0).sum())
    assert colours.count(ORANGE) == int((weights < 0).sum())
    units = [line for line in axes.lines if len(line.get_xdata()) == 1]
    filled = [to_hex(line.get_markerfacecolor()) != "#ffffff" for line in units]
    assert filled == [True, False, False, False, False, True, False, True]


def test_network_without_input_is_drawn_at_rest_with_default_names():
    axes = threshold_network(boolean_network([0, 1, 1, 0])).axes[0]
    assert words(axes)[:2] == ["x1", "x2"]


def test_grid_marks_the_shared_point_of_xor():
    panels = {
        "XOR": ((0, 1, 1, 0), separate(CORNERS, (0, 1, 1, 0))),
        "OR": ((0, 1, 1, 1), separate(CORNERS, (0, 1, 1, 1))),
        "never": ((0, 0, 0, 0), None),
    }
    figure = separability_grid(panels, columns=2)
    xor, either, never, rest = figure.axes
    assert [panel.get_title() for panel in (xor, either, never)] == list(panels)
    cross = xor.lines[-1]
    assert [float(cross.get_xdata()[0]), float(cross.get_ydata()[0])] == [0.5, 0.5]
    assert not either.lines
    assert not rest.axison
    figure.draw_without_rendering()


def test_regions_cross_out_wrong_answers():
    panels = {"right": lambda p: p.sum(axis=1) - 1.5, "always": lambda p: np.ones(len(p))}
    right, always = decision_regions(panels, CORNERS, [0, 0, 0, 1]).axes
    assert len(right.lines[0].get_xdata()) == 0
    assert always.lines[0].get_xydata().tolist() == [[0, 0], [0, 1], [1, 0]]


def test_path_draws_one_line_for_each_update_and_the_widest():
    y = [0, 0, 0, 1]
    path = Perceptron().fit(CORNERS, y).weights_path_
    axes = perceptron_path(CORNERS, y, path, separate(CORNERS, y)).axes[0]
    drawn = sum(bool(np.any(weights[:2])) for weights in path[1:])
    assert len(axes.lines) == drawn + 1
    for x, height in axes.lines[-1].get_xydata():
        assert x + height == pytest.approx(1.5)  # the widest line of AND


def test_no_dot_can_lie_above_the_diagonal_unnoticed():
    axes = mistakes_against_bound([10, 100], [4, 30]).axes[0]
    assert axes.collections[-1].get_offsets().tolist() == [[10, 4], [100, 30]]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_version_space_draws_a_line_for_each_point():
    X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]], [1, -1, 1]
    few, all_ = version_space(X, y, counts=(1, 3)).axes
    assert (len(few.lines), len(all_.lines)) == (1, 3)
    assert few.get_title() == "1 point"


def test_finished_runs_stay_where_they_ended():
    runs = {"and": hebbian_learning(CORNERS, [-1, -1, -1, 1], eta=1.0)}
    errors = runs["and"].errors
    line = hebbian_errors(runs, epochs=30).axes[0].lines[0]
    assert list(line.get_ydata()) == errors + [0] * (30 - len(errors))


def test_cover_curves_meet_at_one_half():
    axes = cover_fraction([2, 5], {2: [(3, 6), (4, 8)]}).axes[0]
    curve, dots = axes.lines[:2]
    assert dict(zip(curve.get_xdata(), curve.get_ydata(), strict=True))[2.0] == 0.5
    assert list(dots.get_ydata()) == [cover_count(3, 2) / 8, cover_count(4, 2) / 16]
