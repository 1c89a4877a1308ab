import io

import numpy as np
import pytest
from PIL import Image

from gradatim.errors import InvalidValue
from gradatim.plots.pages import picture_pages


def page(height, width):
    out = io.BytesIO()
    Image.fromarray(np.full((height, width), 200, np.uint8)).save(out, "PNG")
    return out.getvalue()


def test_every_page_is_drawn_under_its_title():
    figure = picture_pages([page(4, 6), page(8, 6)], ["a", "b"])
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
    assert [axes.images[0].get_array().shape for axes in figure.axes] == [(4, 6), (8, 6)]


def test_titles_must_be_as_many():
    with pytest.raises(InvalidValue, match="titles must be one for each page"):
        picture_pages([page(2, 2)], [])
