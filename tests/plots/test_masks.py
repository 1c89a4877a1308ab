import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.masks import class_colours, mask_rows, overlay

IMAGE = np.full((4, 6, 1), 100, np.uint8)
MASK = np.arange(24).reshape(4, 6) % 3


def test_the_plain_class_shows_the_image():
    for plain in range(3):
        painted = overlay(IMAGE, MASK, 3, plain)
        assert painted.shape == (4, 6, 3)
        np.testing.assert_allclose(painted[plain == MASK], 100 / 255)
        others = painted[plain != MASK]
        assert (np.abs(others - 100 / 255).max(1) > 0.05).all()


def test_colours_of_classes_differ():
    for count in (2, 8, 20):
        assert len({tuple(colour) for colour in class_colours(count).round(6)}) == count


def test_a_row_has_the_image_and_each_mask():
    figure = mask_rows([IMAGE, IMAGE], {"true": [MASK] * 2, "predicted": [MASK] * 2}, ["a", "b", "c"], titles=["x", "y"])  # fmt: skip
    assert [axes.get_title() for axes in figure.axes] == ["x", "true", "predicted", "y", "true", "predicted"]  # fmt: skip
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["b", "c"]


def test_masks_must_be_there_for_each():
    with pytest.raises(InvalidValue, match="masks must be there for each of 2 images, got"):
        mask_rows([IMAGE, IMAGE], {"true": [MASK]}, ["a", "b", "c"])
