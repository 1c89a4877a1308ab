"""Figures of neurons show what they were given."""

import numpy as np
import torch
from matplotlib.colors import to_hex

from gradatim.neurons import binary_inputs, boolean_network
from gradatim.plots.neurons import BLUE, ORANGE, decision_regions, threshold_network

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


def test_regions_cross_out_wrong_answers():
    panels = {"right": lambda p: p.sum(axis=1) - 1.5, "always": lambda p: np.ones(len(p))}
    right, always = decision_regions(panels, CORNERS, [0, 0, 0, 1]).axes
    assert len(right.lines[0].get_xdata()) == 0
    assert always.lines[0].get_xydata().tolist() == [[0, 0], [0, 1], [1, 0]]
