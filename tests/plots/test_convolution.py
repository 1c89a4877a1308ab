"""Figures of convolution show the numbers they are given."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.plots import feature_map_grid, filter_grid, picture_panels, sensitivity_maps

RNG = np.random.default_rng(0)


def shown(axes):
    return np.asarray(axes.images[0].get_array())


def test_pictures_are_grey_or_signed():
    figure = picture_panels({"grey": [[0.0, 1.0]], "signed": [[-2.0, 1.0]], "zero": [[0.0, 0.0]]})
    grey, signed, zero = figure.axes
    assert grey.images[0].get_cmap().name == "gray"
    assert signed.images[0].get_clim() == (-2.0, 2.0)
    assert zero.images[0].get_clim() == (-1.0, 1.0)
    assert [axes.get_title() for axes in figure.axes] == ["grey", "signed", "zero"]


def test_colour_pictures_and_rows():
    pictures = {str(k): RNG.random((4, 4, 3)) for k in range(5)}
    figure = picture_panels(pictures, columns=3)
    assert len(figure.axes) == 5
    np.testing.assert_allclose(shown(figure.axes[4]), pictures["4"])


def test_filters_share_a_scale():
    weights = torch.randn(6, 1, 5, 5)
    figure = filter_grid(weights, list("abcdef"), columns=4)
    limit = weights.abs().max().item()
    assert {axes.images[0].get_clim() for axes in figure.axes} == {(-limit, limit)}
    np.testing.assert_allclose([shown(axes) for axes in figure.axes], weights[:, 0], rtol=1e-6)
    assert [axes.get_title() for axes in figure.axes] == list("abcdef")


def test_filters_of_many_channels_show_their_mean():
    weights = RNG.normal(size=(2, 3, 4, 4))
    np.testing.assert_allclose(shown(filter_grid(weights).axes[1]), weights[1].mean(0))


def test_feature_maps_come_strongest_first_one_kind_of_colours_a_layer():
    weak, strong = np.full((3, 3), 0.1), np.arange(9.0).reshape(3, 3)
    maps = {"conv": np.stack([weak, strong, -strong]), "relu": np.stack([weak, strong])}
    figure = feature_map_grid(np.ones((6, 6)), maps, channels=3)
    drawn = [axes for axes in figure.axes if axes.images]
    image, first, second, third, top, last = drawn
    np.testing.assert_array_equal(shown(first), strong)
    np.testing.assert_array_equal(shown(second), -strong)
    np.testing.assert_array_equal(shown(third), weak)
    assert third.images[0].get_cmap().name != "gray"
    assert top.images[0].get_cmap().name == "gray"
    assert (first.get_ylabel(), top.get_ylabel()) == ("conv", "relu")
    assert shown(image).shape == (6, 6)
    np.testing.assert_array_equal(shown(last), weak)


def test_the_box_surrounds_the_centre():
    field = np.zeros((9, 9))
    field[4, 4] = 16.0
    (axes,) = sensitivity_maps({"one": field}, {"one": 3}).axes
    assert shown(axes)[4, 4] == 4.0
    box = axes.patches[0]
    # Pixels reach half a place to either side of their centre.
    assert box.get_xy() == (2.5, 2.5)
    assert (box.get_width(), box.get_height()) == (3, 3)


def test_refusals():
    with pytest.raises(InvalidValue, match=r"filter_grid: weights must have shape .*got \(3, 3\)"):
        filter_grid(np.zeros((3, 3)))
    with pytest.raises(InvalidValue, match=r"filter_grid: titles must name 2 filters, got 1"):
        filter_grid(np.zeros((2, 3, 3)), ["a"])
    with pytest.raises(InvalidValue, match=r"picture_panels: pictures must hold at least one"):
        picture_panels({})
