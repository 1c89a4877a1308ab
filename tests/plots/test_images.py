import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.plots import image_grid

RNG = np.random.default_rng(0)


def pictures(figure):
    return [np.asarray(axes.images[0].get_array()) for axes in figure.axes]


def test_grey_layouts_agree():
    images = RNG.random((3, 4, 5))
    for layout in (images, images[:, None], images[..., None], torch.from_numpy(images)):
        np.testing.assert_allclose(pictures(image_grid(layout)), images)


def test_colour_layouts_agree():
    images = RNG.random((2, 4, 5, 3))
    np.testing.assert_allclose(pictures(image_grid(images)), images)
    np.testing.assert_allclose(pictures(image_grid(np.moveaxis(images, -1, 1))), images)


def test_colours_of_bytes_are_scaled():
    shown = pictures(image_grid(np.full((1, 2, 2, 3), 51, dtype=np.uint8)))
    np.testing.assert_allclose(shown[0], 0.2)


def test_brightness_is_common():
    figure = image_grid(np.stack([np.zeros((2, 2)), np.ones((2, 2))]))
    assert {axes.images[0].get_clim() for axes in figure.axes} == {(0.0, 1.0)}


def test_titles_and_rows():
    figure = image_grid(np.zeros((5, 2, 2)), list("abcde"), columns=3)
    assert [axes.get_title() for axes in figure.axes] == list("abcde")
    assert len({axes.get_subplotspec().rowspan.start for axes in figure.axes}) == 2


@pytest.mark.parametrize("shape", [(4, 4), (2, 4, 4, 2), (0, 4, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(InvalidValue, match=r"image_grid: images must have shape \(N, H, W\)"):
        image_grid(np.zeros(shape))


def test_titles_must_match():
    with pytest.raises(InvalidValue, match=r"image_grid: titles must name 2 images, got 1"):
        image_grid(np.zeros((2, 3, 3)), ["a"])
