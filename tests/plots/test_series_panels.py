import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.plots.series_panels import MOST_LINES, series_panels, window_bars


def test_few_channels_are_lines_and_many_a_map():
    few = series_panels([np.zeros((5, 2)), np.zeros((1, 2))], ["a", "b"], channels=["x", "y"])
    assert [len(panel.lines) for panel in few.axes] == [2, 2]
    assert [text.get_text() for text in few.legends[0].get_texts()] == ["x", "y"]
    many = series_panels([np.ones((5, MOST_LINES + 1))], ["a"])
    assert many.axes[0].images[0].get_array().shape == (MOST_LINES + 1, 5)


def test_weights_lie_below_their_series():
    figure = series_panels([np.eye(3)], ["a"], weights=[[0.2, 0.3, 0.5]])
    strip = figure.axes[0].child_axes[0]
    np.testing.assert_allclose(strip.images[0].get_array(), [[0.2, 0.3, 0.5]])
    figure.canvas.draw()


def test_what_cannot_be_drawn_is_refused():
    for series, titles in (([], []), ([np.zeros((2, 2))], []), ([np.zeros(3)], ["a"])):
        with pytest.raises(InvalidValue, match=r"arrays of shape \(T, C\) with a title each"):
            series_panels(series, titles)
    with pytest.raises(InvalidValue, match="one for each part"):
        window_bars([])


def test_bars_stand_where_their_part_of_the_series_is():
    bars = window_bars([1.0, -2.0, 0.5, 0.0]).axes[0].patches
    assert [bar.get_height() for bar in bars] == [1.0, -2.0, 0.5, 0.0]
    assert bars[0].get_x() < bars[1].get_x() < 50
