import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots import image_rows, image_sheet, latent_map

IMAGES = np.arange(24.0).reshape(6, 1, 2, 2) / 24


def test_rows_stand_under_each_other_with_their_names():
    figure = image_rows({"image": IMAGES, "reconstruction": 1 - IMAGES})
    figure.canvas.draw()
    pictures = [axes.get_images()[0].get_array() for axes in figure.axes]
    assert [picture.shape for picture in pictures] == [(2, 12), (2, 12)]
    np.testing.assert_allclose(pictures[0][:, 2:4], IMAGES[1, 0])
    assert [axes.get_yticklabels()[0].get_text() for axes in figure.axes] == ["image", "reconstruction"]  # fmt: skip


def test_a_sheet_is_read_from_the_left():
    sheet = image_sheet(IMAGES, 3).axes[0].get_images()[0].get_array()
    assert sheet.shape == (4, 6)
    np.testing.assert_allclose(sheet[2:, 4:], IMAGES[5, 0])


def test_colours_stay():
    assert image_sheet(np.zeros((4, 3, 2, 2)), 2).axes[0].get_images()[0].get_array().shape == (4, 4, 3)  # fmt: skip


def test_classes_stand_at_their_middle():
    codes = np.array([[0.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    (axes,) = latent_map(codes, [0, 0, 1], names=("cat", "dog")).axes
    assert {text.get_text(): tuple(text.xy) for text in axes.texts} == {"cat": (0.0, 1.0), "dog": (5.0, 5.0)}  # fmt: skip


def test_errors():
    with pytest.raises(
        InvalidValue, match="image_rows: rows must hold images of one number and size"
    ):
        image_rows({"a": IMAGES, "b": IMAGES[:2]})
    with pytest.raises(
        InvalidValue, match="image_sheet: columns must divide the number of images, got 4 for 6"
    ):
        image_sheet(IMAGES, 4)
    with pytest.raises(InvalidValue, match=r"latent_map: codes must have shape \(N, 2\)"):
        latent_map(np.zeros((3, 3)), [0, 1, 2])
