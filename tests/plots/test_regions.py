"""Figures of linear regions show what they were given."""

import re

import numpy as np
import pytest
import torch
from matplotlib.collections import LineCollection, PolyCollection
from torch import nn

from gradatim.plots.regions import linear_pieces, region_maps
from gradatim.theory import count_regions, sawtooth_network, xor_network

BOX = ((-0.5, 1.5), (-0.5, 1.5))


def test_map_draws_every_cell_and_the_boundary():
    regions = count_regions(xor_network(), BOX)
    points, labels = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 0]
    (axis,) = region_maps({"XOR": regions}, points=points, labels=labels).axes
    cells, boundary = axis.collections
    assert isinstance(cells, PolyCollection)
    assert len(cells.get_paths()) == regions.count == 3
    assert isinstance(boundary, LineCollection)
    np.testing.assert_allclose(np.array(boundary.get_segments()), regions.decision_boundary())
    assert [len(line.get_xdata()) for line in axis.lines] == [2, 1]
    assert axis.get_title() == "XOR"


def test_equal_slopes_have_equal_colours_and_constant_cells_are_grey():
    regions = count_regions(xor_network(), BOX)
    (axis,) = region_maps({"XOR": regions}, level=None).axes
    (cells,) = axis.collections
    colours = cells.get_facecolor()[:, :3]
    constant = (regions.weights[:, 0] == 0).all(axis=1)
    assert np.ptp(colours[constant], axis=1).max() < 0.06
    assert len(np.unique(colours.round(6), axis=0)) == 3


def test_two_outputs_and_several_panels():
    torch.manual_seed(0)
    nets = [nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, k)) for k in (1, 2, 3, 1)]
    panels = {str(i): count_regions(net, BOX) for i, net in enumerate(nets)}
    figure = region_maps(panels)
    figure.draw_without_rendering()
    assert len(figure.axes) == 6
    assert [axis.axison for axis in figure.axes] == [True] * 4 + [False] * 2
    assert len(figure.axes[2].collections) == 1  # three outputs have no one boundary


def test_pieces_pass_through_the_network():
    net = sawtooth_network(3)
    regions = count_regions(net, [(0, 1)])
    axis = linear_pieces({"three": regions}).axes[0]
    line, dots = axis.lines
    x = torch.tensor(np.array(line.get_xdata()), dtype=torch.float32)[:, None]
    np.testing.assert_allclose(line.get_ydata(), net(x).detach().numpy()[:, 0], atol=1e-6)
    np.testing.assert_allclose(dots.get_xdata(), np.arange(1, 8) / 8)
    assert set(np.round(dots.get_ydata(), 9)) == {0.0, 1.0}


def test_refuse_the_other_dimension():
    plane, line = count_regions(nn.Linear(2, 1), BOX), count_regions(nn.Linear(1, 1), [(0, 1)])
    message = "region_maps: panels must be two-dimensional regions by title, got ['line']"
    with pytest.raises(ValueError, match=re.escape(message)):
        region_maps({"plane": plane, "line": line})
    with pytest.raises(ValueError, match="linear_pieces: panels must be one-dimensional regions"):
        linear_pieces({"plane": plane})
    with pytest.raises(ValueError, match="region_maps: panels must be"):
        region_maps({})
